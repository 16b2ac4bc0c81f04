// listener.h: accepts connections on a Unix socket or on a TCP port with TLS, and proves who they
// are before the owner sees them.
//
// Peers that have not proved themselves cost little and a bounded amount: they are dropped after
// ConnectionLimits::handshake_ms, and the oldest of them goes when unproved_max is reached or
// descriptors run out. So a flood of idle or speaking garbage connections never stops service. Of a
// flood of refusals only some are told, to the peer and to the owner; the others are closed
// silently and only counted. Runs on the IoContext's one thread; handlers are called from the loop
// only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/net/connection.h"
#include "common/net/io_fwd.h"
#include "common/net/tls_stream.h"

namespace sluice {

struct ListenerLimits {
  ConnectionLimits connection;
  std::size_t unproved_max = 4096;
  std::size_t connections_per_user_max = 2048;  // Unix sockets; root is not counted
  std::size_t refusals_told_per_second_max = 20;
};

struct ListenerHandlers {
  // Proved, not started: call start() on it.
  std::function<void(ConnectionPtr)> on_connection;
  // A peer that did not become a connection, for the log: its address and why. Errors that only say
  // that the peer went away or was silent come here too.
  std::function<void(const std::string& address, const Error&)> on_refused;  // may be empty
  // Once a second at most: how many more were refused than on_refused was told of.
  std::function<void(std::size_t count)> on_refused_silently;  // may be empty
};

class Listener {
 public:
  virtual ~Listener() = default;  // closes the socket; connections stay
  // Of TCP; 0 for Unix.
  virtual std::uint16_t port() const = 0;
  virtual std::size_t unproved() const = 0;
};

using ListenerPtr = std::unique_ptr<Listener>;

// The socket gets mode 0666: who connects is told by the kernel. A socket that nobody listens on is
// replaced. Errors: locked (another process listens), io_error.
Result<ListenerPtr> listen_unix(IoContext& io, const std::string& path, ListenerHandlers handlers,
                                const ListenerLimits& limits = {});

struct TcpPlace {
  std::string address;     // numeric; empty: all addresses of this host, IPv6 and IPv4
  std::uint16_t port = 0;  // 0: any free one
};
// The caller may reload the ring behind `keys` at any time. Errors: io_error.
Result<ListenerPtr> listen_tls(IoContext& io, const TcpPlace& place, KeyRingPtr keys,
                               ListenerHandlers handlers, const ListenerLimits& limits = {});

// Lifts the soft limit of open files to the hard one; returns the former soft limit, which programs
// that this process starts should get back (set_descriptor_limit).
std::uint64_t raise_descriptor_limit();
void set_descriptor_limit(std::uint64_t soft);

}  // namespace sluice
