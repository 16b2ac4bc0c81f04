// known_ends.h: what history says of the jobs that a dependency names.
#pragma once

#include <vector>

#include "daemon/core/events.h"
#include "daemon/core/state.h"
#include "daemon/store/store.h"

namespace sluice {

// The jobs that memory does not hold, or may not hold wholly.
JobFilter jobs_to_look_up(const State& state, const Dependency& dependency);

// Their ends, sorted by name and task. What cannot be read is not known.
std::vector<KnownEnd> known_ends(HistoryReader& history, const JobFilter& filter);

}  // namespace sluice
