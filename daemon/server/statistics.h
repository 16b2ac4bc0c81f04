// statistics.h: what sdiag shows: passes of the planner, and totals since the last reset. For
// people alone: nothing is decided by it, and nothing is stored.
#pragma once

#include <map>
#include <string_view>

#include "common/wire/messages_priority.h"
#include "daemon/core/metrics.h"
#include "daemon/core/state.h"

namespace sluice {

// Jobs of the plan that start although one of their partition waits that goes before them.
std::uint64_t count_backfilled(const View& view, const Plan& plan);

struct PassFigures {
  bool is_full = false;
  Duration took{};
  std::uint64_t depth = 0;  // jobs of the view
  std::uint64_t backfilled = 0;
};

class Statistics {
 public:
  explicit Statistics(WallTime now) : since_(now) {}

  void add(const PassFigures& pass, WallTime now);
  void reset(const Totals& totals, const ServerTotals& server, WallTime now);
  // All but what the server alone knows: connections and rows_waiting.
  StatisticsReply reply(const State& state, const ServerTotals& server, WallTime now) const;

 private:
  WallTime since_;
  Totals before_;
  std::map<std::string_view, std::uint64_t> requests_before_;
  PassStatistics quick_;
  PassStatistics full_;
  std::uint64_t backfilled_ = 0;
  std::uint64_t backfilled_before_ = 0;
};

}  // namespace sluice
