// sockets.h: the system calls around sockets, with Results. Internal to net.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/net/peer.h"

namespace sluice {

// Owns a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd_; }
  int give_away() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// A numeric address and port as the system calls want them.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

// Numeric IPv4 or IPv6. Errors: invalid_argument.
Result<SocketAddress> make_socket_address(const std::string& address, std::uint16_t port);
// Errors: invalid_argument when the path is longer than a socket's path may be (107 bytes).
Result<SocketAddress> make_unix_address(const std::string& path);
std::string to_text(const SocketAddress& address);  // "HOST:PORT", "[V6]:PORT"
std::uint16_t port_of(int fd);

Result<Descriptor> make_unix_listener(const std::string& path);
Result<Descriptor> make_tcp_listener(const std::string& address, std::uint16_t port);
// No delay for small frames, and keep-alive so that a vanished peer is noticed within two minutes.
void tune_tcp(int fd);
PeerIdentity local_peer_of(int fd, const std::string& path);

}  // namespace sluice
