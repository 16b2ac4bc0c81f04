// utf8.cpp: the well-formed sequences are those of table 3-7 of the Unicode standard.
#include "common/base/utf8.h"

namespace sluice {
namespace {

struct Lead {
  unsigned char first, last;  // of the first byte
  std::size_t length;
  unsigned char second_first, second_last;
};
constexpr Lead leads[] = {
    {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

bool is_within(char byte, unsigned char first, unsigned char last) {
  const auto value = static_cast<unsigned char>(byte);
  return first <= value && value <= last;
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view bytes) {
  for (const Lead& lead : leads) {
    if (!is_within(bytes.front(), lead.first, lead.last)) continue;
    if (bytes.size() < lead.length) return 0;
    if (lead.length > 1 && !is_within(bytes[1], lead.second_first, lead.second_last)) return 0;
    for (std::size_t i = 2; i < lead.length; ++i)
      if (!is_within(bytes[i], 0x80, 0xbf)) return 0;
    return lead.length;
  }
  return 0;
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    if (length == 0) text += "\xef\xbf\xbd";
    else text += bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace sluice
