// timing.h: the clock and the line of figures that the measuring programs share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace sluice::bench {

inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The value that `share` of the sorted samples do not exceed; 0 without samples.
inline double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(at, sorted.size() - 1)];
}

// "n=.. per_s=.. p50_ms=.. p90_ms=.. p99_ms=.. max_ms=..", without an end of line.
inline void print_figures(std::vector<double> seconds, double wall_s) {
  std::sort(seconds.begin(), seconds.end());
  std::printf("n=%zu per_s=%.1f", seconds.size(), static_cast<double>(seconds.size()) / wall_s);
  const std::pair<const char*, double> shares[] = {{"p50", .5}, {"p90", .9}, {"p99", .99}, {"max", 1}};
  for (const auto& [name, share] : shares)
    std::printf(" %s_ms=%.3f", name, quantile(seconds, share) * 1e3);
}

}  // namespace sluice::bench
