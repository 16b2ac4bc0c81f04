// time.h: the two clocks. Durations, limits, leases and decay use steady time (CLOCK_BOOTTIME);
// begin, deadline, reservations and display use wall time. All values are microseconds.
// Nothing here reads a clock: `Now` is an argument everywhere but in the mains.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sluice {

using Duration = std::chrono::microseconds;

struct WallClockTag {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  static constexpr bool is_steady = false;
};
struct SteadyClockTag {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  static constexpr bool is_steady = true;
};

using WallTime = std::chrono::time_point<WallClockTag, Duration>;      // since 1970-01-01 UTC
using SteadyTime = std::chrono::time_point<SteadyClockTag, Duration>;  // since boot of this machine

struct Now {
  WallTime wall;
  SteadyTime steady;
};

constexpr std::int64_t to_us(WallTime time) { return time.time_since_epoch().count(); }
constexpr std::int64_t to_us(SteadyTime time) { return time.time_since_epoch().count(); }
constexpr std::int64_t to_seconds(WallTime time) { return to_us(time) / 1'000'000; }
constexpr WallTime wall_from_us(std::int64_t us) { return WallTime{Duration{us}}; }
constexpr SteadyTime steady_from_us(std::int64_t us) { return SteadyTime{Duration{us}}; }

// "2026-11-30T14:10:05Z", for messages of those who know no time zone.
std::string utc_text(WallTime time);

}  // namespace sluice
