// config_values.cpp: see config_values.h.
#include "common/options/config_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

Error expected(std::string_view what, std::string_view seen) {
  return Error{ErrorCode::config_invalid, fmt::format("expected {}, not '{}'", what, seen)};
}

bool is_unlimited(std::string_view text) {
  return equals_ignoring_case(text, "UNLIMITED") || equals_ignoring_case(text, "INFINITE") || text == "-1";
}

std::optional<std::uint32_t> gres_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  static constexpr std::string_view suffixes = "KMG";
  std::uint64_t factor = 1;
  const auto suffix = suffixes.find(static_cast<char>(std::toupper(text.back())));
  if (suffix != std::string_view::npos) {
    factor = std::uint64_t{1} << (10 * (suffix + 1));
    text.remove_suffix(1);
  }
  const auto count = parse_number(text);
  if (!count || *count > UINT32_MAX || *count * factor > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*count * factor);
}

Result<GresCount> parse_one_gres(std::string_view text) {
  const std::vector<std::string> parts = split_list(text, ':');
  if (parts.empty() || parts.size() > 3) return expected("NAME[:TYPE][:COUNT]", text);
  GresCount gres{.name = parts[0], .type = {}, .count = 1};
  if (parts.size() == 1) return gres;
  const auto count = gres_number(parts.back());
  if (parts.size() == 3 && !count) return expected("a count after NAME:TYPE:", text);
  if (count) gres.count = *count;
  if (parts.size() == 3 || !count) gres.type = parts[1];
  return gres;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, char divider) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(divider), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

Result<std::uint64_t> parse_config_number(std::string_view text, NumberRange range) {
  const auto value = parse_number(text);
  if (!value || *value < range.min || *value > range.max)
    return expected(fmt::format("a number from {} to {}", range.min, range.max), text);
  return *value;
}

Result<bool> parse_config_yes_no(std::string_view text) {
  for (std::string_view word : {"YES", "TRUE", "1", "UP"})
    if (equals_ignoring_case(text, word)) return true;
  for (std::string_view word : {"NO", "FALSE", "0", "DOWN"})
    if (equals_ignoring_case(text, word)) return false;
  return expected("YES or NO", text);
}

Result<std::optional<std::uint64_t>> parse_config_memory_limit(std::string_view text) {
  if (is_unlimited(text)) return std::optional<std::uint64_t>{};
  const auto value = parse_number(text);
  if (!value || *value > (std::uint64_t{1} << 40))
    return expected("megabytes as a plain number, or UNLIMITED", text);
  return *value == 0 ? std::optional<std::uint64_t>{} : value;
}

Result<std::uint32_t> parse_config_milliseconds(std::string_view text) {
  std::string_view number = text;
  std::uint64_t factor = 1000;
  if (number.ends_with("ms")) {
    factor = 1;
    number.remove_suffix(2);
  } else if (number.ends_with("s")) {
    number.remove_suffix(1);
  }
  const auto value = parse_number(number);
  if (!value || *value == 0 || *value > 86'400'000 / factor)
    return expected("a time such as 5, 5s or 500ms, at most a day", text);
  return static_cast<std::uint32_t>(*value * factor);
}

Result<TimeLimit> parse_config_time(std::string_view text) {
  if (is_unlimited(text)) return TimeLimit{.unlimited = true, .minutes = 0};
  const Result<TimeLimit> limit = parse_time_limit(text);
  if (!limit)
    return expected("a time such as 90, 90:00, 1:30:00, 1-12, 1-12:30 or UNLIMITED", text);
  return *limit;
}

Result<std::vector<GresCount>> parse_config_gres(std::string_view text) {
  std::vector<GresCount> out;
  for (const std::string& part : split_list(text, ','))
    out.push_back(TRY(parse_one_gres(part)));
  return out;
}

}  // namespace sluice
