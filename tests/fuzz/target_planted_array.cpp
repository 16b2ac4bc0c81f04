// target_planted_array.cpp: a bug on purpose, which the fuzzers must find: a range whose end is not
// checked is written into a fixed table.
#include <array>

#include "common/options/grammar.h"
#include "tests/fuzz/fuzz.h"

using namespace sluice;
using namespace sluice::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<bool, 1000> is_wanted{};
  const auto array = parse_array(text_of(data, size));
  if (!array.ok() || array->tasks.ranges.size() < 2) return 0;
  for (const IndexRange& range : array->tasks.ranges) is_wanted.at(range.last) = true;
  return 0;
}
