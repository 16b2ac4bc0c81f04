// codec.cpp: numbers and lengths.
#include "common/wire/codec.h"

namespace sluice::codec {

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

bool take_varint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < in.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(in[i]);
    if (i == 9 && byte > 1) return false;  // more than 64 bits
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      in.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool take_number(std::string_view in, std::uint64_t& value) {
  return take_varint(in, value) && in.empty();
}

bool count_elements(std::string_view in, std::size_t& count) {
  for (count = 0; !in.empty(); ++count) {
    std::uint64_t size = 0;
    if (!take_varint(in, size) || size > in.size()) return false;
    in.remove_prefix(size);
  }
  return true;
}

void close_length(std::string& out, std::size_t start) {
  std::string length;
  put_varint(length, out.size() - start);
  out.insert(start, length);
}

}  // namespace sluice::codec
