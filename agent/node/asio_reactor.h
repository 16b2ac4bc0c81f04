// asio_reactor.h: agent/exec's Reactor on Asio's loop, and one helper thread.
#pragma once

#include <memory>

#include "agent/exec/reactor.h"
#include "common/net/io_fwd.h"

namespace sluice::agent {

class AsioReactor : public Reactor {
 public:
  explicit AsioReactor(IoContext& io);
  ~AsioReactor() override;

  void when_readable(int fd, std::function<void()> ready) override;
  void forget(int fd) override;
  void after(Duration delay, std::function<void()> due) override;
  void in_background(std::function<void()> work, std::function<void()> done) override;
  // Calls `due` at this steady time unless armed again under the same name before.
  void at(const std::string& name, SteadyTime when, std::function<void()> due);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::agent
