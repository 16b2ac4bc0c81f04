// filled.h: any value of a described struct, made from the bytes of an input. Every member of every
// message is reached without a line for it here; only types with rules of their own have one.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "common/base/error.h"
#include "common/model/index_set.h"
#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"

namespace sluice::fuzz {

constexpr std::uint64_t list_length_max = 3;

template <class T>
void fill(Bytes& bytes, T& value);

// Ranges that ascend and do not overlap.
inline void fill_tasks(Bytes& bytes, IndexSet& set) {
  set.ranges.clear();
  std::uint32_t next = 0;
  for (std::uint64_t ranges = bytes.below(list_length_max + 1); ranges > 0; --ranges) {
    IndexRange range;
    range.first = next + bytes.byte();
    range.step = 1 + bytes.byte() % 9;
    range.last = range.first + range.step * (bytes.byte() % 20);
    if (range.first == range.last) range.step = 1;
    next = range.last + 1;
    set.ranges.push_back(range);
  }
}

template <class E>
void fill_enum(Bytes& bytes, E& value) {
  using Rows = boost::describe::describe_enumerators<E>;
  const std::uint64_t wanted = bytes.below(boost::mp11::mp_size<Rows>::value);
  std::uint64_t at = 0;
  boost::mp11::mp_for_each<Rows>([&](auto row) {
    if (at++ == wanted) value = row.value;
  });
}

template <class T>
void fill_list(Bytes& bytes, std::vector<T>& list) {
  list.clear();
  for (std::uint64_t length = bytes.below(list_length_max + 1); length > 0; --length)
    fill(bytes, list.emplace_back());
}

template <class T>
void fill(Bytes& bytes, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = bytes.coin();
  } else if constexpr (std::is_same_v<T, IndexSet>) {
    fill_tasks(bytes, value);
  } else if constexpr (std::is_same_v<T, ErrorCode>) {
    value = static_cast<ErrorCode>(static_cast<std::uint16_t>(bytes.number()));
  } else if constexpr (std::is_enum_v<T>) {
    fill_enum(bytes, value);
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(bytes.number());
  } else if constexpr (std::is_floating_point_v<T>) {
    value = static_cast<T>(static_cast<std::int64_t>(bytes.number())) / 1024;  // never NaN: is equal
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = bytes.text(40);
  } else if constexpr (codec::is_strong_id<T>::value) {
    fill(bytes, value.value);
  } else if constexpr (std::is_same_v<T, Duration>) {
    value = Duration{static_cast<std::int64_t>(bytes.number())};
  } else if constexpr (codec::is_time_point<T>::value) {
    value = T{Duration{static_cast<std::int64_t>(bytes.number())}};
  } else if constexpr (codec::is_vector<T>::value) {
    fill_list(bytes, value);
  } else if constexpr (codec::is_optional<T>::value) {
    value.reset();
    if (bytes.coin()) fill(bytes, value.emplace());
  } else {
    for_each_member<T>([&](std::string_view, auto member) { fill(bytes, value.*member); });
  }
}

}  // namespace sluice::fuzz
