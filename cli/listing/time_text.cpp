// time_text.cpp: times to text.
#include "cli/listing/time_text.h"

#include <array>
#include <ctime>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr const char* standard_format = "%Y-%m-%dT%H:%M:%S";

std::string formatted(std::int64_t seconds, const char* format) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm local{};
  localtime_r(&time, &local);
  std::array<char, 256> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), format, &local);
  return std::string(text.data(), size);
}

struct ClockParts {
  std::int64_t days = 0;
  std::int64_t hours = 0;
  std::int64_t minutes = 0;
  std::int64_t seconds = 0;
};

ClockParts parts_of(std::int64_t seconds) {
  return {seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60};
}

}  // namespace

TimeText::TimeText(std::string_view slurm_time_format)
    : format_(slurm_time_format.find('%') == std::string_view::npos ? standard_format
                                                                    : slurm_time_format) {}

void TimeText::append(WallTime time, std::string& out) const {
  const std::int64_t seconds = to_seconds(time);
  if (seconds != last_seconds_) {
    last_text_ = formatted(seconds, format_.c_str());
    last_seconds_ = seconds;
  }
  out += last_text_;
}

std::string TimeText::text(WallTime time) const {
  std::string out;
  append(time, out);
  return out;
}

void append_short_duration(std::int64_t seconds, std::string& out) {
  const ClockParts parts = parts_of(seconds);
  if (parts.days > 0)
    fmt::format_to(std::back_inserter(out), "{}-{:02}:{:02}:{:02}", parts.days, parts.hours,
                   parts.minutes, parts.seconds);
  else if (parts.hours > 0)
    fmt::format_to(std::back_inserter(out), "{}:{:02}:{:02}", parts.hours, parts.minutes,
                   parts.seconds);
  else fmt::format_to(std::back_inserter(out), "{}:{:02}", parts.minutes, parts.seconds);
}

void append_long_duration(std::int64_t seconds, std::string& out) {
  const ClockParts parts = parts_of(seconds);
  if (parts.days > 0) fmt::format_to(std::back_inserter(out), "{}-", parts.days);
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}:{:02}", parts.hours, parts.minutes,
                 parts.seconds);
}

void append_cpu_time(std::uint64_t microseconds, std::string& out) {
  const std::int64_t seconds = static_cast<std::int64_t>(microseconds / 1'000'000);
  if (seconds >= 3600) return append_long_duration(seconds, out);
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}.{:03}", seconds / 60, seconds % 60,
                 microseconds / 1000 % 1000);
}

void append_short_limit(const TimeLimit& limit, std::string& out) {
  if (limit.unlimited) out += "UNLIMITED";
  else append_short_duration(std::int64_t{limit.minutes} * 60, out);
}

void append_long_limit(const TimeLimit& limit, std::string& out) {
  if (limit.unlimited) out += "UNLIMITED";
  else append_long_duration(std::int64_t{limit.minutes} * 60, out);
}

std::string date_line(WallTime time) { return formatted(to_seconds(time), "%a %b %d %H:%M:%S %Y"); }

}  // namespace sluice
