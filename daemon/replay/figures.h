// figures.h: what a replay comes to. Pure.
#pragma once

#include <string>
#include <vector>

#include "daemon/replay/swf.h"

namespace sluice {

struct Figures {
  std::size_t jobs = 0;
  std::int64_t makespan_s = 0;  // from the first submit to the last end
  std::int64_t wait_s_total = 0;
  double wait_s_mean = 0;
  std::int64_t wait_s_median = 0;  // of two in the middle the upper one
  std::int64_t wait_s_max = 0;
  double slowdown_mean = 0;  // bounded: (wait + run) / max(run, 10 s), at least 1
  double utilisation = 0;    // of the cpus, over the makespan
};

Figures measure(const std::vector<TraceJob>& jobs, const std::vector<std::int64_t>& starts,
                std::uint32_t cpus);

// "ID START\n" of every job, by id: two replays that start every job alike give the same text.
std::string starts_text(const std::vector<TraceJob>& jobs, const std::vector<std::int64_t>& starts);

}  // namespace sluice
