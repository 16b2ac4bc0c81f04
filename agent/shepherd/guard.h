// guard.h: the last hand on leased runs. A shepherd ends its run when the lease lapses, unless it is
// frozen; should the agent be frozen too, this small process of the node kills what overstays. It acts
// only when a shepherd did not in time, and writes nothing.
#pragma once

#include <string>

#include "common/base/result.h"

namespace sluice::agent {

// Returns when another guard watches this spool, or when neither an agent nor a run is left in it.
// Errors: the spool cannot be used.
Result<void> guard_leases(const std::string& spool);

}  // namespace sluice::agent
