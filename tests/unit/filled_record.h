// filled_record.h: a record whose every member, at any depth, has another value than the default: what
// reads a member is then seen to read it, also one that is added later.
#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/list.hpp>
#include <string>

#include "common/base/describe.h"
#include "common/model/index_set.h"
#include "common/wire/codec.h"

namespace sluice::examples {

template <class T>
void fill_record(T& value, std::uint32_t& count) {
  if constexpr (std::is_same_v<T, bool>) {
    value = true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = "w" + std::to_string(++count);
  } else if constexpr (std::is_enum_v<T>) {
    value = boost::mp11::mp_back<boost::describe::describe_enumerators<T>>::value;
  } else if constexpr (std::is_same_v<T, IndexSet>) {
    value.insert(++count);
  } else if constexpr (codec::is_strong_id<T>::value) {
    fill_record(value.value, count);
  } else if constexpr (std::is_arithmetic_v<T>) {
    value = static_cast<T>(++count);
  } else if constexpr (codec::is_optional<T>::value) {
    fill_record(value.emplace(), count);
  } else if constexpr (codec::is_vector<T>::value) {
    fill_record(value.emplace_back(), count);
  } else if constexpr (codec::is_time_point<T>::value) {
    value = T{std::chrono::seconds{1'796'000'000 + ++count}};
  } else if constexpr (std::is_same_v<T, Duration>) {
    value = std::chrono::seconds{++count};
  } else {
    for_each_member<T>([&](std::string_view, auto member) { fill_record(value.*member, count); });
  }
}

template <class T>
T filled_record() {
  T value{};
  std::uint32_t count = 0;
  fill_record(value, count);
  return value;
}

}  // namespace sluice::examples
