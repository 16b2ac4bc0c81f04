// target_planted_frame.cpp: a bug on purpose, which the fuzzers must find: memory is reserved for
// what a length claims, before the bytes are there.
#include <string>

#include "common/wire/codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

std::string trusting(std::string_view bytes) {
  std::string text;
  std::uint64_t size = 0;
  if (!codec::take_varint(bytes, size) || size > (1U << 28)) return text;
  text.reserve(size);
  text = bytes.substr(0, size);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  (void)in_proportion(bytes, 8, [&] { return trusting(bytes); });
  return 0;
}
