// connection.h: frames over a proved stream (Unix socket or TLS), in both directions.
//
// Everything happens on the one thread that runs the IoContext. No handler is called from inside
// start(), send() or close(). A Connection lives until it is closed, also when nobody holds it; its
// handlers are dropped then.
//
// Output: frames sent within one turn of the loop leave together. Urgent frames pass bulk ones at
// frame boundaries. A peer that takes nothing for write_stall_ms while output waits, or lets more
// than output_bytes_max pile up, is closed.
// Input: a frame's memory grows with the bytes that arrive; a peer that leaves a frame half sent for
// frame_ms is closed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/net/io_fwd.h"
#include "common/net/output_queue.h"
#include "common/net/peer.h"
#include "common/wire/message_codec.h"
#include "common/wire/frame.h"

namespace sluice {

class ByteStream;
class FrameReader;

struct ConnectionLimits {
  std::uint32_t payload_bytes_max = frame_payload_bytes_max;
  std::size_t output_bytes_high = 4U << 20;   // above: send() says false, on_drained will follow
  std::size_t output_bytes_max = 256U << 20;  // above: closed with limit_exceeded
  std::uint32_t handshake_ms = 5'000;         // from accept or connect to proof
  std::uint32_t first_frame_ms = 0;           // from start() to the first frame; 0: no limit
  std::uint32_t frame_ms = 30'000;
  std::uint32_t write_stall_ms = 60'000;
  // Stops reading requests of a peer that does not take its answers. Never on both ends of one
  // connection: they would wait for each other.
  bool read_only_when_drained = false;
};

struct ConnectionHandlers {
  std::function<void(const FrameHeader&, std::string payload)> on_frame;
  // Once, unless close() was called by us. io_error "closed by the peer" is the ordinary end.
  std::function<void(const Error&)> on_closed;
  std::function<void()> on_drained;  // may be empty
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Takes the descriptor behind `stream`. Used by listeners and dialers.
  Connection(IoContext& io, std::unique_ptr<ByteStream> stream, const ConnectionLimits& limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Proves the peer; then `done` is called once, with success or the reason (the connection is then
  // closed). Used by listeners and dialers.
  void prove(std::function<void(const Result<void>&)> done);

  // Begins to read. Once.
  void start(ConnectionHandlers handlers);

  // Queues a frame; false: more is queued than output_bytes_high. Ignored when closed (false).
  bool send(const FrameHeader& header, std::string payload, Priority priority = Priority::urgent);
  template <class Message>
  bool send_message(std::uint32_t request, const Message& message,
                    Priority priority = Priority::urgent) {
    FrameHeader header;
    header.type = static_cast<std::uint16_t>(Message::type);
    header.request = request;
    return send(header, to_bytes(message), priority);
  }

  // A few frames that were read already may still come.
  void pause_reading();
  void resume_reading();

  void close();            // at once; what is queued is lost
  void close_when_sent();  // reads no more, flushes, closes; on_closed is not called

  bool is_open() const;
  const PeerIdentity& peer() const;
  std::size_t queued_bytes() const { return output_.bytes(); }
  // Runs when the descriptor was given back. Used by listeners to count.
  void set_on_released(std::function<void()> on_released) { on_released_ = std::move(on_released); }

 private:
  struct Io;
  using Time = std::chrono::steady_clock::time_point;
  enum class State { proving, proved, open, finishing, closed };

  void continue_proof();
  void finish_proof(const Result<void>& proof);
  void wait_readable();
  void wait_writable();
  void on_readable();
  void on_writable();
  void read_all();
  bool feed(std::string_view bytes);  // false: read no more
  void schedule_read();
  void schedule_flush();
  void flush();
  bool write_front();  // false: no more now
  void after_flush();
  void fail(const Error& error);
  void release();
  void expect_within(std::uint32_t limit_ms, Time& deadline);
  void arm_timer(Time deadline);
  void check_deadlines();
  bool may_read() const;

  std::unique_ptr<Io> io_;
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<FrameReader> reader_;
  OutputQueue output_;
  ConnectionLimits limits_;
  std::shared_ptr<ConnectionHandlers> handlers_;  // kept by a call that a handler may end
  std::function<void(const Result<void>&)> on_proved_;
  std::function<void()> on_released_;
  State state_ = State::proving;
  bool waiting_readable_ = false;
  bool waiting_writable_ = false;
  bool flush_scheduled_ = false;
  bool read_paused_ = false;
  bool above_high_ = false;
  bool read_scheduled_ = false;
  bool closed_by_us_ = false;
  // Time{}: nothing is expected.
  Time proof_deadline_{};
  Time frame_deadline_{};
  Time write_deadline_{};
  Time timer_at_{};
};

using ConnectionPtr = std::shared_ptr<Connection>;

}  // namespace sluice
