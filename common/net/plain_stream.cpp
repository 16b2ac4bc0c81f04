// plain_stream.cpp: reads and writes of a Unix socket.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/net/byte_stream.h"

namespace sluice {
namespace {

class PlainStream : public ByteStream {
 public:
  PlainStream(int descriptor, PeerIdentity peer)
      : descriptor_(descriptor), peer_(std::move(peer)) {}

  int descriptor() const override { return descriptor_; }
  StreamResult prove() override { return {}; }

  StreamResult read(char* buffer, std::size_t size) override {
    const ssize_t count = recv(descriptor_, buffer, size, MSG_DONTWAIT);
    if (count < 0) return from_errno("read", StreamStatus::want_read);
    if (count == 0) return {StreamStatus::closed};
    const auto bytes = static_cast<std::size_t>(count);
    return {StreamStatus::done, bytes, bytes < size};
  }

  StreamResult write(std::string_view bytes) override {
    const ssize_t count =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return from_errno("write", StreamStatus::want_write);
    return {StreamStatus::done, static_cast<std::size_t>(count)};
  }

  void say_goodbye() override {}
  const PeerIdentity& peer() const override { return peer_; }

 private:
  static StreamResult from_errno(const char* what, StreamStatus when_full) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {when_full};
    if (errno == EPIPE || errno == ECONNRESET) return {StreamStatus::closed};
    return stream_failed(system_error(what));
  }

  int descriptor_;
  PeerIdentity peer_;
};

}  // namespace

std::unique_ptr<ByteStream> make_plain_stream(int descriptor, PeerIdentity peer) {
  return std::make_unique<PlainStream>(descriptor, std::move(peer));
}

StreamResult stream_failed(Error error) {
  StreamResult result;
  result.status = StreamStatus::failed;
  result.error = std::move(error);
  return result;
}

Error system_error(std::string_view what) {
  return Error{ErrorCode::io_error, fmt::format("{}: {}", what, std::strerror(errno))};
}

std::string to_text(const PeerIdentity& peer) {
  switch (peer.kind) {
    case PeerKind::local_user: return fmt::format("uid {} (pid {})", peer.uid, peer.pid);
    case PeerKind::node: return fmt::format("node {} at {}", peer.node, peer.address);
    case PeerKind::controller: return fmt::format("controller at {}", peer.address);
  }
  return peer.address;
}

}  // namespace sluice
