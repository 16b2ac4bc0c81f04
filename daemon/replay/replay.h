// replay.h: a trace of jobs through the controller's own core and planner, by a virtual clock, on
// one node that starts what it is ordered to at once. No store, no wire, no second model.
// Deterministic.
#pragma once

#include <vector>

#include "common/model/config.h"
#include "daemon/replay/swf.h"

namespace sluice {

struct ReplayRules {
  std::uint32_t cpus = 1;  // of the machine; which of them a job gets makes no difference
  PlanRules planning;
};

// When each job started, in seconds of the trace; of the jobs in their order. At one instant: all
// ends, then all arrivals, then one pass. `jobs` by submit and id, none larger than the machine.
// Errors: of a job that the core refuses, with its id.
Result<std::vector<std::int64_t>> replay(const std::vector<TraceJob>& jobs,
                                         const ReplayRules& rules);

}  // namespace sluice
