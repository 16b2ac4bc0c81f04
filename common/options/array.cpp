// array.cpp: the grammar of --array and of parts of arrays.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

// Only ranges with steps that overlap others are ever written out one by one.
constexpr std::uint64_t written_out_max = 4'000'000;

Error refuse(std::string_view text, std::string_view why) {
  return Error{ErrorCode::invalid_array, fmt::format("\"{}\": {}", text, why)};
}

bool is_in_range(const std::optional<std::uint64_t>& number) {
  return number && *number <= array_index_max;
}

// "i", "i-j", "i-j:step".
Result<IndexRange> parse_range(std::string_view element, std::string_view whole) {
  const std::size_t colon = element.find(':');
  const std::string_view span = element.substr(0, colon);
  const std::size_t dash = span.find('-');
  const auto first = parse_number(span.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(span.substr(dash + 1));
  const auto step = colon == std::string_view::npos ? std::optional<std::uint64_t>{1}
                                                    : parse_number(element.substr(colon + 1));
  if (element.empty()) return refuse(whole, "an element is empty");
  if (!first || !last || !step)
    return refuse(whole, fmt::format("\"{}\" is none of i, i-j, i-j:step", element));
  if (!is_in_range(first) || !is_in_range(last) || !is_in_range(step))
    return refuse(whole,
                  fmt::format("\"{}\" exceeds the largest index, {}", element, array_index_max));
  if (*first > *last) return refuse(whole, fmt::format("\"{}\" descends", element));
  if (*step == 0) return refuse(whole, fmt::format("the step of \"{}\" is 0", element));
  const std::uint64_t reached = *first + (*last - *first) / *step * *step;
  return IndexRange{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(reached),
                    reached == *first ? 1 : static_cast<std::uint32_t>(*step)};
}

// Joins index after index, or range after range of step 1, into runs.
void append_run(std::vector<IndexRange>& runs, const IndexRange& next) {
  if (!runs.empty() && runs.back().step == 1 &&
      next.first <= static_cast<std::uint64_t>(runs.back().last) + 1)
    runs.back().last = std::max(runs.back().last, next.last);
  else
    runs.push_back(next);
}

// Ranges that overlap one another, as runs of step 1.
void append_written_out(std::vector<IndexRange>& runs, const std::vector<IndexRange>& group) {
  std::vector<std::uint32_t> indices;
  for (const IndexRange& range : group)
    for (std::uint64_t index = range.first; index <= range.last; index += range.step)
      indices.push_back(static_cast<std::uint32_t>(index));
  std::sort(indices.begin(), indices.end());
  for (std::uint32_t index : indices) append_run(runs, IndexRange{index, index, 1});
}

bool all_of_step_one(const std::vector<IndexRange>& group) {
  return std::all_of(group.begin(), group.end(), [](const IndexRange& r) { return r.step == 1; });
}

std::uint64_t size_of(const std::vector<IndexRange>& group) {
  return IndexSet{group}.size();
}

// `group` is sorted by first index, and its ranges overlap; `runs` all lie before it.
bool append_group(std::vector<IndexRange>& runs, const std::vector<IndexRange>& group) {
  if (group.size() == 1 && group.front().step != 1) {
    runs.push_back(group.front());
  } else if (all_of_step_one(group)) {
    for (const IndexRange& range : group) append_run(runs, range);
  } else {
    if (size_of(group) > written_out_max) return false;
    append_written_out(runs, group);
  }
  return true;
}

Result<IndexSet> united(std::vector<IndexRange> ranges, std::string_view whole) {
  std::sort(ranges.begin(), ranges.end(), [](const IndexRange& left, const IndexRange& right) {
    return left.first < right.first;
  });
  IndexSet set;
  std::vector<IndexRange> group;
  std::uint32_t group_last = 0;
  for (const IndexRange& range : ranges) {
    if (!group.empty() && range.first > group_last) {
      if (!append_group(set.ranges, group)) return refuse(whole, "too many overlapping steps");
      group.clear();
    }
    group_last = group.empty() ? range.last : std::max(group_last, range.last);
    group.push_back(range);
  }
  if (!group.empty() && !append_group(set.ranges, group))
    return refuse(whole, "too many overlapping steps");
  return set;
}

// Removes "%N" from the end of an element; the limit must be the same wherever it is said.
Result<std::string_view> take_limit(std::string_view element, std::optional<std::uint32_t>& limit,
                                    std::string_view whole) {
  const std::size_t percent = element.find('%');
  if (percent == std::string_view::npos) return element;
  const std::string_view digits = element.substr(percent + 1);
  const auto value = parse_number(digits);
  if (!is_in_range(value))
    return refuse(whole, fmt::format("the limit \"%{}\" is not a number", digits));
  if (limit && *limit != *value) return refuse(whole, "two different limits");
  limit = static_cast<std::uint32_t>(*value);
  return element.substr(0, percent);
}

// "[1-3]", "[1-3]%2" and "[1-3%2]" are "1-3" and "1-3%2". What has brackets elsewhere stays as it
// is, and is then refused for them.
std::string without_brackets(std::string_view text) {
  const std::size_t close = text.find(']');
  if (!text.starts_with('[') || close == std::string_view::npos) return std::string(text);
  const std::string_view rest = text.substr(close + 1);
  const bool is_limit = rest.starts_with('%') && rest.find(',') == std::string_view::npos;
  if (!rest.empty() && !is_limit) return std::string(text);
  return fmt::format("{}{}", text.substr(1, close - 1), rest);
}

}  // namespace

Result<ArrayRequest> parse_array(std::string_view text) {
  if (text.empty()) return refuse(text, "the list is empty");
  const std::string inner = without_brackets(text);
  std::vector<IndexRange> ranges;
  std::optional<std::uint32_t> limit;
  for (std::string_view element : split(inner, ',')) {
    const std::string_view range = TRY(take_limit(element, limit, text));
    ranges.push_back(TRY(parse_range(range, text)));
  }
  return ArrayRequest{TRY(united(std::move(ranges), text)), limit.value_or(0)};
}

Result<IndexSet> parse_index_set(std::string_view text) {
  ArrayRequest array = TRY(parse_array(text));
  if (text.find('%') != std::string_view::npos) return refuse(text, "a limit has no meaning here");
  return std::move(array.tasks);
}

}  // namespace sluice
