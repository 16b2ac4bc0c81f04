// time.cpp: the calendar.
#include "common/base/time.h"

#include <fmt/format.h>

namespace sluice {

std::string utc_text(WallTime time) {
  using namespace std::chrono;
  const sys_time<Duration> at{time.time_since_epoch()};
  const sys_days day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<seconds>(at - day)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace sluice
