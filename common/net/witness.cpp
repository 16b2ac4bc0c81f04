// witness.cpp: the sockets of the witness protocol.
#include "common/net/witness.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <utility>

#include "common/net/byte_stream.h"
#include "common/net/crypto.h"
#include "common/net/sockets.h"
#include "common/net/witness_packet.h"

namespace sluice {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;
using Datagram = std::array<char, witness_packet_bytes_max + 1>;  // one more: too long is seen

// A flood of datagrams must leave the loop time for the rest.
constexpr int datagrams_a_turn = 64;

Result<Descriptor> make_udp_socket(int family) {
  Descriptor made{socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (made.get() < 0) return system_error("socket");
  return made;
}

Result<Descriptor> bind_udp(const std::string& text, std::uint16_t port) {
  const SocketAddress address = TRY(make_socket_address(text, port));
  Descriptor made = TRY(make_udp_socket(address.family()));
  if (bind(made.get(), address.get(), address.size) != 0) return system_error(to_text(address));
  return made;
}

// --- answering ---

class AnswerLoop : public std::enable_shared_from_this<AnswerLoop> {
 public:
  AnswerLoop(IoContext& io, Descriptor socket, WitnessSecrets secrets,
             std::function<WitnessStatus(const std::string&)> status)
      : socket_(io, socket.give_away()), secrets_(std::move(secrets)), status_(std::move(status)) {}

  void wait() {
    socket_.async_wait(stream_descriptor::wait_read,
                       [self = shared_from_this()](const error_code& error) {
                         if (!error && self->socket_.is_open()) self->answer_some();
                       });
  }

  void stop() {
    error_code ignored;
    socket_.close(ignored);
  }

  std::uint16_t port() { return port_of(socket_.native_handle()); }
  void set_secrets(WitnessSecrets secrets) { secrets_ = std::move(secrets); }

 private:
  void answer_some() {
    for (int i = 0; i < datagrams_a_turn; ++i) {
      Datagram bytes;
      SocketAddress sender;
      sender.size = sizeof sender.storage;
      const ssize_t count = recvfrom(socket_.native_handle(), bytes.data(), bytes.size(), 0,
                                     sender.get(), &sender.size);
      if (count < 0) break;
      answer({bytes.data(), static_cast<std::size_t>(count)}, sender);
    }
    wait();
  }

  void answer(std::string_view bytes, const SocketAddress& sender) {
    const auto opened = open_witness_packet(bytes, secrets_);
    if (!opened || opened->packet.kind != WitnessKind::question) return;
    const WitnessStatus status = status_(opened->packet.from);
    WitnessPacket answer;
    answer.kind = WitnessKind::answer;
    answer.nonce = opened->packet.nonce;
    answer.list = status.list;
    answer.silence_ms = status.silence_ms;
    const std::string sealed = seal_witness_packet(answer, secrets_[opened->secret_index]);
    // An answer that cannot be sent is a lost answer: the asker repeats its question.
    static_cast<void>(sendto(socket_.native_handle(), sealed.data(), sealed.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL, sender.get(), sender.size));
  }

  stream_descriptor socket_;
  WitnessSecrets secrets_;
  std::function<WitnessStatus(const std::string&)> status_;
};

class LoopResponder : public WitnessResponder {
 public:
  explicit LoopResponder(std::shared_ptr<AnswerLoop> loop) : loop_(std::move(loop)) { loop_->wait(); }
  ~LoopResponder() override { loop_->stop(); }
  std::uint16_t port() const override { return loop_->port(); }
  void set_secrets(WitnessSecrets secrets) override { loop_->set_secrets(std::move(secrets)); }

 private:
  std::shared_ptr<AnswerLoop> loop_;
};

// --- asking ---

struct Asked {
  Asked(IoContext& io, Witness asked) : witness(std::move(asked)), socket(io) {}

  Witness witness;
  stream_descriptor socket;
  std::string nonce;
  bool is_settled = false;  // answered, or cannot be reached
};

class Asking : public std::enable_shared_from_this<Asking> {
 public:
  Asking(IoContext& io, WitnessQuestion question, WitnessSecrets secrets,
         std::function<void(const std::vector<WitnessAnswer>&)> done)
      : io_(io), timer_(io), question_(std::move(question)), secrets_(std::move(secrets)),
        done_(std::move(done)) {}

  void begin() {
    for (const Witness& witness : question_.witnesses) {
      asked_.push_back(std::make_unique<Asked>(io_, witness));
      open(*asked_.back());
    }
    ask_silent_ones();
    wait_half([self = shared_from_this()] {
      self->ask_silent_ones();
      self->wait_half([self] { self->finish(); });
    });
    // Nobody to ask: the answer comes from the loop all the same, not from inside the call.
    boost::asio::post(io_, [self = shared_from_this()] { self->finish_when_settled(); });
  }

  void stop() {
    done_ = nullptr;
    timer_.cancel();
    for (const auto& asked : asked_) settle(*asked);
  }

 private:
  void open(Asked& asked) {
    asked.nonce = crypto::random_bytes(witness_nonce_bytes);
    const Result<SocketAddress> address =
        make_socket_address(asked.witness.address, asked.witness.port);
    if (!address) return settle(asked);
    Result<Descriptor> socket = make_udp_socket(address->family());
    if (!socket || connect(socket->get(), address->get(), address->size) != 0) return settle(asked);
    asked.socket.assign(socket->give_away());
    wait(asked);
  }

  template <class Next>
  void wait_half(Next next) {
    timer_.expires_after(question_.wait / 2);
    timer_.async_wait([next, self = shared_from_this()](const error_code& cancelled) {
      if (!cancelled && self->done_) next();
    });
  }

  void ask_silent_ones() {
    for (const auto& asked : asked_) {
      if (asked->is_settled) continue;
      WitnessPacket packet;
      packet.nonce = asked->nonce;
      packet.list = question_.list;
      packet.from = question_.from;
      const std::string sealed = seal_witness_packet(packet, secrets_.front());
      static_cast<void>(::send(asked->socket.native_handle(), sealed.data(), sealed.size(),
                               MSG_DONTWAIT | MSG_NOSIGNAL));
    }
  }

  void wait(Asked& asked) {
    asked.socket.async_wait(stream_descriptor::wait_read,
                            [self = shared_from_this(), &asked](const error_code& error) {
                              if (!error && self->done_ && !asked.is_settled) self->read(asked);
                            });
  }

  void read(Asked& asked) {
    Datagram bytes;
    const ssize_t count = recv(asked.socket.native_handle(), bytes.data(), bytes.size(), 0);
    if (count < 0 && errno != EAGAIN && errno != EINTR) settle(asked);  // refused: nobody is there
    if (count > 0) take({bytes.data(), static_cast<std::size_t>(count)}, asked);
    if (!asked.is_settled) return wait(asked);
    finish_when_settled();
  }

  void take(std::string_view bytes, Asked& asked) {
    const auto opened = open_witness_packet(bytes, secrets_);
    if (!opened || opened->packet.kind != WitnessKind::answer) return;
    if (opened->packet.nonce != asked.nonce) return;
    answers_.push_back(
        {asked.witness.node, {opened->packet.list, opened->packet.silence_ms}});
    settle(asked);
  }

  void settle(Asked& asked) {
    asked.is_settled = true;
    error_code ignored;
    asked.socket.close(ignored);
  }

  void finish_when_settled() {
    for (const auto& asked : asked_)
      if (!asked->is_settled) return;
    finish();
  }

  void finish() {
    const auto done = std::exchange(done_, nullptr);
    if (!done) return;
    stop();
    done(answers_);
  }

  IoContext& io_;
  boost::asio::steady_timer timer_;
  WitnessQuestion question_;
  WitnessSecrets secrets_;
  std::function<void(const std::vector<WitnessAnswer>&)> done_;
  std::vector<std::unique_ptr<Asked>> asked_;
  std::vector<WitnessAnswer> answers_;
};

class AskingRound : public WitnessRound {
 public:
  explicit AskingRound(std::shared_ptr<Asking> asking) : asking_(std::move(asking)) { asking_->begin(); }
  ~AskingRound() override { asking_->stop(); }

 private:
  std::shared_ptr<Asking> asking_;
};

}  // namespace

Result<std::unique_ptr<WitnessResponder>> open_witness_responder(
    IoContext& io, const WitnessPlace& place, WitnessSecrets secrets,
    std::function<WitnessStatus(const std::string& from)> status) {
  Result<Descriptor> socket = bind_udp(place.address.empty() ? "::" : place.address, place.port);
  if (!socket && place.address.empty()) socket = bind_udp("0.0.0.0", place.port);
  if (!socket) return socket.error();
  return std::unique_ptr<WitnessResponder>{std::make_unique<LoopResponder>(
      std::make_shared<AnswerLoop>(io, *std::move(socket), std::move(secrets), std::move(status)))};
}

std::unique_ptr<WitnessRound> ask_witnesses(
    IoContext& io, WitnessQuestion question, WitnessSecrets secrets,
    std::function<void(const std::vector<WitnessAnswer>&)> done) {
  ASSERT(!secrets.empty());
  return std::make_unique<AskingRound>(std::make_shared<Asking>(
      io, std::move(question), std::move(secrets), std::move(done)));
}

}  // namespace sluice
