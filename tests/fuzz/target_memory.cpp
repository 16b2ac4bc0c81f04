// target_memory.cpp: memory sizes are read exactly: digits and one unit, rounded up to megabytes.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "common/options/config_values.h"
#include "common/options/grammar.h"
#include "common/options/text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

struct Suffix {
  std::string_view text;
  std::uint64_t kib;
};

constexpr std::uint64_t mib = 1024, gib = 1024 * mib, tib = 1024 * gib;
constexpr Suffix suffixes[] = {{"", mib},  {"K", 1},    {"KB", 1},  {"M", mib}, {"MB", mib},
                               {"G", gib}, {"GB", gib}, {"T", tib}, {"TB", tib}};

// Of texts with at most nine digits.
std::optional<std::uint64_t> mb_expected(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return std::nullopt;
  for (const Suffix& suffix : suffixes)
    if (equals_ignoring_case(text.substr(digits), suffix.text))
      return (*parse_number(text.substr(0, digits)) * suffix.kib + 1023) / 1024;
  return std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const auto mb = in_proportion(text, 64, [&] { return parse_memory_mb(text); });
  if (mb.ok()) {
    const auto again = parse_memory_mb(fmt::format("{}M", *mb));
    require(again.ok() && *again == *mb, "a printed size is read as itself",
            fmt::format("{}", *mb));
  } else {
    require_refusal(mb.error(), {ErrorCode::invalid_memory});
  }
  const auto limit = parse_config_memory_limit(text);
  if (limit.ok() && *limit)
    require(mb.ok() && *mb == **limit, "slurm.conf's megabytes are --mem's");
  if (has_longer_number(text, 9)) return 0;
  const std::optional<std::uint64_t> expected = mb_expected(text);
  require(mb.ok() == expected.has_value(), "exactly a number with one unit is read");
  if (mb.ok()) require(*mb == *expected, "sizes are rounded up to megabytes");
  return 0;
}
