// past_use.h: what a restarted controller counts as used before it started: the sum over the runs
// that are over, as the store has them.
#pragma once

#include "common/base/result.h"
#include "daemon/core/state.h"
#include "daemon/store/store.h"

namespace sluice {

// Of a state that was just recovered. Reads only what still counts, and nothing where no
// association is known. Error: store_error.
Result<void> count_past_use(HistoryReader& history, State& state, const Now& now);

}  // namespace sluice
