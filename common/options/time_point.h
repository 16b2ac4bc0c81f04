// time_point.h: points in time as users write them: "now-2hours", "16:00", "teatime tomorrow",
// "2026-11-30T02:31", "11/30 4:05PM", "1130", "uts1796004995". Local time (TZ). Pure: now is given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace sluice {

// What a time of day without a date means.
enum class TimeOfDay { of_today, next };

struct TimePoint {
  std::int64_t seconds = 0;  // since 1970, in the years 1 to 9999
  bool is_moved = false;     // a clock that is put forward leaves it out: it is as much later
};

// Of a time that a clock shows twice, when it is put back, the first. A date without a time is its
// midnight. Error: invalid_time; the detail is "(pos=P): TEXT" with the place where it stopped
// making sense.
Result<TimePoint> read_time_point(std::string_view text, std::int64_t now_s, TimeOfDay time_of_day);

// The same, for those who need no more than its seconds.
Result<std::int64_t> parse_time_point(std::string_view text, std::int64_t now_s,
                                      TimeOfDay time_of_day);

// "2027-03-28T03:30:00", local time.
std::string local_text(std::int64_t seconds);

// Midnight of the local day.
std::int64_t start_of_day(std::int64_t now_s);

}  // namespace sluice
