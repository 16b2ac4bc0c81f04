// local_time.cpp: the C library's calendar, asked so that a change of the clock gives what users
// mean.
#include "common/base/local_time.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace sluice {
namespace {

std::tm local_of(std::int64_t seconds) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm local{};
  localtime_r(&time, &local);
  return local;
}

std::chrono::sys_days days_of(const LocalDate& date) {
  return std::chrono::year{date.year} / date.month / date.day;
}

}  // namespace

LocalDate date_of(std::int64_t seconds) {
  const std::tm local = local_of(seconds);
  return {local.tm_year + 1900, local.tm_mon + 1, local.tm_mday};
}

LocalClock clock_of(std::int64_t seconds) {
  const std::tm local = local_of(seconds);
  return {local.tm_hour, local.tm_min, local.tm_sec};
}

std::optional<std::int64_t> seconds_of(const LocalDate& date, const LocalClock& clock) {
  std::tm local{};
  local.tm_year = date.year - 1900;
  local.tm_mon = date.month - 1;
  local.tm_mday = date.day;
  local.tm_hour = clock.hour;
  local.tm_min = clock.minute;
  local.tm_sec = clock.second;
  std::optional<std::int64_t> first;
  for (const int is_summer : {0, 1}) {
    std::tm tried = local;
    tried.tm_isdst = is_summer;
    const auto seconds = static_cast<std::int64_t>(std::mktime(&tried));
    if (date_of(seconds) == date && clock_of(seconds) == clock)
      first = std::min(first.value_or(seconds), seconds);
  }
  local.tm_isdst = -1;
  const std::time_t time = std::mktime(&local);
  if (local.tm_mday != date.day || local.tm_mon != date.month - 1) return std::nullopt;
  return first.value_or(static_cast<std::int64_t>(time));
}

LocalDate later_by(const LocalDate& date, int days) {
  const std::chrono::year_month_day later{days_of(date) + std::chrono::days{days}};
  return {static_cast<int>(later.year()), static_cast<int>(static_cast<unsigned>(later.month())),
          static_cast<int>(static_cast<unsigned>(later.day()))};
}

int days_between(const LocalDate& from, const LocalDate& to) {
  return static_cast<int>((days_of(to) - days_of(from)).count());
}

int weekday_of(const LocalDate& date) {
  return static_cast<int>(std::chrono::weekday{days_of(date)}.c_encoding());
}

}  // namespace sluice
