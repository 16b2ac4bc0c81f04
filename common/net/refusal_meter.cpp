// refusal_meter.cpp: see refusal_meter.h.
#include "common/net/refusal_meter.h"

#include <utility>

namespace sluice {

bool RefusalMeter::may_tell(Time now) const {
  return told_.size() < told_per_second_max_ ||
         (!told_.empty() && now - told_.front() >= std::chrono::seconds{1});
}

bool RefusalMeter::count(Time now) {
  if (!may_tell(now)) {
    ++untold_;
    return false;
  }
  if (told_.size() == told_per_second_max_) told_.pop_front();
  told_.push_back(now);
  return true;
}

std::size_t RefusalMeter::take_untold() { return std::exchange(untold_, 0); }

}  // namespace sluice
