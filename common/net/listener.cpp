// listener.cpp: one accept loop for both kinds of socket; they differ in how a stream is made.
#include "common/net/listener.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <list>
#include <unordered_map>
#include <utility>

#include "common/net/byte_stream.h"
#include "common/net/refusal_meter.h"
#include "common/net/sockets.h"

namespace sluice {
namespace {

using boost::asio::posix::stream_descriptor;

constexpr int accepts_a_turn = 64;
constexpr auto pause_without_descriptors = std::chrono::milliseconds{100};
constexpr auto summary_interval = std::chrono::seconds{1};

// Outlives the listener while its connections live.
struct Book {
  std::list<std::weak_ptr<Connection>> unproved;  // oldest first
  std::unordered_map<std::uint32_t, std::size_t> connections_of_user;

  // False: none to drop.
  bool drop_oldest() {
    while (!unproved.empty()) {
      const ConnectionPtr oldest = unproved.front().lock();
      unproved.pop_front();
      if (!oldest) continue;
      oldest->close();
      return true;
    }
    return false;
  }
};

struct Accepted {
  Descriptor descriptor;
  SocketAddress address;
};

class AcceptLoop : public std::enable_shared_from_this<AcceptLoop> {
 public:
  AcceptLoop(IoContext& io, Descriptor socket, ListenerHandlers handlers,
             const ListenerLimits& limits)
      : io_(io),
        refusals_(std::make_shared<RefusalMeter>(limits.refusals_told_per_second_max)),
        socket_(io, socket.give_away()),
        timer_(io),
        summary_timer_(io),
        handlers_(std::move(handlers)),
        limits_(limits) {}
  virtual ~AcceptLoop() = default;

  void wait() {
    socket_.async_wait(stream_descriptor::wait_read,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         if (!error && self->socket_.is_open()) self->accept_some();
                       });
  }

  void stop() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
    summary_timer_.cancel();
  }

  std::uint16_t port() { return port_of(socket_.native_handle()); }
  std::size_t unproved() const { return book_->unproved.size(); }

 protected:
  // Null: refused, and told.
  virtual ConnectionPtr make_connection(Accepted accepted) = 0;

  void refuse(const std::string& address, const Error& error) {
    if (!refusals_->count(std::chrono::steady_clock::now())) return sum_up_later();
    if (handlers_.on_refused) handlers_.on_refused(address, error);
  }

  IoContext& io_;
  std::shared_ptr<Book> book_ = std::make_shared<Book>();
  std::shared_ptr<RefusalMeter> refusals_;  // shared with streams, which may outlive the listener

  const ListenerLimits& limits() const { return limits_; }

 private:
  void sum_up_later() {
    if (std::exchange(will_sum_up_, true)) return;
    summary_timer_.expires_after(summary_interval);
    summary_timer_.async_wait(
        [self = shared_from_this()](const boost::system::error_code& cancelled) {
          if (cancelled || !self->socket_.is_open()) return;
          self->will_sum_up_ = false;
          const std::size_t untold = self->refusals_->take_untold();
          if (self->handlers_.on_refused_silently) self->handlers_.on_refused_silently(untold);
        });
  }

  void accept_some() {
    for (int i = 0; i < accepts_a_turn; ++i) {
      Accepted accepted;
      accepted.address.size = sizeof accepted.address.storage;
      accepted.descriptor = Descriptor{accept4(socket_.native_handle(), accepted.address.get(),
                                               &accepted.address.size,
                                               SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (accepted.descriptor.get() >= 0)
        take(std::move(accepted));
      else if (!can_go_on(errno))
        return;
    }
    wait();
  }

  // After a failed accept; true: try again now.
  bool can_go_on(int error) {
    const bool is_out_of_descriptors =
        error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
    if (!is_out_of_descriptors) {
      if (error == ECONNABORTED || error == EINTR) return true;
      wait();
      return false;
    }
    if (book_->drop_oldest()) return true;
    timer_.expires_after(pause_without_descriptors);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (!cancelled && self->socket_.is_open()) self->accept_some();
    });
    return false;
  }

