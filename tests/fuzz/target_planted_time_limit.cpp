// target_planted_time_limit.cpp: a bug on purpose, which the fuzzers must find: a reader of time
// limits that never comes to an end of some of them.
#include "common/options/grammar.h"
#include "tests/fuzz/fuzz.h"

using namespace sluice;
using namespace sluice::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto limit = parse_time_limit(text_of(data, size));
  volatile bool is_waiting = limit.ok() && !limit->unlimited && limit->minutes > 100'000;
  while (is_waiting) continue;
  return 0;
}
