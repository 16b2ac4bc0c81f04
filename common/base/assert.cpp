// assert.cpp: prints what was broken and where, then aborts (a core dump is wanted).
#include "common/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace sluice {
void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "fatal: invariant broken: %s (%s:%d)\n", expression, file, line);
  std::abort();
}
}  // namespace sluice
