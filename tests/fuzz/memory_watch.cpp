// memory_watch.cpp: operator new and delete, with a count. The fuzzers have one thread.
#include "tests/fuzz/memory_watch.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "tests/fuzz/fuzz.h"

namespace {

std::size_t held_bytes = 0;
std::size_t peak_held_bytes = 0;

// nullptr: there is none.
void* try_to_take(std::size_t size, std::size_t alignment) noexcept {
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t)) memory = std::malloc(std::max<std::size_t>(size, 1));
  else if (posix_memalign(&memory, alignment, size) != 0) memory = nullptr;
  if (!memory) return nullptr;
  held_bytes += malloc_usable_size(memory);
  peak_held_bytes = std::max(peak_held_bytes, held_bytes);
  return memory;
}

void* take(std::size_t size, std::size_t alignment) {
  void* memory = try_to_take(size, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void give(void* memory) {
  if (!memory) return;
  held_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return take(size, 0); }
void* operator new[](std::size_t size) { return take(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return try_to_take(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return try_to_take(size, 0); }
void operator delete(void* memory) noexcept { give(memory); }
void operator delete[](void* memory) noexcept { give(memory); }
void operator delete(void* memory, std::size_t) noexcept { give(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give(memory); }

namespace sluice::fuzz {

MemoryWatch::MemoryWatch() : before_(held_bytes) { peak_held_bytes = held_bytes; }

std::size_t MemoryWatch::peak_bytes() const {
  return peak_held_bytes > before_ ? peak_held_bytes - before_ : 0;
}

void require_memory(const MemoryWatch& watch, std::size_t bytes_max, std::string_view input) {
  const std::size_t peak = watch.peak_bytes();
  if (peak <= bytes_max) return;
  require(
      false, "memory in proportion to the input",
      fmt::format("{} bytes of input took {} bytes, at most {}", input.size(), peak, bytes_max));
}

}  // namespace sluice::fuzz
