// target_array.cpp: lists of array tasks against a reader of their own, and the set they become
// against a plain std::set.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "common/options/grammar.h"
#include "common/options/text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

using Tasks = std::set<std::uint32_t>;

// Takes digits from the front.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, digits));
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// i, i-j, i-j:step, i:step; and the limit behind it.
bool read_element(std::string_view& text, Tasks& tasks, std::optional<std::uint64_t>& limit) {
  const auto first = take_number(text);
  auto last = first;
  std::optional<std::uint64_t> step = 1;
  if (take(text, '-')) last = take_number(text);
  if (take(text, ':')) step = take_number(text);
  if (!first || !last || !step || *step == 0 || *last < *first) return false;
  for (std::uint64_t i = *first; i <= *last; i += *step)
    tasks.insert(static_cast<std::uint32_t>(i));
  if (!take(text, '%')) return true;
  const auto said = take_number(text);
  if (!said || (limit && *limit != *said)) return false;
  limit = said;
  return true;
}

struct Expected {
  Tasks tasks;
  std::uint64_t limit = 0;
};

// The list, or the list in brackets with a limit in or behind them.
std::optional<Expected> read_list(std::string_view text) {
  Expected expected;
  std::optional<std::uint64_t> limit;
  const bool in_brackets = take(text, '[');
  do {
    if (!read_element(text, expected.tasks, limit)) return std::nullopt;
  } while (take(text, ','));
  if (in_brackets && !take(text, ']')) return std::nullopt;
  if (in_brackets && take(text, '%')) {
    if (limit) return std::nullopt;
    limit = take_number(text);
    if (!limit) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  expected.limit = limit.value_or(0);
  return expected;
}

Tasks written_out(const IndexSet& set) {
  Tasks all;
  for (const IndexRange& range : set.ranges)
    for (std::uint64_t i = range.first; i <= range.last; i += range.step)
      require(all.insert(static_cast<std::uint32_t>(i)).second, "no task stands twice in a set");
  return all;
}

void check_set(const IndexSet& set, const Tasks& tasks) {
  require(written_out(set) == tasks, "a set holds the tasks that were written", to_text(set));
  require(set.size() == tasks.size(), "a set knows its size");
  require(set.front() == *tasks.begin() && set.back() == *tasks.rbegin(),
          "its first and last task");
  require(
      std::is_sorted(set.ranges.begin(), set.ranges.end(),
                     [](const IndexRange& a, const IndexRange& b) { return a.first < b.first; }),
      "its ranges ascend");
  const auto again = parse_index_set(to_text(set));
  require(again.ok() && written_out(*again) == tasks, "a printed set means the same", to_text(set));
}

// Takes tasks out and puts others in, as cancelled and started tasks do.
void check_changes(IndexSet set, Tasks tasks) {
  const Tasks at_first = tasks;
  for (const std::uint32_t task : at_first) {
    if (task % 3 == 0)
      require(set.erase(task) && tasks.erase(task) == 1, "a task can be taken out");
    if (task % 5 == 0) set.insert(task + 1), tasks.insert(task + 1);
    require(set.contains(task) == (tasks.count(task) == 1), "what was taken out is not there");
    if (tasks.size() > 200) break;
  }
  if (!tasks.empty()) check_set(set, tasks);
  else require(set.empty(), "a set without tasks is empty");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  if (has_longer_number(text, 4)) {
    const auto array = parse_array(text);
    if (array.ok()) require(array->tasks.size() > 0, "a list that is read has tasks");
    else require_refusal(array.error(), {ErrorCode::invalid_array});
    return 0;
  }
  const auto array = in_proportion(text, 200'000, [&] { return parse_array(text); });
  const std::optional<Expected> expected = read_list(text);
  require(array.ok() == expected.has_value(), "exactly the lists of the contract are read");
  if (!array.ok()) {
    require_refusal(array.error(), {ErrorCode::invalid_array});
    return 0;
  }
  require(array->max_running == expected->limit, "the limit is the one that was written");
  check_set(array->tasks, expected->tasks);
  check_changes(array->tasks, expected->tasks);
  return 0;
}
