// target_codec.cpp: every message and record: any value comes back from its bytes, any bytes become
// a value or an error, and nothing in them decides how much memory is taken.
#include <algorithm>
#include <iterator>

#include "common/wire/message_codec.h"
#include "tests/fuzz/filled.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

// What is done with a value later must be possible whatever it is: sets of tasks are counted and
// walked through.
template <class T>
void use(const T& value) {
  if constexpr (std::is_same_v<T, IndexSet>) {
    require(value.empty() == (value.size() == 0), "a set without ranges is empty, others are not");
    require(!value.contains(7) || value.back() >= 7U, "a set's last task is its largest");
  } else if constexpr (codec::is_vector<T>::value) {
    for (const auto& element : value) use(element);
  } else if constexpr (codec::is_optional<T>::value) {
    if (value) use(*value);
  } else if constexpr (is_described<T>) {
    for_each_member<T>([&](std::string_view, auto member) { use(value.*member); });
  }
}

template <class T>
void check_any_bytes(std::string_view bytes) {
  const MemoryWatch watch;
  const auto value = from_bytes<T>(bytes);
  require_memory(watch, codec::list_bytes_free + (codec::list_bytes_each + 8) * bytes.size(),
                 bytes);
  if (!value.ok()) return require_refusal(value.error(), {ErrorCode::protocol_error});
  use(*value);
  const std::string again = to_bytes(*value);
  const auto twice = from_bytes<T>(again);
  require(twice.ok() && *twice == *value, "what was decoded can be encoded and decoded");
  require(to_bytes(*twice) == again, "equal values have equal bytes");
}

template <class T>
std::uint16_t unused_tag(std::uint16_t tag) {
  bool used = false;
  for_each_member<T>(
      [&](std::string_view name, auto) { used = used || codec::tag_of(name) == tag; });
  return used ? unused_tag<T>(static_cast<std::uint16_t>(tag + 1)) : tag;
}

// A field of a newer peer.
template <class T>
std::string unknown_field(Bytes& bytes) {
  const std::uint16_t tag = unused_tag<T>(static_cast<std::uint16_t>(bytes.number()));
  const std::string payload = bytes.text(20);
  std::string field{static_cast<char>(tag & 0xff), static_cast<char>(tag >> 8)};
  codec::put_varint(field, payload.size());
  return field + payload;
}

template <class T>
void check_any_value(std::string_view input) {
  Bytes bytes(input);
  T value{};
  fill(bytes, value);
  std::string encoded = to_bytes(value);
  const auto back = from_bytes<T>(encoded);
  require(back.ok() && *back == value, "a value comes back from its bytes");
  const std::string unknown = unknown_field<T>(bytes);
  const auto newer = from_bytes<T>(bytes.coin() ? encoded + unknown : unknown + encoded);
  require(newer.ok() && *newer == value, "what a newer peer adds is skipped");
  check_any_bytes<T>(std::string_view(encoded).substr(0, bytes.below(encoded.size() + 1)));
  for (int changes = bytes.byte() % 4; changes > 0 && !encoded.empty(); --changes)
    encoded[bytes.below(encoded.size())] = static_cast<char>(bytes.byte());
  check_any_bytes<T>(encoded);
}

struct CodecRow {
  std::uint16_t tag;
  void (*check_bytes)(std::string_view);
  void (*check_value)(std::string_view);
};
#define SLUICE_CODEC_ROW(Type) CodecRow{codec::tag_of(#Type), check_any_bytes<Type>, check_any_value<Type>},
constexpr CodecRow rows[] = {SLUICE_ENCODED_TYPES(SLUICE_CODEC_ROW)};
#undef SLUICE_CODEC_ROW

}  // namespace

// The first two bytes say which type, by its name: the next tag upwards. So a new type changes the
// meaning of few inputs. The third says whether a value is made or bytes are read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const auto wanted = static_cast<std::uint16_t>(data[0] | data[1] << 8);
  const auto distance = [&](const CodecRow& row) { return static_cast<std::uint16_t>(row.tag - wanted); };
  const CodecRow& row = *std::min_element(
      std::begin(rows), std::end(rows),
      [&](const CodecRow& a, const CodecRow& b) { return distance(a) < distance(b); });
  const std::string_view rest = text_of(data + 3, size - 3);
  if (data[2] % 2 == 0) row.check_value(rest);
  else row.check_bytes(rest);
  return 0;
}
