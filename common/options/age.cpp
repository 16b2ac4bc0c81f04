// age.cpp: see age.h.
#include "common/options/age.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/spelling.h"
#include "common/options/text.h"

namespace sluice {
namespace {

struct AgeUnit {
  std::string_view word;
  std::uint64_t seconds;
};

constexpr std::uint64_t day_s = 86400;
constexpr std::uint64_t count_max = 1'000'000;

constexpr AgeUnit units[] = {
    {"h", 3600},           {"hour", 3600},         {"hours", 3600},        {"d", day_s},
    {"day", day_s},        {"days", day_s},        {"w", 7 * day_s},       {"week", 7 * day_s},
    {"weeks", 7 * day_s},  {"month", 30 * day_s},  {"months", 30 * day_s}, {"y", 365 * day_s},
    {"year", 365 * day_s}, {"years", 365 * day_s},
};

// "m" could be minutes too.
std::string nearest_unit(std::string_view word) {
  if (word.empty()) return "d";
  if (equals_ignoring_case(word, "m") || equals_ignoring_case(word, "mo")) return "months";
  std::vector<std::string_view> words;
  for (const AgeUnit& unit : units) words.push_back(unit.word);
  return std::string(nearest_word(word, words));
}

Error refuse(std::string_view text, std::string_view count, std::string_view unit) {
  const std::string nearest = nearest_unit(unit);
  const std::string meant = count.empty() || nearest.empty()
                                ? std::string("such as 1y, 6months, 90d or 12h")
                                : fmt::format("did you mean {}{}?", count, nearest);
  return Error{
      ErrorCode::invalid_time,
      fmt::format("'{}' is not a number and a unit (h, d, w, months, y): {}", text, meant)};
}

}  // namespace

Result<std::uint64_t> parse_age(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view count = text.substr(0, digits);
  std::string_view word = text.substr(digits);
  if (!count.empty() && word.starts_with(' ')) word.remove_prefix(1);
  const auto unit = std::find_if(std::begin(units), std::end(units), [&](const AgeUnit& one) {
    return equals_ignoring_case(one.word, word);
  });
  const std::optional<std::uint64_t> number = parse_number(count);
  if (count.empty() || unit == std::end(units)) return refuse(text, count, word);
  if (!number || *number > count_max)
    return Error{ErrorCode::invalid_time,
                 fmt::format("'{}' is too long ago: {} at most", text, count_max)};
  return *number * unit->seconds;
}

}  // namespace sluice
