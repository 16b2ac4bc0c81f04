// connection.cpp: waits for the descriptor, moves bytes between stream, reader and queue.
#include "common/net/connection.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "common/net/byte_stream.h"
#include "common/net/frame_reader.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;
using boost::asio::posix::stream_descriptor;

// One peer may not hold the thread for longer than it takes to move this many bytes.
constexpr std::size_t read_bytes_a_turn = 256U << 10;
constexpr std::size_t write_bytes_a_turn = 1U << 20;

// Only used between a read and the end of its feed(), never across turns of the loop.
std::array<char, 64U << 10>& read_buffer() {
  static thread_local std::array<char, 64U << 10> buffer;
  return buffer;
}

}  // namespace

struct Connection::Io {
  Io(IoContext& context, int fd) : io(context), descriptor(context, fd), timer(context) {}

  IoContext& io;
  stream_descriptor descriptor;
  boost::asio::steady_timer timer;
};

Connection::Connection(IoContext& io, std::unique_ptr<ByteStream> stream,
                       const ConnectionLimits& limits)
    : io_(std::make_unique<Io>(io, stream->descriptor())), stream_(std::move(stream)),
      reader_(std::make_unique<FrameReader>(limits.payload_bytes_max)), limits_(limits) {}

Connection::~Connection() {
  if (state_ != State::closed) release();
}

// --- proof ---

void Connection::prove(std::function<void(const Result<void>&)> done) {
  on_proved_ = std::move(done);
  expect_within(limits_.handshake_ms, proof_deadline_);
  continue_proof();
}

void Connection::continue_proof() {
  const StreamResult result = stream_->prove();
  switch (result.status) {
    case StreamStatus::done: return finish_proof({});
    case StreamStatus::want_read: return wait_readable();
    case StreamStatus::want_write: return wait_writable();
    case StreamStatus::closed:
      return finish_proof(Error{ErrorCode::authentication_failed, "closed by the peer before proof"});
    case StreamStatus::failed: return finish_proof(result.error);
  }
}

void Connection::finish_proof(const Result<void>& proof) {
  const auto self = shared_from_this();
  proof_deadline_ = {};
  if (proof) state_ = State::proved;
  const auto done = std::exchange(on_proved_, nullptr);
  if (!proof) release();
  if (done) done(proof);
}

// --- waiting ---

void Connection::wait_readable() {
  if (waiting_readable_ || state_ == State::closed) return;
  waiting_readable_ = true;
  io_->descriptor.async_wait(stream_descriptor::wait_read,
                             [self = shared_from_this()](const boost::system::error_code&) {
                               self->waiting_readable_ = false;
                               self->on_readable();
                             });
}

void Connection::wait_writable() {
  if (waiting_writable_ || state_ == State::closed) return;
  waiting_writable_ = true;
  io_->descriptor.async_wait(stream_descriptor::wait_write,
                             [self = shared_from_this()](const boost::system::error_code&) {
                               self->waiting_writable_ = false;
                               self->on_writable();
                             });
}

// Closing the descriptor also ends the waits: both functions are then called for a closed state.
void Connection::on_readable() {
  if (state_ == State::proving) return continue_proof();
  if (state_ == State::open) read_all();
}

void Connection::on_writable() {
  if (state_ == State::proving) return continue_proof();
  if (state_ != State::closed) flush();
}

// --- input ---

void Connection::start(ConnectionHandlers handlers) {
  if (state_ == State::closed) return;
  ASSERT(state_ == State::proved);
  state_ = State::open;
  handlers_ = std::make_shared<ConnectionHandlers>(std::move(handlers));
  if (limits_.first_frame_ms != 0) expect_within(limits_.first_frame_ms, frame_deadline_);
  // Bytes that came with the proof lie in the stream already: waiting for the descriptor could be
  // for ever.
  schedule_read();
}

void Connection::pause_reading() { read_paused_ = true; }

void Connection::resume_reading() {
  read_paused_ = false;
  schedule_read();
}

bool Connection::may_read() const {
  const bool must_drain = limits_.read_only_when_drained && above_high_;
  return state_ == State::open && !read_paused_ && !must_drain;
}

void Connection::schedule_read() {
  if (read_scheduled_) return;
  read_scheduled_ = true;
  boost::asio::post(io_->io, [self = shared_from_this()] {
    self->read_scheduled_ = false;
    self->read_all();
  });
}

void Connection::read_all() {
  std::size_t bytes = 0;
  while (may_read()) {
    if (bytes >= read_bytes_a_turn) return schedule_read();
    std::array<char, 64U << 10>& buffer = read_buffer();
    const StreamResult result = stream_->read(buffer.data(), buffer.size());
    switch (result.status) {
      case StreamStatus::done: break;
      case StreamStatus::want_read: return wait_readable();
      case StreamStatus::want_write: return schedule_flush();
      case StreamStatus::closed:
        return fail(Error{ErrorCode::io_error, reader_->is_mid_frame()
                                                   ? "closed by the peer within a frame"
                                                   : "closed by the peer"});
      case StreamStatus::failed: return fail(result.error);
    }
    bytes += result.bytes;
    if (!feed({buffer.data(), result.bytes})) return;
    if (result.is_drained && may_read()) return wait_readable();
  }
}

