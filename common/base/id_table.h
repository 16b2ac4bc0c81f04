// id_table.h: a persistent table from small integers to immutable values. Copying the table is O(1);
// a change after a copy clones only the path to the changed slot. So a snapshot for readers costs
// what changed since the last one. One thread changes a table; copies may be read and dropped by others.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/base/assert.h"

namespace sluice {

template <class T>
class IdTable {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // nullptr when there is none. Good while this table is neither changed nor dropped.
  const T* find(std::uint32_t id) const {
    const std::shared_ptr<const T>* place = find_slot(id);
    return place ? place->get() : nullptr;
  }
  std::shared_ptr<const T> share(std::uint32_t id) const {
    const std::shared_ptr<const T>* place = find_slot(id);
    return place ? *place : nullptr;
  }

  void put(std::uint32_t id, T value) {
    std::shared_ptr<const T>& place = own_slot(id);
    if (!place) ++size_;
    place = std::make_shared<T>(std::move(value));
  }

  // The value for changing: in place while nobody else holds it, else a clone. It must exist.
  T& edit(std::uint32_t id) {
    std::shared_ptr<const T>& place = own_slot(id);
    ASSERT(place != nullptr);
    if (!is_mine(place)) place = std::make_shared<T>(*place);
    return const_cast<T&>(*place);  // every value was made by make_shared<T>, not const
  }

  void erase(std::uint32_t id) {
    if (!find(id)) return;
    own_slot(id).reset();
    --size_;
  }

  // visit(id, value) in ascending order of id, from `first` on, until it returns false.
  template <class Visit>
  void for_each(Visit&& visit, std::uint32_t first = 0) const {
    using Plain = std::remove_reference_t<Visit>;
    const Visitor visitor{const_cast<void*>(static_cast<const void*>(std::addressof(visit))),
                          [](void* self, std::uint32_t id, const T& value) -> bool {
                            return (*static_cast<Plain*>(self))(id, value);
                          }};
    if (root_) walk_inner<depth>(*root_, 0, first, visitor);
  }

 private:
  static constexpr int bits = 6;
  static constexpr int depth = 5;  // inner levels above the leaves: 36 bits in all
  static constexpr std::uint32_t fan = 1U << bits;

  struct Leaf {
    std::array<std::shared_ptr<const T>, fan> values;
  };
  template <int Level>
  struct InnerOf;
  template <int Level>
  using Child = std::conditional_t<Level == 1, Leaf, InnerOf<Level - 1>>;
  template <int Level>
  struct InnerOf {
    std::array<std::shared_ptr<Child<Level>>, fan> children;
  };

  template <int Level>
  static constexpr std::uint32_t slot(std::uint32_t id) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(id) >> (bits * Level)) & (fan - 1);
  }

  // The count alone is not enough: the acquire fence orders our writes after the last reads of the
  // thread that dropped its copy.
  template <class P>
  static bool is_mine(const std::shared_ptr<P>& pointer) {
#ifdef __SANITIZE_THREAD__
    return static_cast<void>(pointer), false;  // it knows no fences: there every edit makes a copy
#else
    if (pointer.use_count() != 1) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
#endif
  }

  template <int Level>
  static const std::shared_ptr<const T>* find_in(const InnerOf<Level>& node, std::uint32_t id) {
    const auto& child = node.children[slot<Level>(id)];
    if (!child) return nullptr;
    if constexpr (Level == 1) return &child->values[slot<0>(id)];
    else return find_in<Level - 1>(*child, id);
  }
  const std::shared_ptr<const T>* find_slot(std::uint32_t id) const {
    return root_ ? find_in<depth>(*root_, id) : nullptr;
  }

  template <class Node>
  static Node& own(std::shared_ptr<Node>& pointer) {
    if (!pointer) pointer = std::make_shared<Node>();
    else if (!is_mine(pointer)) pointer = std::make_shared<Node>(*pointer);
    return *pointer;
  }
  template <int Level>
  static std::shared_ptr<const T>& own_in(InnerOf<Level>& node, std::uint32_t id) {
    auto& child = own(node.children[slot<Level>(id)]);
    if constexpr (Level == 1) return child.values[slot<0>(id)];
    else return own_in<Level - 1>(child, id);
  }
  std::shared_ptr<const T>& own_slot(std::uint32_t id) { return own_in<depth>(own(root_), id); }

  // A visit without its type: the walk is compiled once a table, not once a caller.
  struct Visitor {
    void* self;
    bool (*call)(void* self, std::uint32_t id, const T& value);
  };
  template <int Level>
  static bool walk_inner(const InnerOf<Level>& node, std::uint64_t base, std::uint32_t first,
                         const Visitor& visit) {
    for (std::uint32_t i = 0; i < fan; ++i) {
      const std::uint64_t start = base + (static_cast<std::uint64_t>(i) << (bits * Level));
      const std::uint64_t end = start + (std::uint64_t{1} << (bits * Level));
      if (!node.children[i] || end <= first) continue;
      if constexpr (Level == 1) {
        if (!walk_leaf(*node.children[i], start, first, visit)) return false;
      } else {
        if (!walk_inner<Level - 1>(*node.children[i], start, first, visit)) return false;
      }
    }
    return true;
  }
  static bool walk_leaf(const Leaf& leaf, std::uint64_t base, std::uint32_t first,
                        const Visitor& visit) {
    for (std::uint32_t i = 0; i < fan; ++i) {
      if (base + i < first || !leaf.values[i]) continue;
      if (!visit.call(visit.self, static_cast<std::uint32_t>(base + i), *leaf.values[i]))
        return false;
    }
    return true;
  }

  std::shared_ptr<InnerOf<depth>> root_;
  std::size_t size_ = 0;
};

}  // namespace sluice
