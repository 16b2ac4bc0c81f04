// net_support.h: what tests of connections stand on: an event loop run until a condition holds,
// both ends of a connection, a server that answers every frame with itself, raw peers that
// misbehave.
#pragma once

#include <sys/types.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/net/cluster_key.h"
#include "common/net/connection.h"
#include "common/net/listener.h"

namespace sluice::net_test {

// Runs the loop until `is_met`; fails the test when that takes too long.
void run_until(IoContext& io, const std::function<bool()>& is_met);
// What is ready now.
void run_ready(IoContext& io);

// A folder that goes with the test.
struct Folder {
  std::string path;
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write_key(const std::string& name, const std::string& text, mode_t mode = 0600) const;
};

std::string key_text(char letter);
std::shared_ptr<KeyRing> ring_of(const std::string& text,
                                 const std::string& path = "/k/cluster.key");

struct Received {
  FrameHeader header;
  std::string payload;
};

// One end of a connection that keeps what came.
struct End {
  ConnectionPtr connection;
  std::vector<Received> frames;
  std::optional<Error> closed;
  int drained = 0;

  void take(ConnectionPtr made);
  bool send(std::uint32_t request, std::string payload, Priority priority = Priority::urgent);
};

// A listener whose connections answer every frame with itself.
struct EchoServer {
  explicit EchoServer(IoContext& loop) : io(loop) {}
  // No connection may outlive the handlers that name this server.
  ~EchoServer();
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;

  IoContext& io;
  ListenerPtr listener;
  std::vector<ConnectionPtr> connections;
  std::vector<std::string> refusals;
  std::vector<std::size_t> silent_refusals;
  ListenerLimits limits;

  ListenerHandlers handlers();
  void listen_tls_with(KeyRingPtr keys);
  void listen_unix_at(const std::string& path);
  std::size_t refused() const;  // told or not
};

Result<ConnectionPtr> dial(EchoServer& server, KeyRingPtr keys, const std::string& node = "n1");

// A blocking socket that is connected to the port.
int connect_raw(std::uint16_t port);
// The peer has closed; what it said before is dropped.
bool is_ended(int fd);
void write_all(int fd, const std::string& bytes);

}  // namespace sluice::net_test
