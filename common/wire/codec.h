// codec.h: described structs <-> bytes; THE encoding of wire, spool and store. Any bytes survive in
// strings. A struct is a list of fields (tag, length, payload); members that equal their default
// are left out, unknown tags are skipped, so older and newer peers understand each other. An optional
// number whose default is a value says by an empty payload that it has none. A tag is
// a 16-bit hash of the member's name: members may move, a renamed member is a new one. Decoding
// never trusts a length, and what lists take in memory is in proportion to the bytes that are
// there. A struct that has rules of its own says whether they hold by is_valid().
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/base/describe.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"

namespace sluice::codec {

constexpr std::uint16_t tag_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return static_cast<std::uint16_t>(hash ^ (hash >> 16));
}

template <class T>
consteval bool tags_are_unique() {
  std::vector<std::uint16_t> tags;
  for_each_member<T>([&](std::string_view name, auto) { tags.push_back(tag_of(name)); });
  for (std::size_t i = 0; i < tags.size(); ++i)
    for (std::size_t j = i + 1; j < tags.size(); ++j)
      if (tags[i] == tags[j]) return false;
  return true;
}

template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};
template <class T> struct is_vector : std::false_type {};
template <class T> struct is_vector<std::vector<T>> : std::true_type {};
template <class T> struct is_strong_id : std::false_type {};
template <class Tag, class V> struct is_strong_id<StrongId<Tag, V>> : std::true_type {};
template <class T> struct is_time_point : std::false_type {};
template <class C> struct is_time_point<std::chrono::time_point<C, Duration>> : std::true_type {};

void put_varint(std::string& out, std::uint64_t value);
// False when the bytes end early or the number is longer than ten bytes.
bool take_varint(std::string_view& in, std::uint64_t& value);
// Of a list. False when the bytes end within one.
bool count_elements(std::string_view in, std::size_t& count);
// Ends a payload that begins at `start`: inserts its length in front of it.
void close_length(std::string& out, std::size_t start);

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// An element of a list may have no bytes at all, and yet takes memory: what all lists of a value
// may take together is so much for each byte of the encoding. The rest is what a page of a listing
// needs, whose rows are asked for without most of their members.
constexpr std::size_t list_bytes_each = 16;
constexpr std::size_t list_bytes_free = 4U << 20;

class Allowance {
 public:
  explicit Allowance(std::size_t encoded_bytes)
      : left_(list_bytes_free + list_bytes_each * encoded_bytes) {}
  bool take(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::size_t left_;
};

template <class T> void put_payload(std::string& out, const T& value);
template <class T>
bool take_payload(std::string_view in, T& value, Allowance& allowance);

// Members not in `wanted` are left out as if they had their default; an empty span means all.
template <class T>
void put_struct(std::string& out, const T& value, std::span<const std::string> wanted = {}) {
  static_assert(tags_are_unique<T>(), "two member names have one tag: rename one");
  static const T defaults{};
  for_each_member<T>([&](std::string_view name, auto member) {
    const auto& field = value.*member;
    using Field = std::remove_cvref_t<decltype(field)>;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return;
    if constexpr (is_optional<Field>::value) {
      if (!field.has_value() && !(defaults.*member).has_value()) return;
    } else {
      if (field == defaults.*member) return;
    }
    const std::uint16_t tag = tag_of(name);
    out.push_back(static_cast<char>(tag & 0xff));
    out.push_back(static_cast<char>(tag >> 8));
    const std::size_t start = out.size();
    if constexpr (!is_optional<Field>::value) put_payload(out, field);
    else if (field.has_value()) put_payload(out, *field);
    close_length(out, start);
  });
}

template <class T>
bool take_struct(std::string_view in, T& value, Allowance& allowance) {
  while (!in.empty()) {
    if (in.size() < 2) return false;
    const auto tag = static_cast<std::uint16_t>(static_cast<unsigned char>(in[0]) |
                                                static_cast<unsigned char>(in[1]) << 8);
    in.remove_prefix(2);
    std::uint64_t size = 0;
    if (!take_varint(in, size) || size > in.size()) return false;
    const std::string_view payload = in.substr(0, size);
    in.remove_prefix(size);
    bool good = true;
    for_each_member<T>([&](std::string_view name, auto member) {
      if (tag_of(name) != tag) return;
      auto& field = value.*member;
      using Field = std::remove_cvref_t<decltype(field)>;
      if constexpr (is_optional<Field>::value) {
        if (payload.empty() && field.has_value()) field.reset();
        else good = take_payload(payload, field.emplace(), allowance);
      } else good = take_payload(payload, field, allowance);
    });
    if (!good) return false;
  }
  if constexpr (requires { value.is_valid(); }) return value.is_valid();
  return true;
}

template <class T>
void put_payload(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.push_back(value ? 1 : 0);
  } else if constexpr (std::is_enum_v<T> && is_described_enum<T>) {
    out += enum_name(value);
  } else if constexpr (std::is_enum_v<T>) {
    put_varint(out, static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    put_varint(out, zigzag(value));
  } else if constexpr (std::is_integral_v<T>) {
    put_varint(out, value);
  } else if constexpr (std::is_same_v<T, double>) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    out += value;
  } else if constexpr (is_strong_id<T>::value) {
    put_varint(out, value.value);
  } else if constexpr (is_time_point<T>::value) {
    put_varint(out, zigzag(value.time_since_epoch().count()));
  } else if constexpr (std::is_same_v<T, Duration>) {
    put_varint(out, zigzag(value.count()));
  } else if constexpr (is_vector<T>::value) {
    for (const auto& element : value) {
      const std::size_t start = out.size();
      put_payload(out, element);
      close_length(out, start);
    }
  } else {
    put_struct(out, value);
  }
}

