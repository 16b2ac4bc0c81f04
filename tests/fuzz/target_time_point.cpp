// target_time_point.cpp: dates and times as users write them: a refusal names a place in the text,
// a time can be written and read again, the order of date and time is of no meaning.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "common/options/time_point.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

constexpr std::int64_t now_s = 1796004995;  // Mon 2026-11-30T02:16:35 UTC

void set_utc() {
  static const bool once = [] {
    setenv("TZ", "UTC", 1);
    tzset();
    return true;
  }();
  (void)once;
}

std::string written(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm utc{};
  require(gmtime_r(&time, &utc) != nullptr, "a time has a calendar date");
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

void check_time(std::int64_t seconds) {
  const std::string text = written(seconds);
  const auto again = parse_time_point(text, now_s, TimeOfDay::of_today);
  require(again.ok() && *again == seconds, "a time written as a date is the same time", text);
}

// "A B" and "B A".
void check_order(std::string_view text, std::int64_t seconds, TimeOfDay time_of_day) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos || text.find(' ', blank + 1) != std::string_view::npos)
    return;
  const std::string swapped = fmt::format("{} {}", text.substr(blank + 1), text.substr(0, blank));
  const auto other = parse_time_point(swapped, now_s, time_of_day);
  if (other.ok())
    require(*other == seconds, "the order of date and time is of no meaning", swapped);
}

// "now" and "utsN" are said whole: what stands in front of them would be ignored.
void check_moment(std::string_view text) {
  std::string lower(text.substr(std::min(text.find_first_not_of(' '), text.size())));
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  for (std::string_view word : {"now", "uts"})
    require(lower.find(word) == std::string::npos || lower.starts_with(word),
            "nothing stands before a moment", text);
}

void check_refusal(std::string_view text, const Error& error) {
  require_refusal(error, {ErrorCode::invalid_time});
  std::size_t place = 0;
  const std::string_view digits = std::string_view(error.detail).substr(5);
  for (char c : digits.substr(0, digits.find(')')))
    place = place * 10 + static_cast<std::size_t>(c - '0');
  require(error.detail.starts_with("(pos=") && place <= text.size(),
          "a refusal names a place in the text", error.detail);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  set_utc();
  const std::string_view text = text_of(data, size);
  for (const TimeOfDay time_of_day : {TimeOfDay::of_today, TimeOfDay::next}) {
    const auto seconds =
        in_proportion(text, 64, [&] { return parse_time_point(text, now_s, time_of_day); });
    if (!seconds.ok()) {
      check_refusal(text, seconds.error());
      continue;
    }
    check_time(*seconds);
    check_moment(text);
    check_order(text, *seconds, time_of_day);
  }
  return 0;
}
