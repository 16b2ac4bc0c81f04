// memory_watch.h: how much memory a piece of code has at most at a time. operator new and delete of
// the fuzzers count; what C libraries take for themselves is not seen.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace sluice::fuzz {

// From its making on.
class MemoryWatch {
 public:
  MemoryWatch();
  // The most that was held at once, beyond what was held at the beginning.
  std::size_t peak_bytes() const;

 private:
  std::size_t before_;
};

void require_memory(const MemoryWatch& watch, std::size_t bytes_max, std::string_view input);

// What `function` returns; it may take `bytes_each` for every byte of the input, and 64 KiB.
template <class Function>
auto in_proportion(std::string_view input, std::size_t bytes_each, Function&& function) {
  const MemoryWatch watch;
  auto result = std::forward<Function>(function)();
  require_memory(watch, (64U << 10) + bytes_each * input.size(), input);
  return result;
}

}  // namespace sluice::fuzz
