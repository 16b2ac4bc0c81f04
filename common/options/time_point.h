// time_point.h: points in time as users write them: "now-2hours", "16:00", "teatime tomorrow",
// "2026-11-30T02:31", "11/30 4:05PM", "1130", "uts1796004995". Local time (TZ). Pure: now is given.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace sluice {

// What a time of day without a date means.
enum class TimeOfDay { of_today, next };

// Seconds since 1970, in the years 1 to 9999. A date without a time is its midnight. Error:
// invalid_time; the detail is "(pos=P): TEXT" with the place where it stopped making sense.
Result<std::int64_t> parse_time_point(std::string_view text, std::int64_t now_s,
                                      TimeOfDay time_of_day);

// Midnight of the local day.
std::int64_t start_of_day(std::int64_t now_s);

}  // namespace sluice
