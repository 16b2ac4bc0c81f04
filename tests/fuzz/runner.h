// runner.h: runs a target on many inputs in a child process, so that whatever ends it (a signal, a
// sanitizer, a time limit) leaves the number of the input that did.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/base/result.h"

namespace sluice::fuzz {

struct Target {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

struct Work {
  std::uint64_t runs = 1;
  unsigned seconds_max = 20;  // of one input
  std::function<std::string(std::uint64_t number)> input;
};

struct Failure {
  std::uint64_t number = 0;
  std::string how;  // "ended by signal 6 (Aborted)"
};

// None: the target kept its promises on all inputs. Errors: internal, when no child could be
// started.
Result<std::optional<Failure>> run_target(const Target& target, const Work& work);

}  // namespace sluice::fuzz