  void take(Accepted accepted) {
    const ConnectionPtr connection = make_connection(std::move(accepted));
    if (!connection) return;
    if (book_->unproved.size() >= limits_.unproved_max) book_->drop_oldest();
    book_->unproved.push_back(connection);
    connection->prove([self = shared_from_this(), at = std::prev(book_->unproved.end()),
                       weak = std::weak_ptr{connection}](const Result<void>& proof) {
      // drop_oldest() takes the entry out itself, and closes without calling this.
      self->book_->unproved.erase(at);
      const ConnectionPtr proved = weak.lock();
      if (!proof) return self->refuse(proved->peer().address, proof.error());
      if (!self->socket_.is_open()) return proved->close();
      self->handlers_.on_connection(proved);
    });
  }

  stream_descriptor socket_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer summary_timer_;
  bool will_sum_up_ = false;
  ListenerHandlers handlers_;
  ListenerLimits limits_;
};

class UnixLoop : public AcceptLoop {
 public:
  UnixLoop(IoContext& io, Descriptor socket, std::string path, ListenerHandlers handlers,
           const ListenerLimits& limits)
      : AcceptLoop(io, std::move(socket), std::move(handlers), limits), path_(std::move(path)) {}

 private:
  ConnectionPtr make_connection(Accepted accepted) override {
    const PeerIdentity peer = local_peer_of(accepted.descriptor.get(), path_);
    std::size_t& connections = book_->connections_of_user[peer.uid];
    if (peer.uid != 0 && connections >= limits().connections_per_user_max) {
      refuse(to_text(peer), Error{ErrorCode::limit_exceeded,
                                  fmt::format("{} connections of uid {}", connections, peer.uid)});
      return nullptr;
    }
    ++connections;
    const int fd = accepted.descriptor.give_away();
    auto connection =
        std::make_shared<Connection>(io_, make_plain_stream(fd, peer), limits().connection);
    connection->set_on_released([book = book_, uid = peer.uid] {
      const auto user = book->connections_of_user.find(uid);
      if (--user->second == 0) book->connections_of_user.erase(user);
    });
    return connection;
  }

  std::string path_;
};

class TlsLoop : public AcceptLoop {
 public:
  TlsLoop(IoContext& io, Descriptor socket, KeyRingPtr keys, ListenerHandlers handlers,
          const ListenerLimits& limits)
      : AcceptLoop(io, std::move(socket), std::move(handlers), limits), keys_(std::move(keys)) {}

 private:
  ConnectionPtr make_connection(Accepted accepted) override {
    const int fd = accepted.descriptor.give_away();
    tune_tcp(fd);
    return std::make_shared<Connection>(
        io_, make_tls_listening_stream(fd, to_text(accepted.address), keys_, refusals_),
        limits().connection);
  }

  KeyRingPtr keys_;
};

class LoopListener : public Listener {
 public:
  explicit LoopListener(std::shared_ptr<AcceptLoop> loop) : loop_(std::move(loop)) { loop_->wait(); }
  ~LoopListener() override { loop_->stop(); }
  std::uint16_t port() const override { return loop_->port(); }
  std::size_t unproved() const override { return loop_->unproved(); }

 private:
  std::shared_ptr<AcceptLoop> loop_;
};

}  // namespace

Result<ListenerPtr> listen_unix(IoContext& io, const std::string& path, ListenerHandlers handlers,
                                const ListenerLimits& limits) {
  Descriptor socket = TRY(make_unix_listener(path));
  return ListenerPtr{std::make_unique<LoopListener>(
      std::make_shared<UnixLoop>(io, std::move(socket), path, std::move(handlers), limits))};
}

Result<ListenerPtr> listen_tls(IoContext& io, const TcpPlace& place, KeyRingPtr keys,
                               ListenerHandlers handlers, const ListenerLimits& limits) {
  Descriptor socket = TRY(make_tcp_listener(place.address, place.port));
  return ListenerPtr{std::make_unique<LoopListener>(std::make_shared<TlsLoop>(
      io, std::move(socket), std::move(keys), std::move(handlers), limits))};
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

void set_descriptor_limit(std::uint64_t soft) {
  rlimit limit{};
  if (soft == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = soft;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace sluice
