// dialer.cpp: resolve, connect, prove, in this order, under one deadline.
#include "common/net/dialer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/net/byte_stream.h"
#include "common/net/sockets.h"

namespace sluice {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using LocalSocket = boost::asio::local::stream_protocol::socket;

// One try. Shared by its pending calls; ended when on_dialled_ is gone.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(IoContext& io, OnDialled on_dialled, const ConnectionLimits& limits, std::string place)
      : io_(io), timer_(io), limits_(limits), on_dialled_(std::move(on_dialled)),
        place_(std::move(place)) {
    deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds{limits.handshake_ms};
  }
  virtual ~Attempt() = default;

  void begin() {
    timer_.expires_at(deadline_);
    timer_.async_wait([self = shared_from_this()](const error_code& cancelled) {
      if (!cancelled)
        self->finish(Error{ErrorCode::no_controller,
                           fmt::format("{}: no answer within {} ms", self->place_,
                                       self->limits_.handshake_ms)});
    });
    connect();
  }

  void end() {
    on_dialled_ = nullptr;
    timer_.cancel();
    stop_connecting();
    if (connection_) connection_->close();
  }

 protected:
  virtual void connect() = 0;
  virtual void stop_connecting() = 0;

  bool is_over() const { return !on_dialled_; }

  void finish(Result<ConnectionPtr> result) {
    if (is_over()) return;
    const OnDialled on_dialled = std::exchange(on_dialled_, nullptr);
    timer_.cancel();
    stop_connecting();
    if (!result && connection_) connection_->close();
    connection_.reset();
    on_dialled(std::move(result));
  }

  void fail(const error_code& error) {
    finish(Error{ErrorCode::no_controller, fmt::format("{}: {}", place_, error.message())});
  }

  void prove(std::unique_ptr<ByteStream> stream) {
    connection_ = std::make_shared<Connection>(io_, std::move(stream), limits_);
    connection_->prove([self = shared_from_this()](const Result<void>& proof) {
      if (!proof) return self->finish(proof.error());
      self->finish(ConnectionPtr{self->connection_});
    });
  }

  IoContext& io_;
  boost::asio::steady_timer timer_;

 private:
  ConnectionLimits limits_;
  OnDialled on_dialled_;
  std::string place_;
  std::chrono::steady_clock::time_point deadline_;
  ConnectionPtr connection_;
};

class TlsAttempt : public Attempt {
 public:
  TlsAttempt(IoContext& io, DialTarget target, KeyRingPtr keys, OnDialled on_dialled,
             const ConnectionLimits& limits)
      : Attempt(io, std::move(on_dialled), limits, fmt::format("{}:{}", target.host, target.port)),
        resolver_(io), socket_(io), target_(std::move(target)), keys_(std::move(keys)) {}

 private:
  std::shared_ptr<TlsAttempt> self() {
    return std::static_pointer_cast<TlsAttempt>(shared_from_this());
  }

  void connect() override {
    if (make_socket_address(target_.host, target_.port)) return connect_to_address();
    resolver_.async_resolve(target_.host, std::to_string(target_.port),
                            [self = self()](const error_code& error, const auto& found) {
                              if (error) return self->fail(error);
                              self->connect_to_any(found);
                            });
  }

  void connect_to_address() {
    const tcp::endpoint endpoint{boost::asio::ip::make_address(target_.host), target_.port};
    socket_.async_connect(endpoint, [self = self()](const error_code& error) {
      if (error) return self->fail(error);
      self->on_connected();
    });
  }

  void connect_to_any(const tcp::resolver::results_type& found) {
    if (is_over()) return;
    boost::asio::async_connect(socket_, found,
                               [self = self()](const error_code& error, const tcp::endpoint&) {
                                 if (error) return self->fail(error);
                                 self->on_connected();
                               });
  }

  void on_connected() {
    if (is_over()) return;
    const tcp::endpoint peer = socket_.remote_endpoint(ignored_);
    const std::string host = peer.address().to_string();
    const std::string address =
        fmt::format("{}:{}", peer.address().is_v6() ? "[" + host + "]" : host, peer.port());
    socket_.native_non_blocking(true, ignored_);
    const int fd = socket_.release(ignored_);
    tune_tcp(fd);
    prove(make_tls_dialling_stream(fd, {.address = address, .node = target_.node}, keys_));
  }

  void stop_connecting() override {
    resolver_.cancel();
    socket_.close(ignored_);
  }

  tcp::resolver resolver_;
  tcp::socket socket_;
  DialTarget target_;
  KeyRingPtr keys_;
  error_code ignored_;
};

class UnixAttempt : public Attempt {
 public:
  UnixAttempt(IoContext& io, const std::string& path, OnDialled on_dialled,
              const ConnectionLimits& limits)
      : Attempt(io, std::move(on_dialled), limits, path), path_(path), socket_(io) {}

 private:
  void connect() override {
    if (const auto address = make_unix_address(path_); !address) {
      boost::asio::post(io_, [self = self(), error = address.error()] { self->finish(error); });
      return;
    }
    socket_.async_connect({path_}, [self = self()](const error_code& error) {
      if (error) return self->fail(error);
      self->on_connected();
    });
  }

  std::shared_ptr<UnixAttempt> self() {
    return std::static_pointer_cast<UnixAttempt>(shared_from_this());
  }

  void on_connected() {
    if (is_over()) return;
    socket_.native_non_blocking(true, ignored_);
    const int fd = socket_.release(ignored_);
    prove(make_plain_stream(fd, local_peer_of(fd, path_)));
  }

  void stop_connecting() override { socket_.close(ignored_); }

  std::string path_;
  LocalSocket socket_;
  error_code ignored_;
};

class AttemptDial : public Dial {
 public:
  explicit AttemptDial(std::shared_ptr<Attempt> attempt) : attempt_(std::move(attempt)) {
    attempt_->begin();
  }
  ~AttemptDial() override { attempt_->end(); }

 private:
  std::shared_ptr<Attempt> attempt_;
};

}  // namespace

DialPtr dial_tls(IoContext& io, const DialTarget& target, KeyRingPtr keys, OnDialled on_dialled,
                 const ConnectionLimits& limits) {
  return std::make_unique<AttemptDial>(std::make_shared<TlsAttempt>(
      io, target, std::move(keys), std::move(on_dialled), limits));
}

DialPtr dial_unix(IoContext& io, const std::string& path, OnDialled on_dialled,
                  const ConnectionLimits& limits) {
  return std::make_unique<AttemptDial>(
      std::make_shared<UnixAttempt>(io, path, std::move(on_dialled), limits));
}

std::chrono::milliseconds retry_delay(std::uint32_t attempt, std::uint64_t random) {
  constexpr std::uint64_t first_ms = 100;
  constexpr std::uint64_t last_ms = 5000;
  const std::uint64_t base_ms = std::min(last_ms, first_ms << std::min(attempt, 16U) >> 1);
  return std::chrono::milliseconds{base_ms / 2 + random % (base_ms / 2 + 1)};
}

}  // namespace sluice
