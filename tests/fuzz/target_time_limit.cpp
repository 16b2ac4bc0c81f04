// target_time_limit.cpp: the grammar of --time against a reader of its own, which knows only the
// contract's table of forms; and configuration times against --time.
#include <fmt/format.h>

#include <optional>

#include "common/options/config_values.h"
#include "common/options/grammar.h"
#include "common/options/text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

// What a form's letters stand for.
std::uint64_t seconds_of(char unit) {
  switch (unit) {
    case 'D':
      return 86400;
    case 'H':
      return 3600;
    case 'M':
      return 60;
    default:
      return 1;
  }
}

// None: the text is not of this form. "D-H:M" wants numbers where letters stand. Numbers of more
// than nine digits are not read.
std::optional<std::uint64_t> seconds_by(std::string_view form, std::string_view text) {
  std::uint64_t total = 0;
  for (char c : form) {
    if (c == '-' || c == ':') {
      if (!text.starts_with(c)) return std::nullopt;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return std::nullopt;
    total += *parse_number(text.substr(0, digits)) * seconds_of(c);
    text.remove_prefix(digits);
  }
  return text.empty() ? std::optional{total} : std::nullopt;
}

std::optional<std::uint64_t> seconds_expected(std::string_view text) {
  for (std::string_view form : {"M", "M:S", "H:M:S", "D-", "D-H", "D-H:M", "D-H:M:S"})
    if (const auto seconds = seconds_by(form, text)) return seconds;
  return std::nullopt;
}

bool is_word_for_unlimited(std::string_view text) {
  return text == "-1" || equals_ignoring_case(text, "unlimited") ||
         equals_ignoring_case(text, "infinite");
}

std::string printed(const TimeLimit& limit) {
  return limit.unlimited ? "UNLIMITED" : fmt::format("{}", limit.minutes);
}

void check_limit(std::string_view text, const TimeLimit& limit) {
  const auto again = parse_time_limit(printed(limit));
  require(again.ok() && again->unlimited == limit.unlimited && again->minutes == limit.minutes,
          "a printed limit is read as itself", printed(limit));
  const auto from_config = parse_config_time(text);
  require(from_config.ok() && *from_config == limit, "slurm.conf reads times as --time does");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const auto limit = in_proportion(text, 64, [&] { return parse_time_limit(text); });
  if (limit.ok()) check_limit(text, *limit);
  else require_refusal(limit.error(), {ErrorCode::invalid_time});
  if (has_longer_number(text, 9)) return 0;

  const bool unlimited = is_word_for_unlimited(text);
  const std::optional<std::uint64_t> seconds = seconds_expected(text);
  const bool fits = seconds && (*seconds + 59) / 60 < UINT32_MAX;
  require(limit.ok() == (unlimited || fits), "exactly the forms of the contract are read");
  if (!limit.ok()) return 0;
  require(limit->unlimited == (unlimited || *seconds == 0), "0 and three words mean no limit");
  if (!limit->unlimited)
    require(limit->minutes == (*seconds + 59) / 60, "seconds round up to a minute");
  return 0;
}
