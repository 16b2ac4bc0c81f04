// result.h: a value or an Error, for everything that is expected to go wrong. Bugs are ASSERTs.
// A function that returns an Error has changed nothing.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "common/base/assert.h"
#include "common/base/error.h"

namespace sluice {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Calling the accessor of the other alternative is a bug.
  T& value() & {
    ASSERT(ok());
    return *std::get_if<0>(&content_);
  }
  const T& value() const& {
    ASSERT(ok());
    return *std::get_if<0>(&content_);
  }
  T&& value() && {
    ASSERT(ok());
    return std::move(*std::get_if<0>(&content_));
  }
  const Error& error() const {
    ASSERT(!ok());
    return *std::get_if<1>(&content_);
  }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

 private:
  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  void value() const { ASSERT(ok()); }
  const Error& error() const {
    ASSERT(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace sluice

// TRY(expression): the value, or return its Error from the enclosing function.
#define TRY(expression)                                     \
  __extension__({                                           \
    auto try_result_ = (expression);                        \
    if (!try_result_.ok()) return try_result_.error();      \
    std::move(try_result_).value();                         \
  })
