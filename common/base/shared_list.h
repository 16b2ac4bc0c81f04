// shared_list.h: a list that never changes, shared by all that copy it: copying costs a counter.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace sluice {

template <class T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<T> items)  // NOLINT(google-explicit-constructor): a list is one
      : items_(items.empty() ? nullptr : std::make_shared<const std::vector<T>>(std::move(items))) {}
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  std::size_t size() const { return items_ ? items_->size() : 0; }
  bool empty() const { return size() == 0; }
  const T* begin() const { return items_ ? items_->data() : nullptr; }
  const T* end() const { return begin() + size(); }
  const T& operator[](std::size_t index) const { return begin()[index]; }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

 private:
  std::shared_ptr<const std::vector<T>> items_;  // null: empty
};

}  // namespace sluice
