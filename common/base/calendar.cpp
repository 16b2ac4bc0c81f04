// calendar.cpp: by the C library, which knows the zones.
#include "common/base/calendar.h"

#include <ctime>

namespace sluice {

LocalDay local_day(WallTime time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm local{};
  localtime_r(&seconds, &local);
  return {local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_wday};
}

WallTime start_of(const LocalDay& day) {
  std::tm local{};
  local.tm_year = day.year - 1900;
  local.tm_mon = day.month - 1;
  local.tm_mday = day.day;
  local.tm_isdst = -1;
  return WallTime{std::chrono::seconds{std::mktime(&local)}};
}

}  // namespace sluice
