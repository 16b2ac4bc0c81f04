// index_set.h: a set of array indices kept as sorted, disjoint ranges, so that an array of a million
// tasks is a few words. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"

namespace sluice {

// The largest index that an array may name.
constexpr std::uint32_t array_index_max = (1U << 31) - 1;

struct IndexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // inclusive
  std::uint32_t step = 1;  // > 0; last - first is a multiple of it

  bool operator==(const IndexRange&) const = default;

  bool is_valid() const { return step > 0 && first <= last && (last - first) % step == 0; }
};
BOOST_DESCRIBE_STRUCT(IndexRange, (), (first, last, step))

struct IndexSet {
  std::vector<IndexRange> ranges;  // ascending by first; ranges of step > 1 may interleave

  bool operator==(const IndexSet&) const = default;

  // Of its ranges' order; that each is valid is their own word.
  bool is_valid() const;
  bool empty() const { return ranges.empty(); }
  std::uint64_t size() const;
  bool contains(std::uint32_t index) const;
  // The smallest index; empty set: nullopt.
  std::optional<std::uint32_t> front() const;
  std::optional<std::uint32_t> back() const;
  void insert(std::uint32_t index);
  void insert(const IndexSet& others);
  // False when it was not there.
  bool erase(std::uint32_t index);
  // The indices that `other` has too, and whether there is one. Time goes with this set's size,
  // never with the numbers in the other, which a user may have written.
  IndexSet common_with(const IndexSet& other) const;
  bool shares_with(const IndexSet& other) const;
};
BOOST_DESCRIBE_STRUCT(IndexSet, (), (ranges))

// "1,3,5-7": ranges are compressed only where they rise by one, as Slurm shows them.
std::string to_text(const IndexSet& set);

}  // namespace sluice
