// age.h: how long ago, as people say it: "1y", "6months", "90d", "12h". Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace sluice {

// Seconds. A unit is always said: h, d, w, months, y, or the whole word; a month is 30 days, a year
// 365. Errors: invalid_time, with the nearest form that is right.
Result<std::uint64_t> parse_age(std::string_view text);

}  // namespace sluice
