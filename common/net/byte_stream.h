// byte_stream.h: a non-blocking stream of bytes under a Connection: plain or TLS. Internal to net.
// The descriptor belongs to the Connection, which closes it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "common/base/error.h"
#include "common/net/peer.h"

namespace sluice {

enum class StreamStatus {
  done,        // `bytes` were read or written; a proof is complete
  want_read,   // again when the descriptor is readable
  want_write,  // again when it is writable
  closed,      // the peer ended the stream
  failed,      // `error` says why
};

struct StreamResult {
  StreamStatus status = StreamStatus::done;
  std::size_t bytes = 0;
  // After a read: the descriptor held no more; waiting saves the call that would only say so.
  bool is_drained = false;
  Error error{};
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  virtual int descriptor() const = 0;
  // Until it says done, nothing else may be called.
  virtual StreamResult prove() = 0;
  virtual StreamResult read(char* buffer, std::size_t size) = 0;
  virtual StreamResult write(std::string_view bytes) = 0;
  virtual void say_goodbye() = 0;  // best effort, before the descriptor is closed
  virtual const PeerIdentity& peer() const = 0;  // complete once proved
};

// A connected socket whose peer is known already.
std::unique_ptr<ByteStream> make_plain_stream(int descriptor, PeerIdentity peer);

StreamResult stream_failed(Error error);
// io_error with the text of errno.
Error system_error(std::string_view what);

}  // namespace sluice
