// priority_values.cpp: see priority_values.h.
#include "common/options/priority_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "common/base/spelling.h"
#include "common/options/config_values.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr std::string_view plain_tres[] = {"cpu", "mem", "node", "billing"};

Error invalid(std::string text) { return Error{ErrorCode::config_invalid, std::move(text)}; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// The kinds are Slurm's words in any case; the name behind "gres/" and "license/" is the site's.
Result<std::string> tres_name(std::string_view text) {
  const std::string word = lower(text);
  if (std::find(std::begin(plain_tres), std::end(plain_tres), word) != std::end(plain_tres))
    return word;
  for (const std::string_view kind : {"gres/", "license/"})
    if (word.starts_with(kind) && word.size() > kind.size())
      return std::string(kind) + std::string(text.substr(kind.size()));
  return invalid(
      fmt::format("'{}' is no resource: cpu, mem, node, billing, gres/NAME, license/NAME "
                  "are",
                  text) +
      did_you_mean(text, plain_tres));
}

// "NAME=VALUE,..."
template <class ParseValue>
Result<TresCounts> parse_weights(std::string_view text, ParseValue&& parse_value) {
  TresCounts weights;
  for (const std::string& part : split_list(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      return invalid(fmt::format("expected NAME=WEIGHT, not '{}'", part));
    const std::string name = TRY(tres_name(std::string_view(part).substr(0, equals)));
    const std::uint64_t weight = TRY(parse_value(name, part.substr(equals + 1)));
    const auto same = [&](const TresCount& row) { return row.tres == name; };
    if (std::any_of(weights.begin(), weights.end(), same))
      return invalid(fmt::format("'{}' has two weights", name));
    weights.push_back({name, weight});
  }
  if (weights.empty()) return invalid(fmt::format("expected NAME=WEIGHT,..., not '{}'", text));
  std::sort(weights.begin(), weights.end(),
            [](const TresCount& a, const TresCount& b) { return a.tres < b.tres; });
  return weights;
}

// Of memory, what one such unit is in GB.
struct Unit {
  char letter;
  double gb;
};
constexpr Unit units[] = {
    {'K', 1.0 / (1024 * 1024)}, {'M', 1.0 / 1024}, {'G', 1}, {'T', 1024}, {'P', 1024 * 1024}};

// Digits with at most one point; none for anything else.
std::optional<double> parse_decimal(std::string_view text) {
  if (text.empty() || text.size() > 15 || text == ".") return std::nullopt;
  double value = 0;
  double place = 0;
  for (const char c : text) {
    if (c == '.' && place == 0) place = 1;
    else if (c < '0' || c > '9') return std::nullopt;
    else if (place == 0) value = value * 10 + (c - '0');
    else value += (c - '0') * (place /= 10);
  }
  return value;
}

Result<std::uint64_t> billing_ppm(const std::string& tres, const std::string& text) {
  std::string_view number = text;
  double gb = tres == "mem" ? 1.0 / 1024 : 1;
  for (const Unit& unit : units)
    if (tres == "mem" && !number.empty() && (number.back() & ~0x20) == unit.letter) {
      gb = unit.gb;
      number.remove_suffix(1);
      break;
    }
  const std::optional<double> weight = parse_decimal(number);
  constexpr double weight_max = 1e9;
  if (!weight || *weight / gb > weight_max)
    return invalid(fmt::format("expected a weight such as 1.0{}, not '{}'",
                               tres == "mem" ? " or 0.25G" : "", text));
  return static_cast<std::uint64_t>(std::llround(*weight / gb * 1e6));
}

struct FlagRow {
  std::string_view name;
  std::optional<PriorityFlag> flag;  // none: not honoured
  std::string_view why_not;
};
constexpr FlagRow flag_rows[] = {
    {"ACCRUE_ALWAYS", PriorityFlag::ACCRUE_ALWAYS, ""},
    {"CALCULATE_RUNNING", PriorityFlag::CALCULATE_RUNNING, ""},
    {"MAX_TRES", PriorityFlag::MAX_TRES, ""},
    {"NO_NORMAL_ALL", PriorityFlag::NO_NORMAL_ALL, ""},
    {"NO_NORMAL_ASSOC", PriorityFlag::NO_NORMAL_ASSOC, ""},
    {"NO_NORMAL_PART", PriorityFlag::NO_NORMAL_PART, ""},
    {"NO_NORMAL_QOS", PriorityFlag::NO_NORMAL_QOS, ""},
    {"NO_NORMAL_TRES", PriorityFlag::NO_NORMAL_TRES, ""},
    {"SMALL_RELATIVE_TO_TIME", PriorityFlag::SMALL_RELATIVE_TO_TIME, ""},
    {"DEPTH_OBLIVIOUS", std::nullopt, "shares are always those of the Fair Tree"},
    {"NO_FAIR_TREE", std::nullopt, "shares are always those of the Fair Tree"},
    {"INCR_ONLY", std::nullopt, "a priority follows from the present usage, which may rise"},
};

// Of the older spelling, which says what is always so.
constexpr std::string_view no_flag = "FAIR_TREE";

Result<std::optional<PriorityFlag>> parse_flag(std::string_view word) {
  if (equals_ignoring_case(word, no_flag)) return std::optional<PriorityFlag>{};
  for (const FlagRow& row : flag_rows) {
    if (!equals_ignoring_case(word, row.name)) continue;
    if (row.flag) return row.flag;
    return invalid(fmt::format("{} is not honoured: {}", row.name, row.why_not));
  }
  std::array<std::string_view, std::size(flag_rows)> names;
  std::transform(std::begin(flag_rows), std::end(flag_rows), names.begin(),
                 [](const FlagRow& row) { return row.name; });
  return invalid(fmt::format("no flag '{}'{}", word, did_you_mean(word, names)));
}

std::string decimal_text(double value) { return fmt::format("{}", value); }

}  // namespace

Result<TresCounts> parse_tres_weights(std::string_view text) {
  return parse_weights(text, [](const std::string&, const std::string& value) {
    return parse_config_number(value, {0, UINT32_MAX});
  });
}

Result<TresCounts> parse_billing_weights(std::string_view text) {
  return parse_weights(text, billing_ppm);
}

std::string tres_weights_text(const TresCounts& weights) {
  std::string text;
  for (const TresCount& row : weights)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", row.tres, row.count);
  return text.empty() ? "(null)" : text;
}

std::string billing_weights_text(const TresCounts& weights_ppm) {
  std::string text;
  for (const TresCount& row : weights_ppm)
    text += fmt::format("{}{}={}{}", text.empty() ? "" : ",", row.tres,
                        decimal_text(static_cast<double>(row.count) / 1e6),
                        row.tres == "mem" ? "G" : "");
  return text.empty() ? "(null)" : text;
}

Result<std::vector<PriorityFlag>> parse_priority_flags(std::string_view text) {
  std::vector<PriorityFlag> flags;
  for (const std::string& word : split_list(text, ','))
    if (const std::optional<PriorityFlag> flag = TRY(parse_flag(word));
        flag && std::find(flags.begin(), flags.end(), *flag) == flags.end())
      flags.push_back(*flag);
  return flags;
}

Result<UsageReset> parse_usage_reset(std::string_view text) {
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  UsageReset reset{};
  if (enum_from_name(word, reset)) return reset;
  return invalid(fmt::format(
      "expected NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY, not '{}'", text));
}

Result<std::uint32_t> parse_period_min(std::string_view text, std::uint32_t min) {
  const Result<TimeLimit> limit = parse_config_time(text);
  constexpr std::uint32_t minutes_max = 100 * 366 * 24 * 60;
  const bool is_whole = limit.ok() && !limit->unlimited && limit->seconds == 0;
  if (!is_whole || limit->minutes < min || limit->minutes > minutes_max)
    return invalid(fmt::format(
        "expected whole minutes, {} at least, as 5, 7-0 or 1:30:00, not '{}'", min, text));
  return static_cast<std::uint32_t>(limit->minutes);
}

}  // namespace sluice
