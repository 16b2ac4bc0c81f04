// launch.h: may a launch order still leave? It was decided before its commit, and much may have happened
// since: a run that was closed meanwhile (its node was rebooted, say) must not be started any more.
#pragma once

#include "daemon/core/effects.h"
#include "daemon/core/state.h"

namespace sluice {

// To be asked by the driver at the moment of sending.
bool is_still_wanted(const State& state, const SendLaunch& launch);

}  // namespace sluice
