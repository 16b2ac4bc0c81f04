// local_time.h: dates and times of day of the local time zone (TZ). Seconds are since 1970-01-01
// UTC. Nothing here reads a clock.
#pragma once

#include <cstdint>
#include <optional>

namespace sluice {

struct LocalDate {
  int year = 0;
  int month = 0;
  int day = 0;

  bool operator==(const LocalDate&) const = default;
};

struct LocalClock {
  int hour = 0;
  int minute = 0;
  int second = 0;

  bool operator==(const LocalClock&) const = default;
};

LocalDate date_of(std::int64_t seconds);
LocalClock clock_of(std::int64_t seconds);

// None where the date does not exist (February 30). Where a clock that is put back shows a time
// twice it is the first; one that a clock put forward leaves out moves on by as much.
std::optional<std::int64_t> seconds_of(const LocalDate& date, const LocalClock& clock);

LocalDate later_by(const LocalDate& date, int days);
int days_between(const LocalDate& from, const LocalDate& to);
int weekday_of(const LocalDate& date);  // 0: Sunday

}  // namespace sluice
