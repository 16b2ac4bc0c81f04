// fuzz.h: what the targets share. A target is one file with the usual LLVMFuzzerTestOneInput, which
// holds promises against any bytes and ends the process when one is broken. It must be
// deterministic and leave nothing behind: files, the environment, clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sluice::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the process unless the promise was kept; `seen` is what was there instead.
void require(bool kept, std::string_view promise, std::string_view seen = {});

// A refusal has one of these codes.
void require_refusal(const Error& error, std::initializer_list<ErrorCode> codes);

// Takes values from the input's front; past its end everything is 0 or empty.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::uint8_t byte();
  bool coin() { return (byte() & 1) != 0; }
  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : number() % end; }
  // Of any size; small ones, and those around powers of two, are frequent.
  std::uint64_t number();
  std::string text(std::size_t bytes_max);
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Numbers of the text's digits are at most `digits` long: what is known to cost time by design is
// left out, so that each input is quick.
bool has_longer_number(std::string_view text, std::size_t digits);

// An upper bound of the names that the host lists in a text mean: the numbers that each bracket
// holds, multiplied, for each of its elements. What is beyond 2^30 counts as that.
std::uint64_t hostlist_names_at_most(std::string_view text);

// How many lines a text has, and one of them, from 1.
std::vector<std::string_view> lines_of(std::string_view text);

// The number behind "FILE:" in a message that begins with it or has it in brackets; 0: none.
std::size_t line_named(std::string_view message, std::string_view file);

}  // namespace sluice::fuzz
