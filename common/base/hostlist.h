// hostlist.h: Slurm's short form of many host names: "n[1-3,5],m1" <-> n1 n2 n3 n5 m1.
// Grammar: elements divided by commas or blanks (empty ones are skipped); an element is text and
// any number of brackets, several of which multiply with the left one slowest; a bracket holds
// numbers and rising ranges, whose zero padding is kept. Text behind the last bracket is refused,
// as Slurm does. Pure; must not know which hosts exist.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sluice {

// More names than this, or a longer name, is refused before memory is taken for it.
inline constexpr std::size_t hostlist_names_max = 1'000'000;
inline constexpr std::size_t hostlist_name_bytes_max = 255;

// The names in the order written; duplicates stay. Error: invalid_hostlist with the text and what
// is wrong with it, or limit_exceeded.
Result<std::vector<std::string>> expand_hostlist(std::string_view text);

// The short form; expanding it gives the same names in the same order. Names that follow one
// another and differ only in their last number share a bracket; ranges form only where the numbers
// rise by one with the same padding.
std::string compress_hostlist(std::span<const std::string> names);

// The same of the names in the order of hostname_less; duplicates stay.
std::string compress_hostlist_sorted(std::vector<std::string> names);

// Orders n2 before n10: by the text before the last number, then the number, then its padding.
bool hostname_less(std::string_view left, std::string_view right);

}  // namespace sluice