// The whole payload must be one number.
bool take_number(std::string_view in, std::uint64_t& value);

template <class T>
bool take_payload(std::string_view in, T& value, Allowance& allowance) {
  std::uint64_t number = 0;
  if constexpr (std::is_same_v<T, bool>) {
    if (!take_number(in, number) || number > 1) return false;
    value = number == 1;
  } else if constexpr (std::is_enum_v<T> && is_described_enum<T>) {
    return enum_from_name(in, value);
  } else if constexpr (std::is_enum_v<T>) {
    if (!take_number(in, number)) return false;
    value = static_cast<T>(number);
    return static_cast<std::uint64_t>(value) == number;
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    if (!take_number(in, number)) return false;
    value = static_cast<T>(unzigzag(number));
    return value == unzigzag(number);
  } else if constexpr (std::is_integral_v<T>) {
    if (!take_number(in, number)) return false;
    value = static_cast<T>(number);
    return value == number;
  } else if constexpr (std::is_same_v<T, double>) {
    if (in.size() != sizeof value) return false;
    std::memcpy(&value, in.data(), sizeof value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value.assign(in);
  } else if constexpr (is_strong_id<T>::value) {
    return take_payload(in, value.value, allowance);
  } else if constexpr (is_time_point<T>::value) {
    if (!take_number(in, number)) return false;
    value = T{Duration{unzigzag(number)}};
  } else if constexpr (std::is_same_v<T, Duration>) {
    if (!take_number(in, number)) return false;
    value = Duration{unzigzag(number)};
  } else if constexpr (is_vector<T>::value) {
    value.clear();
    std::size_t count = 0;
    if (!count_elements(in, count)) return false;
    if (!allowance.take(count * sizeof(typename T::value_type))) return false;
    value.reserve(count);
    while (!in.empty()) {
      take_varint(in, number);
      if (!take_payload(in.substr(0, number), value.emplace_back(), allowance)) return false;
      in.remove_prefix(number);
    }
  } else {
    value = T{};
    return take_struct(in, value, allowance);
  }
  return true;
}

}  // namespace sluice::codec

namespace sluice {

template <class T>
std::string to_bytes(const T& value) {
  std::string out;
  codec::put_struct(out, value);
  return out;
}

// Errors: protocol_error.
template <class T>
Result<T> from_bytes(std::string_view bytes) {
  T value{};
  codec::Allowance allowance(bytes.size());
  if (!codec::take_struct(bytes, value, allowance))
    return Error{ErrorCode::protocol_error, "bytes are not a valid record"};
  return value;
}

}  // namespace sluice
