// utf8.h: names, paths and comments may be any bytes; what leaves as JSON or metrics must be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// Of the well-formed sequence at the front of `bytes`, which are not empty; 0: none begins there.
std::size_t utf8_sequence_length(std::string_view bytes);

// Each byte that is not part of a well-formed sequence becomes U+FFFD.
std::string to_valid_utf8(std::string_view bytes);

}  // namespace sluice
