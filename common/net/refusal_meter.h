// refusal_meter.h: how many refusals are told (to the peer, to the log) in any one second, so that
// a flood of peers that must be refused makes no flood of answers and of lines. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

namespace sluice {

class RefusalMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit RefusalMeter(std::size_t told_per_second_max)
      : told_per_second_max_(told_per_second_max) {}

  bool may_tell(Time now) const;
  // Counts a refusal; true: it may be told.
  bool count(Time now);
  // How many could not be told since this was last asked.
  std::size_t take_untold();

 private:
  const std::size_t told_per_second_max_;
  std::deque<Time> told_;  // the last ones, no more than told_per_second_max_
  std::size_t untold_ = 0;
};

}  // namespace sluice
