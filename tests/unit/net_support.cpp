// net_support.cpp: see net_support.h.
#include "tests/unit/net_support.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "common/base/clock.h"
#include "common/net/dialer.h"
#include "common/net/sockets.h"

namespace sluice::net_test {

void run_until(IoContext& io, const std::function<bool()>& is_met) {
  constexpr auto patience = std::chrono::seconds{20};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_met()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    io.restart();
    io.run_one_for(std::chrono::milliseconds{100});
  }
}

void run_ready(IoContext& io) {
  io.restart();
  io.poll();
}

Folder::Folder() {
  path = (std::filesystem::temp_directory_path() / "net_test.XXXXXX").string();
  REQUIRE(mkdtemp(path.data()) != nullptr);
}

Folder::~Folder() { std::filesystem::remove_all(path); }

std::string Folder::write_key(const std::string& name, const std::string& text, mode_t mode) const {
  const std::string file = path + "/" + name;
  std::filesystem::remove(file);
  std::ofstream{file} << text;
  REQUIRE(chmod(file.c_str(), mode) == 0);
  return file;
}

std::string key_text(char letter) { return std::string(40, letter) + "\n"; }

std::shared_ptr<KeyRing> ring_of(const std::string& text, const std::string& path) {
  Result<ClusterKey> key = ClusterKey::parse(text, path, read_clocks().wall);
  REQUIRE(key);
  return std::make_shared<KeyRing>(*key);
}

void End::take(ConnectionPtr made) {
  connection = std::move(made);
  connection->start({.on_frame =
                         [this](const FrameHeader& header, std::string payload) {
                           frames.push_back({header, std::move(payload)});
                         },
                     .on_closed = [this](const Error& error) { closed = error; },
                     .on_drained = [this] { ++drained; }});
}

bool End::send(std::uint32_t request, std::string payload, Priority priority) {
  FrameHeader header;
  header.type = 7;
  header.request = request;
  return connection->send(header, std::move(payload), priority);
}

ListenerHandlers EchoServer::handlers() {
  const auto echo = [this](ConnectionPtr connection) {
    connections.push_back(connection);
    connection->start(
        {.on_frame = [raw = connection.get()](
                         const FrameHeader& header,
                         std::string payload) { raw->send(header, std::move(payload)); },
         .on_closed = {},
         .on_drained = {}});
  };
  return {.on_connection = echo,
          .on_refused = [this](const std::string&,
                               const Error& error) { refusals.push_back(error.detail); },
          .on_refused_silently = [this](std::size_t count) { silent_refusals.push_back(count); }};
}

std::size_t EchoServer::refused() const {
  return std::accumulate(silent_refusals.begin(), silent_refusals.end(), refusals.size());
}

void EchoServer::listen_tls_with(KeyRingPtr keys) {
  Result<ListenerPtr> made = listen_tls(io, {"127.0.0.1", 0}, std::move(keys), handlers(), limits);
  INFO((made ? "" : made.error().detail));
  REQUIRE(made);
  listener = *std::move(made);
}

void EchoServer::listen_unix_at(const std::string& path) {
  Result<ListenerPtr> made = listen_unix(io, path, handlers(), limits);
  INFO((made ? "" : made.error().detail));
  REQUIRE(made);
  listener = *std::move(made);
}

EchoServer::~EchoServer() {
  listener.reset();
  for (const ConnectionPtr& connection : connections) connection->close();
  run_ready(io);
}

Result<ConnectionPtr> dial(EchoServer& server, KeyRingPtr keys, const std::string& node) {
  std::optional<Result<ConnectionPtr>> result;
  const DialPtr dialling =
      dial_tls(server.io, {"127.0.0.1", server.listener->port(), node}, std::move(keys),
               [&](Result<ConnectionPtr> made) { result = std::move(made); });
  run_until(server.io, [&] { return result.has_value(); });
  return *result;
}

int connect_raw(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(fd >= 0);
  const Result<SocketAddress> address = make_socket_address("127.0.0.1", port);
  REQUIRE(address);
  REQUIRE(connect(fd, address->get(), address->size) == 0);
  return fd;
}

bool is_ended(int fd) {
  char bytes[256];
  while (true) {
    const ssize_t count = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN)) return true;
    if (count < 0) return false;
  }
}

void write_all(int fd, const std::string& bytes) {
  REQUIRE(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
}

}  // namespace sluice::net_test
