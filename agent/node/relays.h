// relays.h: commands on this host that reach the controller through this agent. The agent says who they
// are, by the kernel's word, and changes nothing in what they say.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "common/net/connection.h"
#include "common/net/io_fwd.h"
#include "common/net/listener.h"
#include "common/wire/messages.h"

namespace sluice::agent {

class Relays {
 public:
  // `send` passes to the controller; false: there is no connection to it. `may_vouch` says for whom.
  Relays(std::function<bool(const Relay&)> send, std::function<bool(std::uint32_t uid)> may_vouch);

  // Errors: locked (another agent of this host serves there), io_error.
  Result<void> listen(IoContext& io, const std::string& path);
  void on_relay(Relay message);
  // The controller's side is gone: commands are told by the end of their connections.
  void on_disconnected();

 private:
  void on_connection(ConnectionPtr connection);
  void on_frame(std::uint32_t stream, const FrameHeader& header, std::string payload);
  void on_closed(std::uint32_t stream);

  std::function<bool(const Relay&)> send_;
  std::function<bool(std::uint32_t)> may_vouch_;
  ListenerPtr listener_;
  std::map<std::uint32_t, ConnectionPtr> streams_;
  std::uint32_t next_stream_ = 1;
};

}  // namespace sluice::agent
