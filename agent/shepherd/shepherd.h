// shepherd.h: tends one run: starts its script (or holds a member's part), watches its time limit, its
// lease and the agent's orders, ends everything that is left of it, and writes its exit record.
#pragma once

#include <string>

#include "common/base/result.h"

namespace sluice::agent {

// Returns when the run is over and its record is written, or at once when another shepherd has, or had,
// this run. The caller is a fresh process, the reaper of its descendants, with all signals blocked.
// Errors: the spool cannot be read or written; the agent then sees a shepherd without a record.
Result<void> tend_run(const std::string& run_folder);

}  // namespace sluice::agent
