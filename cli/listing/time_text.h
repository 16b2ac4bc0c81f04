// time_text.h: points in time and durations as Slurm's commands write them. Points are local time
// (TZ). Must not read a clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/time.h"
#include "common/model/request.h"

namespace sluice {

// Writes points in time: "2026-11-30T02:31:55", or by SLURM_TIME_FORMAT where that is a strftime
// format ("%s" gives seconds since 1970). "standard" and an empty value are the default.
class TimeText {
 public:
  explicit TimeText(std::string_view slurm_time_format = {});

  void append(WallTime time, std::string& out) const;
  std::string text(WallTime time) const;

 private:
  std::string format_;
  // Long listings repeat few seconds: the last one is kept.
  mutable std::int64_t last_seconds_ = -1;
  mutable std::string last_text_;
};

// "0:03", "1:02:03", "1-02:03:04": squeue's form.
void append_short_duration(std::int64_t seconds, std::string& out);
// "00:00:03", "1-02:03:04": scontrol's and sacct's form.
void append_long_duration(std::int64_t seconds, std::string& out);
// "00:00.032" below an hour, else like the long form: sacct's CPU times.
void append_cpu_time(std::uint64_t microseconds, std::string& out);

// Limits in both forms; "UNLIMITED" where there is none.
void append_short_limit(const TimeLimit& limit, std::string& out);
void append_long_limit(const TimeLimit& limit, std::string& out);

// "Mon Nov 30 02:16:37 2026": the line above long and repeated listings.
std::string date_line(WallTime time);

}  // namespace sluice
