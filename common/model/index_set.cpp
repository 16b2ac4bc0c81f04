// index_set.cpp: set operations on ranges.
#include "common/model/index_set.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice {
namespace {

bool range_contains(const IndexRange& range, std::uint32_t index) {
  return index >= range.first && index <= range.last && (index - range.first) % range.step == 0;
}

// Joins neighbours that continue one another with the same step, so that sets stay small.
void merge_at(std::vector<IndexRange>& ranges, std::size_t at) {
  if (at + 1 >= ranges.size()) return;
  IndexRange& left = ranges[at];
  const IndexRange& right = ranges[at + 1];
  const bool steps_agree = (left.step == right.step || right.first == right.last);
  if (steps_agree && left.first != left.last && left.last + left.step == right.first) {
    left.last = right.last;
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  } else if (left.first == left.last && left.last + right.step == right.first) {
    left = IndexRange{left.first, right.last, right.step};
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

// Visits index after index; true as soon as a visit says so.
template <class Visit>
bool visit_until(const std::vector<IndexRange>& ranges, Visit&& visit) {
  for (const IndexRange& range : ranges)
    for (std::uint64_t index = range.first; index <= range.last; index += range.step)
      if (visit(static_cast<std::uint32_t>(index))) return true;
  return false;
}

}  // namespace

bool IndexSet::is_valid() const {
  return std::adjacent_find(ranges.begin(), ranges.end(),
                            [](const IndexRange& left, const IndexRange& right) {
                              return left.first >= right.first;
                            }) == ranges.end();
}

std::uint64_t IndexSet::size() const {
  std::uint64_t total = 0;
  for (const IndexRange& range : ranges) total += (range.last - range.first) / range.step + 1;
  return total;
}

bool IndexSet::contains(std::uint32_t index) const {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const IndexRange& range) { return range_contains(range, index); });
}

std::optional<std::uint32_t> IndexSet::front() const {
  if (ranges.empty()) return std::nullopt;
  return ranges.front().first;
}

std::optional<std::uint32_t> IndexSet::back() const {
  std::optional<std::uint32_t> last;
  for (const IndexRange& range : ranges) last = std::max(last.value_or(0), range.last);
  return last;
}

void IndexSet::insert(std::uint32_t index) {
  if (contains(index)) return;
  auto at = std::upper_bound(ranges.begin(), ranges.end(), index,
                             [](std::uint32_t i, const IndexRange& r) { return i < r.first; });
  const std::size_t position = static_cast<std::size_t>(at - ranges.begin());
  ranges.insert(at, IndexRange{index, index, 1});
  merge_at(ranges, position);
  if (position > 0) merge_at(ranges, position - 1);
}

void IndexSet::insert(const IndexSet& others) {
  visit_until(others.ranges, [&](std::uint32_t index) {
    insert(index);
    return false;
  });
}

bool IndexSet::erase(std::uint32_t index) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const IndexRange range = ranges[i];
    if (!range_contains(range, index)) continue;
    auto at = ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(i));
    if (index < range.last)
      at = ranges.insert(at, IndexRange{index + range.step, range.last, range.step});
    if (index > range.first) ranges.insert(at, IndexRange{range.first, index - range.step, range.step});
    // With interleaved ranges the remainder may start behind its right neighbour.
    std::sort(ranges.begin(), ranges.end(),
              [](const IndexRange& a, const IndexRange& b) { return a.first < b.first; });
    return true;
  }
  return false;
}

IndexSet IndexSet::common_with(const IndexSet& other) const {
  IndexSet common;
  visit_until(ranges, [&](std::uint32_t index) {
    if (other.contains(index)) common.insert(index);
    return false;
  });
  return common;
}

bool IndexSet::shares_with(const IndexSet& other) const {
  return visit_until(ranges, [&](std::uint32_t index) { return other.contains(index); });
}

std::string to_text(const IndexSet& set) {
  std::vector<IndexRange> runs;  // of step 1, or single indices
  if (std::all_of(set.ranges.begin(), set.ranges.end(), [](const IndexRange& range) {
        return range.step == 1 || range.first == range.last;
      })) {
    runs = set.ranges;
  } else {
    std::vector<std::uint32_t> all;
    for (const IndexRange& range : set.ranges)
      for (std::uint64_t i = range.first; i <= range.last; i += range.step)
        all.push_back(static_cast<std::uint32_t>(i));
    std::sort(all.begin(), all.end());
    for (std::uint32_t index : all) {
      if (!runs.empty() && runs.back().last + 1 == index)
        runs.back().last = index;
      else
        runs.push_back(IndexRange{index, index, 1});
    }
  }
  std::string text;
  for (const IndexRange& range : runs) {
    if (!text.empty()) text += ',';
    text += range.first == range.last ? fmt::format("{}", range.first)
                                      : fmt::format("{}-{}", range.first, range.last);
  }
  return text;
}

}  // namespace sluice
