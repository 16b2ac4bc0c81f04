// sockets.cpp: see sockets.h.
#include "common/net/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/net/byte_stream.h"

namespace sluice {
namespace {

constexpr int backlog = 4096;

void set_option(int fd, int level, int option, int value) {
  // Best effort: without it the connection works, a little slower or noticed later.
  setsockopt(fd, level, option, &value, sizeof value);
}

Result<Descriptor> make_socket(int family, int type) {
  Descriptor made{socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (made.get() < 0) return system_error("socket");
  return made;
}

// Removes a socket file that nobody listens on.
Result<void> clear_stale_socket(const std::string& path, const SocketAddress& address) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode))
    return Error{ErrorCode::io_error, fmt::format("{}: is in the way, and is no socket", path)};
  const Descriptor probe = TRY(make_socket(AF_UNIX, SOCK_STREAM));
  if (connect(probe.get(), address.get(), address.size) == 0 || errno == EAGAIN)
    return Error{ErrorCode::locked, fmt::format("{}: another process listens here", path)};
  if (errno != ECONNREFUSED) return system_error(path);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return system_error(path);
  return {};
}

Result<Descriptor> bind_tcp(const SocketAddress& address) {
  Descriptor made = TRY(make_socket(address.family(), SOCK_STREAM));
  set_option(made.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.family() == AF_INET6) set_option(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(made.get(), address.get(), address.size) != 0 || listen(made.get(), backlog) != 0)
    return system_error(to_text(address));
  return made;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<SocketAddress> make_socket_address(const std::string& address, std::uint16_t port) {
  SocketAddress out;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.storage);
  if (inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    out.size = sizeof *v4;
    return out;
  }
  if (inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    out.size = sizeof *v6;
    return out;
  }
  return Error{ErrorCode::invalid_argument, fmt::format("'{}' is not an address", address)};
}

Result<SocketAddress> make_unix_address(const std::string& path) {
  SocketAddress out;
  auto* address = reinterpret_cast<sockaddr_un*>(&out.storage);
  if (path.empty() || path.size() >= sizeof address->sun_path)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{}: {} bytes, a socket's path has at most {}", path, path.size(),
                             sizeof address->sun_path - 1)};
  address->sun_family = AF_UNIX;
  std::memcpy(address->sun_path, path.data(), path.size());
  out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return out;
}

std::string to_text(const SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    return fmt::format("{}:{}", text, ntohs(v4->sin_port));
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
  if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
    inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], text, sizeof text);
    return fmt::format("{}:{}", text, ntohs(v6->sin6_port));
  }
  inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
  return fmt::format("[{}]:{}", text, ntohs(v6->sin6_port));
}

std::uint16_t port_of(int fd) {
  SocketAddress address;
  address.size = sizeof address.storage;
  if (getsockname(fd, address.get(), &address.size) != 0) return 0;
  if (address.family() == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
}

Result<Descriptor> make_unix_listener(const std::string& path) {
  const SocketAddress address = TRY(make_unix_address(path));
  TRY(clear_stale_socket(path, address));
  Descriptor made = TRY(make_socket(AF_UNIX, SOCK_STREAM));
  if (bind(made.get(), address.get(), address.size) != 0) return system_error(path);
  // Nobody can connect before listen(), so the mode is right for the first one already.
  if (chmod(path.c_str(), 0666) != 0 || listen(made.get(), backlog) != 0) return system_error(path);
  return made;
}

Result<Descriptor> make_tcp_listener(const std::string& address, std::uint16_t port) {
  if (!address.empty()) return bind_tcp(TRY(make_socket_address(address, port)));
  Result<Descriptor> both = bind_tcp(TRY(make_socket_address("::", port)));
  if (both) return both;
  return bind_tcp(TRY(make_socket_address("0.0.0.0", port)));  // a kernel without IPv6
}

void tune_tcp(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 6);
}

PeerIdentity local_peer_of(int fd, const std::string& path) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  PeerIdentity peer;
  peer.kind = PeerKind::local_user;
  peer.address = path;
  // Cannot fail for a connected Unix socket; nobody must then become root.
  peer.uid = peer.gid = UINT32_MAX;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return peer;
  peer.uid = credentials.uid;
  peer.gid = credentials.gid;
  peer.pid = credentials.pid;
  return peer;
}

}  // namespace sluice