bool Connection::feed(std::string_view bytes) {
  const auto handlers = handlers_;
  bool has_frame = false;
  const Result<void> fed =
      reader_->feed(bytes, [&](const FrameHeader& header, std::string payload) {
        has_frame = true;
        handlers->on_frame(header, std::move(payload));
        return state_ == State::open;
      });
  if (!fed) {
    fail(fed.error());
    return false;
  }
  if (has_frame) frame_deadline_ = {};
  if (reader_->is_mid_frame() && frame_deadline_ == Time{})
    expect_within(limits_.frame_ms, frame_deadline_);
  return state_ == State::open;
}

// --- output ---

bool Connection::send(const FrameHeader& header, std::string payload, Priority priority) {
  if (state_ != State::open && state_ != State::proved) return false;
  output_.push(header, std::move(payload), priority);
  if (output_.bytes() > limits_.output_bytes_max) {
    fail(Error{ErrorCode::limit_exceeded,
               fmt::format("{} bytes wait for a peer that does not take them", output_.bytes())});
    return false;
  }
  above_high_ = above_high_ || output_.bytes() > limits_.output_bytes_high;
  schedule_flush();
  return !above_high_;
}

void Connection::schedule_flush() {
  if (flush_scheduled_ || waiting_writable_) return;
  flush_scheduled_ = true;
  boost::asio::post(io_->io, [self = shared_from_this()] {
    self->flush_scheduled_ = false;
    self->flush();
  });
}

void Connection::flush() {
  if (state_ == State::closed || waiting_writable_) return;
  const std::size_t end = output_.bytes() > write_bytes_a_turn
                              ? output_.bytes() - write_bytes_a_turn
                              : 0;
  while (output_.bytes() > end)
    if (!write_front()) return;
  if (!output_.empty()) schedule_flush();
  after_flush();
}

bool Connection::write_front() {
  const StreamResult result = stream_->write(output_.front());
  switch (result.status) {
    case StreamStatus::done:
      output_.pop(result.bytes);
      write_deadline_ = {};
      return true;
    case StreamStatus::want_read:
    case StreamStatus::want_write:
      if (write_deadline_ == Time{}) expect_within(limits_.write_stall_ms, write_deadline_);
      after_flush();
      wait_writable();
      return false;
    case StreamStatus::closed: fail(Error{ErrorCode::io_error, "closed by the peer"}); return false;
    case StreamStatus::failed: fail(result.error); return false;
  }
  return false;
}

void Connection::after_flush() {
  if (state_ == State::finishing && output_.empty()) return release();
  if (!above_high_ || output_.bytes() > limits_.output_bytes_high / 2) return;
  above_high_ = false;
  if (limits_.read_only_when_drained) schedule_read();
  const auto handlers = handlers_;
  if (handlers && handlers->on_drained) handlers->on_drained();
}

// --- the end ---

void Connection::close() {
  closed_by_us_ = true;
  if (state_ != State::closed) release();
}

void Connection::close_when_sent() {
  if (state_ == State::closed) return;
  closed_by_us_ = true;
  state_ = State::finishing;
  schedule_flush();
}

void Connection::fail(const Error& error) {
  if (state_ == State::closed) return;
  const auto handlers = handlers_;
  release();
  if (!handlers || !handlers->on_closed) return;
  boost::asio::post(io_->io, [self = shared_from_this(), handlers, error] {
    if (!self->closed_by_us_) handlers->on_closed(error);
  });
}

void Connection::release() {
  const bool was_proved = state_ != State::proving;
  state_ = State::closed;
  if (was_proved) stream_->say_goodbye();
  io_->timer.cancel();
  boost::system::error_code ignored;
  io_->descriptor.close(ignored);
  handlers_.reset();
  on_proved_ = nullptr;
  const auto released = std::exchange(on_released_, nullptr);
  if (released) released();
}

bool Connection::is_open() const { return state_ != State::closed; }
const PeerIdentity& Connection::peer() const { return stream_->peer(); }

// --- deadlines ---

void Connection::expect_within(std::uint32_t limit_ms, Time& deadline) {
  deadline = Clock::now() + std::chrono::milliseconds{limit_ms};
  arm_timer(deadline);
}

// A deadline that is met leaves the timer running; it then finds nothing late and stops.
void Connection::arm_timer(Time deadline) {
  if (timer_at_ != Time{} && timer_at_ <= deadline) return;
  timer_at_ = deadline;
  io_->timer.expires_at(deadline);
  io_->timer.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->state_ == State::closed) return;
    self->timer_at_ = {};
    self->check_deadlines();
  });
}

void Connection::check_deadlines() {
  const Time now = Clock::now();
  const auto is_late = [now](Time deadline) { return deadline != Time{} && deadline <= now; };
  if (is_late(proof_deadline_))
    return finish_proof(Error{ErrorCode::authentication_failed,
                              fmt::format("no proof within {} ms", limits_.handshake_ms)});
  if (is_late(frame_deadline_))
    return fail(Error{ErrorCode::protocol_error, "no whole frame came in the time allowed"});
  if (is_late(write_deadline_))
    return fail(Error{ErrorCode::io_error,
                      fmt::format("the peer took no bytes for {} ms", limits_.write_stall_ms)});
  for (const Time deadline : {proof_deadline_, frame_deadline_, write_deadline_})
    if (deadline != Time{}) arm_timer(deadline);
}

}  // namespace sluice
