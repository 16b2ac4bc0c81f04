// text.h: what every grammar needs of text. Pure, no locale: digits are ASCII digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice {

// Pieces between separators; always one more than there are separators ("" gives {""}).
std::vector<std::string_view> split(std::string_view text, char separator);

// Only digits, at least one, no sign, no blanks; nullopt also when it exceeds 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);
// With an optional sign in front.
std::optional<std::int64_t> parse_signed(std::string_view text);

bool equals_ignoring_case(std::string_view left, std::string_view right);

}  // namespace sluice
