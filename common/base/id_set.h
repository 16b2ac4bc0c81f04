// id_set.h: a persistent set of small integers, 64 of them a word: a copy is O(1), like that of
// IdTable.
#pragma once

#include <cstdint>

#include "common/base/id_table.h"

namespace sluice {

class IdSet {
 public:
  bool empty() const { return words_.empty(); }
  bool contains(std::uint32_t id) const {
    const std::uint64_t* word = words_.find(id / 64);
    return word && (*word & bit(id)) != 0;
  }
  void insert(std::uint32_t id) {
    if (!words_.find(id / 64)) words_.put(id / 64, 0);
    words_.edit(id / 64) |= bit(id);
  }
  void erase(std::uint32_t id) {
    if (!contains(id)) return;
    std::uint64_t& word = words_.edit(id / 64);
    word &= ~bit(id);
    if (word == 0) words_.erase(id / 64);
  }

  // visit(id) in ascending order, from `first` on, until it returns false.
  template <class Visit>
  void for_each(Visit&& visit, std::uint32_t first = 0) const {
    words_.for_each(
        [&](std::uint32_t index, std::uint64_t word) {
          for (std::uint32_t i = 0; i < 64; ++i) {
            const std::uint32_t id = index * 64 + i;
            if ((word >> i & 1) != 0 && id >= first && !visit(id)) return false;
          }
          return true;
        },
        first / 64);
  }

 private:
  static constexpr std::uint64_t bit(std::uint32_t id) { return std::uint64_t{1} << (id % 64); }

  IdTable<std::uint64_t> words_;
};

}  // namespace sluice
