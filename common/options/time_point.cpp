// time_point.cpp: a small reader of dates and times.
#include "common/options/time_point.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "common/base/local_time.h"
#include "common/options/text.h"

namespace sluice {
namespace {

using Date = LocalDate;
using Clock = LocalClock;

// Years 1 to 9999: what can be written as a date, and held in microseconds.
constexpr std::int64_t seconds_min = -62'135'596'800;
constexpr std::int64_t seconds_max = 253'402'300'799;

struct NamedTime {
  std::string_view name;
  Clock clock;
};
constexpr NamedTime named_times[] = {
    {"midnight", {0, 0, 0}}, {"noon", {12, 0, 0}}, {"fika", {15, 0, 0}}, {"teatime", {16, 0, 0}}};

struct NamedUnit {
  std::string_view name;
  std::int64_t seconds;
};
constexpr NamedUnit named_units[] = {
    {"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86400}, {"week", 604800}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool shows(std::int64_t seconds, const Clock& clock) { return clock_of(seconds) == clock; }

class Reader {
 public:
  Reader(std::string_view text, std::int64_t now_s) : text_(text), now_s_(now_s) {}

  Result<TimePoint> read(TimeOfDay time_of_day) {
    skip_blanks();
    if (at_end()) return refused();
    while (!at_end()) {
      if (!read_piece()) return refused();
      skip_blanks();
    }
    const std::int64_t seconds =
        TRY(moment_ ? Result<std::int64_t>{*moment_} : combined(time_of_day));
    if (seconds < seconds_min || seconds > seconds_max) return refused();
    return TimePoint{seconds, !moment_ && clock_ && !shows(seconds, *clock_)};
  }

 private:
  Result<std::int64_t> combined(TimeOfDay time_of_day) const {
    const auto seconds = seconds_of(date_.value_or(date_of(now_s_)), clock_.value_or(Clock{}));
    if (!seconds) return refused();
    if (!date_ && time_of_day == TimeOfDay::next && *seconds <= now_s_) return next_day(*seconds);
    return *seconds;
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_blanks() {
    while (peek() == ' ') ++at_;
  }
  Error refused() const {
    return Error{ErrorCode::invalid_time, fmt::format("(pos={}): {}", at_, text_)};
  }

  // A later day at the same time of day, also over a change of the clock.
  std::int64_t next_day(std::int64_t seconds) const {
    return seconds_of(date_of(now_s_ + 86400), clock_of(seconds)).value_or(seconds + 86400);
  }

  std::string_view take_word() {
    const std::size_t start = at_;
    while (is_letter(peek())) ++at_;
    return text_.substr(start, at_ - start);
  }
  std::string_view take_digits() {
    const std::size_t start = at_;
    while (is_digit(peek()) && at_ - start < 18) ++at_;
    return text_.substr(start, at_ - start);
  }
  static int number(std::string_view digits) {
    int value = 0;
    for (char c : digits) value = value * 10 + (c - '0');
    return value;
  }
  // One or two digits in a range.
  bool take_small(int low, int high, int& value) {
    const std::string_view digits = take_digits();
    if (digits.empty() || digits.size() > 2) return false;
    value = number(digits);
    return value >= low && value <= high;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  bool read_piece() {
    const std::size_t start = at_;
    const bool read = is_digit(peek()) ? read_number() : read_word();
    if (!read) at_ = start;
    return read;
  }

  bool read_word() {
    const std::string_view word = take_word();
    if (equals_ignoring_case(word, "uts")) return read_epoch();
    if (equals_ignoring_case(word, "now")) return read_offset();
    if (equals_ignoring_case(word, "today")) return set_date(date_of(now_s_));
    if (equals_ignoring_case(word, "tomorrow")) return set_date(date_of(now_s_ + 86400));
    for (const NamedTime& named : named_times)
      if (equals_ignoring_case(word, named.name)) return set_clock(named.clock);
    return false;
  }

  bool read_epoch() {
    const std::string_view digits = take_digits();
    const auto seconds = parse_number(digits);
    return seconds && set_moment(static_cast<std::int64_t>(*seconds));
  }

  // Behind "now": nothing, or a sign, a count and a unit.
  bool read_offset() {
    if (!set_moment(now_s_)) return false;
    skip_blanks();
    if (peek() != '+' && peek() != '-') return true;
    const std::int64_t sign = take('-') ? -1 : 1;
    take('+');
    skip_blanks();
    const std::string_view digits = take_digits();
    if (digits.empty() || digits.size() > 9) return false;
    skip_blanks();
    const auto unit = unit_seconds(take_word());
    if (!unit) return false;
    *moment_ += sign * number(digits) * *unit;
    return true;
  }

  static std::optional<std::int64_t> unit_seconds(std::string_view word) {
    if (word.empty()) return 1;
    for (const NamedUnit& unit : named_units)
      if (equals_ignoring_case(word, unit.name) ||
          equals_ignoring_case(word, fmt::format("{}s", unit.name)))
        return unit.seconds;
    return std::nullopt;
  }

  // A moment is said whole: nothing stands beside it.
  bool set_moment(std::int64_t seconds) {
    if (moment_ || date_ || clock_) return false;
    moment_ = seconds;
    return true;
  }
  bool set_date(const Date& date) {
    if (date_ || moment_) return false;
    date_ = date;
    return true;
  }
  bool set_clock(const Clock& clock) {
    if (clock_ || moment_) return false;
    clock_ = clock;
    return true;
  }

  bool read_number() {
    const std::size_t start = at_;
    const std::string_view digits = take_digits();
    const char divider = peek();
    at_ = start;
    if (divider == ':') return read_clock();
    if (divider == '-') return read_iso_date();
    if (divider == '/' || divider == '.') return read_month_day(divider);
    return read_packed_date(digits);
  }

  bool read_clock() {
    Clock clock;
    if (!take_small(0, 23, clock.hour) || !take(':') || !take_small(0, 59, clock.minute))
      return false;
    if (take(':') && !take_small(0, 59, clock.second)) return false;
    skip_blanks();
    return read_half_of_day(clock) && set_clock(clock);
  }

  bool read_half_of_day(Clock& clock) {
    const std::size_t start = at_;
    const std::string_view word = take_word();
    const bool am = equals_ignoring_case(word, "am");
    const bool pm = equals_ignoring_case(word, "pm");
    if (!am && !pm) {
      at_ = start;
      return true;
    }
    if (clock.hour < 1 || clock.hour > 12) return false;
    clock.hour = clock.hour % 12 + (pm ? 12 : 0);
    return true;
  }

  bool read_iso_date() {
    const std::string_view year = take_digits();
    Date date{number(year.substr(0, 4)), 0, 0};
    if (year.size() != 4 || !take('-') || !take_small(1, 12, date.month) || !take('-') ||
        !take_small(1, 31, date.day))
      return false;
    if (!set_date(date)) return false;
    return !take('T') || read_clock();
  }

  bool read_month_day(char divider) {
    Date date = date_of(now_s_);
    if (!take_small(1, 12, date.month) || !take(divider) || !take_small(1, 31, date.day))
      return false;
    if (take(divider)) {
      int year = 0;
      if (!take_small(0, 99, year)) return false;
      date.year = 2000 + year;
    }
    return set_date(date);
  }

  bool read_packed_date(std::string_view digits) {
    if (digits.size() != 4 && digits.size() != 6) return false;
    Date date{date_of(now_s_).year, number(digits.substr(0, 2)), number(digits.substr(2, 2))};
    if (digits.size() == 6) date.year = 2000 + number(digits.substr(4, 2));
    if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31) return false;
    at_ += digits.size();
    return set_date(date);
  }

  std::string_view text_;
  std::int64_t now_s_;
  std::size_t at_ = 0;
  std::optional<std::int64_t> moment_;  // said whole: now, uts
  std::optional<Date> date_;
  std::optional<Clock> clock_;
};

}  // namespace

Result<TimePoint> read_time_point(std::string_view text, std::int64_t now_s,
                                  TimeOfDay time_of_day) {
  return Reader(text, now_s).read(time_of_day);
}

Result<std::int64_t> parse_time_point(std::string_view text, std::int64_t now_s,
                                      TimeOfDay time_of_day) {
  return TRY(read_time_point(text, now_s, time_of_day)).seconds;
}

std::string local_text(std::int64_t seconds) {
  const Date date = date_of(seconds);
  const Clock clock = clock_of(seconds);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", date.year, date.month, date.day,
                     clock.hour, clock.minute, clock.second);
}

std::int64_t start_of_day(std::int64_t now_s) {
  return seconds_of(date_of(now_s), Clock{}).value_or(now_s);
}

}  // namespace sluice
