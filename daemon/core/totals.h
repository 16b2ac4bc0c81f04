// totals.h: what has happened since the controller started: for monitoring only, never stored and
// never the ground of a decision.
#pragma once

#include <cstdint>
#include <map>

#include "common/base/histogram.h"
#include "common/model/lifecycle.h"
#include "common/model/run.h"

namespace sluice {

// Seconds between the moment a job could start and its start.
inline constexpr double wait_bounds_s[] = {0.01, 0.1,  1,     10,    60,    300,
                                           900,  3600, 14400, 43200, 86400, 604800};

struct Totals {
  std::uint64_t submitted = 0;  // requests that became a job
  std::uint64_t submits_repeated =
      0;  // requests whose key was known: answered with the job it made
  std::uint64_t submits_refused = 0;
  std::uint64_t started = 0;  // runs that were given nodes
  std::map<CauseKind, std::uint64_t> requeued;
  std::map<Outcome, std::uint64_t> ended;  // jobs and array tasks
  Histogram wait_s{wait_bounds_s};
};

}  // namespace sluice
