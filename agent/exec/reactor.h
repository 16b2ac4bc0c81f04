// reactor.h: the event loop as agent/exec needs it; the program brings Asio's. All callbacks come from
// the loop's one thread, never from inside the call that asked for them.
#pragma once

#include <functional>

#include "common/base/time.h"

namespace sluice::agent {

class Reactor {
 public:
  virtual ~Reactor() = default;

  // Calls `ready` once when `fd` is readable. The descriptor stays the caller's.
  virtual void when_readable(int fd, std::function<void()> ready) = 0;
  // No call for this descriptor any more; to be called before it is closed.
  virtual void forget(int fd) = 0;
  virtual void after(Duration delay, std::function<void()> due) = 0;
  // Runs `work` on a helper thread, then `done` on the loop. Works are done one after the other.
  virtual void in_background(std::function<void()> work, std::function<void()> done) = 0;
};

}  // namespace sluice::agent
