// time_limit.cpp: the grammar of --time.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

// Up to three numbers between colons; the number of them gives their meaning.
struct ClockParts {
  std::array<std::uint64_t, 3> values{};
  std::size_t count = 0;
};

std::optional<ClockParts> split_clock(std::string_view text) {
  ClockParts parts;
  for (std::string_view word : split(text, ':')) {
    const std::optional<std::uint64_t> value = parse_number(word);
    if (!value || parts.count == parts.values.size()) return std::nullopt;
    parts.values[parts.count++] = *value;
  }
  return parts;
}

// After a day count: H, H:M or H:M:S. Without: M, M:S or H:M:S.
std::optional<std::uint64_t> seconds_of(const ClockParts& parts, bool after_days) {
  constexpr std::array<std::uint64_t, 4> unit_s = {3600, 60, 1, 0};
  const std::size_t first = after_days || parts.count == 3 ? 0 : 1;
  std::uint64_t total_s = 0;
  for (std::size_t i = 0; i < parts.count; ++i) {
    if (parts.values[i] > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    total_s += parts.values[i] * unit_s[first + i];
  }
  return total_s;
}

std::optional<std::uint64_t> parse_seconds(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const std::optional<ClockParts> clock = split_clock(text);
    return clock ? seconds_of(*clock, false) : std::nullopt;
  }
  const std::optional<std::uint64_t> days = parse_number(text.substr(0, dash));
  if (!days || *days > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const std::string_view rest = text.substr(dash + 1);
  if (rest.empty()) return *days * 86400;
  const std::optional<ClockParts> clock = split_clock(rest);
  const std::optional<std::uint64_t> rest_s = clock ? seconds_of(*clock, true) : std::nullopt;
  if (!rest_s) return std::nullopt;
  return *days * 86400 + *rest_s;
}

Error refuse(std::string_view text) {
  return Error{ErrorCode::invalid_time,
               fmt::format("\"{}\" is none of MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, "
                           "DAYS-HOURS, DAYS-HOURS:MINUTES, DAYS-HOURS:MINUTES:SECONDS, UNLIMITED",
                           text)};
}

}  // namespace

Result<TimeLimit> parse_time_limit(std::string_view text) {
  const TimeLimit unlimited{.unlimited = true};
  if (text == "-1" || equals_ignoring_case(text, "unlimited") ||
      equals_ignoring_case(text, "infinite"))
    return unlimited;
  const std::optional<std::uint64_t> seconds = parse_seconds(text);
  if (!seconds) return refuse(text);
  const std::uint64_t minutes = (*seconds + 59) / 60;
  if (minutes >= std::numeric_limits<std::uint32_t>::max())
    return Error{ErrorCode::invalid_time, fmt::format("\"{}\" is longer than 8000 years", text)};
  if (minutes == 0) return unlimited;
  return TimeLimit{.unlimited = false, .minutes = static_cast<std::uint32_t>(minutes)};
}

}  // namespace sluice
