// calendar.h: days of this machine's time zone. Equal input gives equal output while the zone's
// rules stay as they are; nothing here reads a clock.
#pragma once

#include "common/base/time.h"

namespace sluice {

struct LocalDay {
  int year = 1970;
  int month = 1;    // 1..12
  int day = 1;      // 1..31; others are carried into the months before and behind
  int weekday = 0;  // 0: Sunday
};

LocalDay local_day(WallTime time);
// Its first moment, by year, month and day.
WallTime start_of(const LocalDay& day);

}  // namespace sluice
