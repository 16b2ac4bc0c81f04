// assert.h: ASSERT stays on in release builds: a broken invariant ends the process before it can
// commit a wrong state. Must not be used for anything a user or a peer can cause; that is an Error.
#pragma once

namespace sluice {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}

#define ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::sluice::assertion_failed(#expression, __FILE__, __LINE__))
