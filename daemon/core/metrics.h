// metrics.h: what a monitoring system scrapes, as OpenMetrics text: one committed snapshot, with
// its number, and the totals since the start. THE table of metrics is in metrics.cpp; names that
// the common exporters for Slurm publish are kept where they mean the same. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/histogram.h"
#include "daemon/core/state.h"

namespace sluice {

// Seconds of one commit, or of one pass of the planner.
inline constexpr double work_bounds_s[] = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
                                           0.05,   0.1,   0.2,   0.5,   1,    5};

// What the server counts around the core.
struct ServerTotals {
  Histogram commit_s{work_bounds_s};
  Histogram plan_s{work_bounds_s};
  std::map<std::string_view, std::uint64_t> requests;  // by the message's name in the table
  std::uint64_t refused = 0;                           // of them, answered with an error
};

std::string metrics_text(const Snapshot& snapshot, const ServerTotals& server);

// For the manual.
struct MetricHelp {
  std::string name;
  std::string type;  // gauge, counter, histogram
  std::string help;
};
std::vector<MetricHelp> list_metrics();

}  // namespace sluice
