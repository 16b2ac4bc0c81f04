// memory.cpp: the grammar of --mem and its kin.
#include <fmt/format.h>

#include <optional>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

struct MemoryUnit {
  char letter;
  std::uint64_t kib;
};

constexpr MemoryUnit units[] = {
    {'K', 1}, {'M', 1ULL << 10}, {'G', 1ULL << 20}, {'T', 1ULL << 30}};

// A whole number of every unit, so that a size can be said in any of them.
constexpr std::uint64_t kib_max = 1ULL << 60;

// Removes the unit from the end of `text`; nullptr: no unit stands there.
const MemoryUnit* take_unit(std::string_view& text) {
  if (text.size() > 2 && equals_ignoring_case(text.substr(text.size() - 1), "B"))
    text.remove_suffix(1);
  for (const MemoryUnit& unit : units) {
    if (!text.empty() && equals_ignoring_case(text.substr(text.size() - 1), {&unit.letter, 1})) {
      text.remove_suffix(1);
      return &unit;
    }
  }
  return nullptr;
}

}  // namespace

Result<std::uint64_t> parse_memory_mb(std::string_view text) {
  std::string_view digits = text;
  const MemoryUnit* unit = take_unit(digits);
  const bool bare = digits.size() == text.size();
  const std::optional<std::uint64_t> value = parse_number(digits);
  if (!value || (!unit && !bare))
    return Error{ErrorCode::invalid_memory,
                 fmt::format("\"{}\" is not a whole number with an optional K, M, G or T "
                             "(MB without one)",
                             text)};
  const std::uint64_t kib_each = unit ? unit->kib : units[1].kib;
  if (*value > kib_max / kib_each)
    return Error{ErrorCode::invalid_memory, fmt::format("\"{}\" is too large", text)};
  return (*value * kib_each + 1023) / 1024;
}

}  // namespace sluice
