// client.cpp: connecting, sending, waiting, and the rule of repetition. Only sockets and poll.
#include "cli/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>

#include "cli/accounts_of_machine.h"
#include "common/base/clock.h"
#include "common/wire/frame.h"

namespace sluice {
namespace {

// Between two attempts at a controller that has just died or is starting.
constexpr long retry_pause_ns = 50'000'000;

SteadyTime steady_now() { return read_clocks().steady; }

// For poll(): -1 waits for ever.
int ms_until(SteadyTime deadline) {
  if (deadline == SteadyTime::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
}

Error lost(std::string_view what, int error_number) {
  return Error{ErrorCode::io_error, fmt::format("{}: {}", what, std::strerror(error_number))};
}

Error timed_out() { return Error{ErrorCode::io_error, "no answer in time"}; }

Error unreachable(const std::string& path, std::string_view why) {
  return Error{ErrorCode::no_controller, fmt::format("{}: {}", path, why)};
}

Result<void> wait_until_ready(int socket, short events, SteadyTime deadline) {
  pollfd waited{socket, events, 0};
  while (true) {
    const int ready = poll(&waited, 1, ms_until(deadline));
    if (ready > 0) return {};
    if (ready == 0) return timed_out();
    if (errno != EINTR) return lost("poll", errno);
  }
}

void set_connect_timeout(int socket, Duration timeout) {
  timeval limit{};
  limit.tv_sec = timeout.count() / 1'000'000;
  limit.tv_usec = timeout.count() % 1'000'000;
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

}  // namespace

Client::Client(const ClusterConfig& config)
    : paths_(config.paths),
      slurm_user_(config.slurm_user),
      timeout_(std::chrono::seconds{config.timeouts.message_timeout_s}) {}

Client::~Client() { disconnect(); }

void Client::disconnect() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

Result<std::string> Client::exchange(const Outgoing& request, MessageType expected) {
  notes_.clear();
  const SteadyTime deadline =
      request.wait_for_ever ? SteadyTime::max() : steady_now() + timeout_;
  bool was_sent = false;
  while (true) {
    Result<Arrived> arrived = attempt(request, deadline, was_sent);
    if (arrived.ok()) return unwrap(std::move(arrived).value(), expected);
    disconnect();
    if (!was_sent || arrived.error().code == ErrorCode::protocol_error) return arrived.error();
    if (!request.repeatable || steady_now() >= deadline)
      return Error{ErrorCode::outcome_unknown, arrived.error().detail};
    const timespec pause{0, retry_pause_ns};
    nanosleep(&pause, nullptr);
  }
}

Result<Client::Arrived> Client::attempt(const Outgoing& request, SteadyTime deadline,
                                        bool& was_sent) {
  if (socket_ < 0) TRY(connect_to_controller());
  was_sent = true;  // the peer may act on it as soon as the first byte has left
  Result<void> sent = send(request, deadline);
  if (sent.ok()) return receive(deadline);
  // A peer that refuses a frame by its header answers and closes before it has read all of it.
  Result<Arrived> early = receive(steady_now());
  if (early.ok()) return early;
  return sent.error();
}

Result<std::string> Client::next_part(MessageType expected) {
  Result<Arrived> arrived = receive(steady_now() + timeout_);
  if (arrived.ok()) return unwrap(std::move(arrived).value(), expected);
  disconnect();
  return Error{ErrorCode::outcome_unknown, "the listing broke off: " + arrived.error().detail};
}

Result<std::string> Client::unwrap(Arrived arrived, MessageType expected) {
  if (arrived.type == expected) return std::move(arrived.payload);
  if (arrived.type != MessageType::error_reply)
    return Error{ErrorCode::protocol_error,
                 fmt::format("answer of type {} where {} was expected",
                             static_cast<unsigned>(arrived.type), static_cast<unsigned>(expected))};
  ErrorReply refusal = TRY(from_bytes<ErrorReply>(arrived.payload));
  notes_ = std::move(refusal.notes);
  return Error{refusal.code, std::move(refusal.detail)};
}

bool Client::is_on_controller_host() const {
  return access(paths_.controller_socket.c_str(), F_OK) == 0;
}

Result<void> Client::connect_to_controller() {
  if (is_on_controller_host()) return connect_to(paths_.controller_socket);
  if (access(paths_.agent_socket.c_str(), F_OK) == 0) return connect_to(paths_.agent_socket);
  return unreachable(paths_.controller_socket,
                     fmt::format("no such socket, nor an agent's at {}", paths_.agent_socket));
}

bool Client::owner_is_trusted(std::uint32_t uid) const {
  if (uid == 0 || uid == geteuid()) return true;
  const auto entry = find_user(slurm_user_);
  return entry && entry->uid == uid;
}

Result<void> Client::connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return unreachable(path, fmt::format("longer than {} bytes", sizeof address.sun_path - 1));
  path.copy(address.sun_path, path.size());

  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return unreachable(path, std::strerror(errno));
  if (!owner_is_trusted(found.st_uid))
    return Error{ErrorCode::authentication_failed,
                 fmt::format("{} belongs to uid {}, not to root, {} or you", path, found.st_uid,
                             slurm_user_)};

  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return unreachable(path, std::strerror(errno));
  // Bounds the wait when the peer's queue of connections is full; nobody listening fails at once.
  set_connect_timeout(socket_, timeout_);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return {};
  const int error_number = errno;
  disconnect();
  return unreachable(path, error_number == EAGAIN ? "it does not accept connections"
                                                  : std::strerror(error_number));
}

Result<void> Client::send(const Outgoing& request, SteadyTime deadline) {
  std::string bytes = to_bytes(FrameHeader{static_cast<std::uint32_t>(request.payload.size()),
                                           static_cast<std::uint16_t>(request.type),
                                           ++request_number_});
  bytes += request.payload;
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t sent = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) left.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN) TRY(wait_until_ready(socket_, POLLOUT, deadline));
    else if (errno != EINTR) return lost("send", errno);
  }
  return {};
}

Result<void> Client::read_exactly(char* into, std::size_t size, SteadyTime deadline) {
  while (size > 0) {
    const ssize_t got = recv(socket_, into, size, MSG_DONTWAIT);
    if (got == 0) return Error{ErrorCode::io_error, "the controller closed the connection"};
    if (got > 0) {
      into += got;
      size -= static_cast<std::size_t>(got);
    } else if (errno == EAGAIN) {
      TRY(wait_until_ready(socket_, POLLIN, deadline));
    } else if (errno != EINTR) {
      return lost("receive", errno);
    }
  }
  return {};
}

Result<Client::Arrived> Client::receive(SteadyTime deadline) {
  char bytes[frame_header_bytes];
  TRY(read_exactly(bytes, sizeof bytes, deadline));
  const FrameHeader header =
      TRY(parse_frame_header({bytes, sizeof bytes}, frame_payload_bytes_max));
  if (header.request != request_number_)
    return Error{ErrorCode::protocol_error, "an answer to another request"};
  Arrived arrived{static_cast<MessageType>(header.type), {}};
  arrived.payload.resize(header.payload_bytes);
  TRY(read_exactly(arrived.payload.data(), arrived.payload.size(), deadline));
  return arrived;
}

}  // namespace sluice
