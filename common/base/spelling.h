// spelling.h: finds the word a person probably meant, for "did you mean" in refusals. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

// Letters to insert, drop, change or swap with the next one, ignoring case (Damerau's restricted
// distance).
std::size_t spelling_distance(std::string_view left, std::string_view right);

// The nearest of `words`, or an empty view when none is near enough to be what was meant: at most a
// third of the longer word's letters may differ.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);

// ", did you mean X?" of the nearest word, or an empty text.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> words);

}  // namespace sluice
