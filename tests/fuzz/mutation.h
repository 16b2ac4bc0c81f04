// mutation.h: new inputs from old ones. The same corpus, seed and number give the same input on
// every machine, so a failure is told by two numbers.
#pragma once

#include <cstdint>
#include <string>

#include "tests/fuzz/corpus.h"

namespace sluice::fuzz {

constexpr std::size_t input_bytes_max = 4096;

// SplitMix64 (Steele, Lea, Flood 2014): small, and no library decides what comes out.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // 0 .. end - 1; end > 0.
  std::uint64_t below(std::uint64_t end) { return next() % end; }

 private:
  std::uint64_t state_;
};

struct InputId {
  std::uint64_t seed = 1;
  std::uint64_t number = 0;
};

// The first numbers are the corpus as it is; behind them come its mutations.
std::string make_input(const Corpus& corpus, InputId id);

}  // namespace sluice::fuzz
