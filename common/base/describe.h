// describe.h: walks the members of a described struct (Boost.Describe). The codec, the option table
// and the tests that demand a row for each member all go through here.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <string_view>
#include <type_traits>

namespace sluice {

template <class T>
inline constexpr bool is_described = boost::describe::has_describe_members<T>::value;

template <class T>
using described_members = boost::describe::describe_members<T, boost::describe::mod_public>;

// Calls visit(name, member pointer) for each member, in order of declaration.
template <class T, class Visit>
constexpr void for_each_member(Visit&& visit) {
  boost::mp11::mp_for_each<described_members<T>>(
      [&](auto descriptor) { visit(std::string_view{descriptor.name}, descriptor.pointer); });
}

template <class T>
inline constexpr bool is_described_enum = boost::describe::has_describe_enumerators<T>::value;

// The enumerator's name, or `fallback` for a number no enumerator has.
template <class E>
constexpr const char* enum_name(E value, const char* fallback = "unknown") {
  return boost::describe::enum_to_string(value, fallback);
}

template <class E>
bool enum_from_name(std::string_view name, E& out) {
  bool found = false;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto descriptor) {
    if (!found && name == descriptor.name) {
      out = descriptor.value;
      found = true;
    }
  });
  return found;
}

}  // namespace sluice
