// connection_test.cpp: real sockets on this host: frames over Unix and TLS, keys that differ, and
// peers that misbehave. Waits for conditions on the event loop, never for a time.
#include "common/net/connection.h"

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/base/clock.h"
#include "common/net/byte_stream.h"
#include "common/net/cluster_key.h"
#include "common/net/content_id.h"
#include "common/net/crypto.h"
#include "common/net/dialer.h"
#include "common/net/frame_reader.h"
#include "common/net/listener.h"
#include "common/net/sockets.h"
#include "common/wire/messages.h"

using namespace sluice;

namespace {

constexpr auto patience = std::chrono::seconds{20};

// Runs the loop until `is_met`; fails the test when that takes too long.
template <class Condition>
void run_until(IoContext& io, Condition is_met) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_met()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    io.restart();
    io.run_one_for(std::chrono::milliseconds{100});
  }
}

struct Folder {
  std::string path;
  Folder() {
    path = (std::filesystem::temp_directory_path() / "net_test.XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write_key(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    const std::string file = path + "/" + name;
    std::filesystem::remove(file);
    std::ofstream{file} << text;
    REQUIRE(chmod(file.c_str(), mode) == 0);
    return file;
  }
};

std::string key_text(char letter) { return std::string(40, letter) + "\n"; }

std::shared_ptr<KeyRing> ring_of(const std::string& text, const std::string& path = "/k/cluster.key") {
  Result<ClusterKey> key = ClusterKey::parse(text, path, read_clocks().wall);
  REQUIRE(key);
  return std::make_shared<KeyRing>(*key);
}

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

  void take(ConnectionPtr made) {
    connection = std::move(made);
    connection->start({.on_frame = [this](const FrameHeader& header, std::string payload) {
                         frames.push_back({header, std::move(payload)});
                       },
                       .on_closed = [this](const Error& error) { closed = error; },
                       .on_drained = [this] { ++drained; }});
  }
  bool send(std::uint32_t request, std::string payload, Priority priority = Priority::urgent) {
    FrameHeader header;
    header.type = 7;
    header.request = request;
    return connection->send(header, std::move(payload), priority);
  }
};

// A listener whose connections answer every frame with itself.
struct EchoServer {
  explicit EchoServer(IoContext& loop) : io(loop) {}

  IoContext& io;
  ListenerPtr listener;
  std::vector<ConnectionPtr> connections;
  std::vector<std::string> refusals;
  ListenerLimits limits;

  ListenerHandlers handlers() {
    return {.on_connection =
                [this](ConnectionPtr connection) {
                  connections.push_back(connection);
                  connection->start({.on_frame =
                                         [raw = connection.get()](const FrameHeader& header,
                                                                  std::string payload) {
                                           raw->send(header, std::move(payload));
                                         },
                                     .on_closed = {},
                                     .on_drained = {}});
                },
            .on_refused = [this](const std::string&,
                                 const Error& error) { refusals.push_back(error.detail); }};
  }
  void listen_tls_with(KeyRingPtr keys) {
    Result<ListenerPtr> made =
        listen_tls(io, {"127.0.0.1", 0}, std::move(keys), handlers(), limits);
    INFO((made ? "" : made.error().detail));
  REQUIRE(made);
    listener = *std::move(made);
  }
  void listen_unix_at(const std::string& path) {
    Result<ListenerPtr> made = listen_unix(io, path, handlers(), limits);
    INFO((made ? "" : made.error().detail));
  REQUIRE(made);
    listener = *std::move(made);
  }
  // No connection may outlive the handlers that name this server.
  ~EchoServer() {
    listener.reset();
    for (const ConnectionPtr& connection : connections) connection->close();
    io.restart();
    io.poll();
  }
};

Result<ConnectionPtr> dial(EchoServer& server, KeyRingPtr keys, const std::string& node = "n1") {
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

// Two ends of a socket pair.
struct Pair {
  IoContext io;
  End left;
  End right;
  int fds[2] = {-1, -1};

  explicit Pair(const ConnectionLimits& limits = {}) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    left.take(proved(fds[0], {}));
    right.take(proved(fds[1], limits));
  }
  ~Pair() {
    left.connection->close();
    right.connection->close();
    io.restart();
    io.poll();
  }
  ConnectionPtr proved(int fd, const ConnectionLimits& limits) {
    auto made = std::make_shared<Connection>(io, make_plain_stream(fd, {}), limits);
    made->prove([](const Result<void>& proof) { REQUIRE(proof); });
    return made;
  }
};

void write_all(int fd, const std::string& bytes) {
  REQUIRE(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
}

}  // namespace

// --- frames ---

TEST_CASE("the frame reader finds frames however their bytes are cut", "[net]") {
  std::string bytes;
  std::vector<std::string> payloads{"", "a", std::string(1000, 'b'), "", "end"};
  for (std::uint32_t i = 0; i < payloads.size(); ++i) {
    FrameHeader header;
    header.payload_bytes = static_cast<std::uint32_t>(payloads[i].size());
    header.request = i;
    bytes += to_bytes(header) + payloads[i];
  }
  for (const std::size_t cut : {1U, 2U, 7U, 16U, 17U, 100U, 5000U}) {
    FrameReader reader{1000};
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < bytes.size(); at += cut)
      REQUIRE(reader.feed(std::string_view{bytes}.substr(at, cut),
                          [&](const FrameHeader& header, std::string payload) {
                            CHECK(header.request == seen.size());
                            seen.push_back(std::move(payload));
                            return true;
                          }));
    CHECK(seen == payloads);
    CHECK_FALSE(reader.is_mid_frame());
  }
}

TEST_CASE("a header that claims more than allowed is refused before any payload", "[net]") {
  FrameReader reader{1000};
  FrameHeader header;
  header.payload_bytes = 1001;
  const auto never = [](const FrameHeader&, const std::string&) { return false; };
  CHECK(reader.feed(to_bytes(header), never).error().code == ErrorCode::protocol_error);
}

TEST_CASE("urgent frames pass bulk frames, at frame boundaries only", "[net]") {
  OutputQueue queue;
  const std::string large(100'000, 'x');
  FrameHeader bulk;
  bulk.type = 1;
  FrameHeader urgent;
  urgent.type = 2;
  queue.push(bulk, large, Priority::bulk);
  queue.push(bulk, large, Priority::bulk);
  queue.push(bulk, "small", Priority::bulk);
  CHECK(queue.bytes() == 200'005 + 3 * frame_header_bytes);
  REQUIRE(queue.front().size() == frame_header_bytes);
  std::string written{queue.front().substr(0, 10)};
  queue.pop(10);
  queue.push(urgent, "now", Priority::urgent);
  queue.push(urgent, "too", Priority::urgent);
  while (!queue.empty()) {
    const std::string_view part = queue.front().substr(0, 30'000);
    written += part;
    queue.pop(part.size());
  }
  std::vector<std::pair<int, std::size_t>> seen;
  FrameReader reader{frame_payload_bytes_max};
  REQUIRE(reader.feed(written, [&](const FrameHeader& header, const std::string& payload) {
    seen.emplace_back(header.type, payload.size());
    return true;
  }));
  CHECK(seen == std::vector<std::pair<int, std::size_t>>{
                    {1, 100'000}, {2, 3}, {2, 3}, {1, 100'000}, {1, 5}});
}

TEST_CASE("frames arrive whole, in order, small and large", "[net]") {
  Pair pair;
  const std::string large(5'000'000, 'z');
  for (std::uint32_t i = 0; i < 1000; ++i) pair.left.send(i, std::to_string(i));
  pair.left.send(1000, large);
  pair.left.send(1001, "");
  run_until(pair.io, [&] { return pair.right.frames.size() == 1002; });
  for (std::uint32_t i = 0; i < 1000; ++i) {
    REQUIRE(pair.right.frames[i].header.request == i);
    REQUIRE(pair.right.frames[i].payload == std::to_string(i));
  }
  CHECK(pair.right.frames[1000].payload == large);
  CHECK(pair.right.frames[1001].payload.empty());
  CHECK(pair.right.frames[1001].header.type == 7);
}

TEST_CASE("the end of one side is told to the other once, and not to itself", "[net]") {
  Pair pair;
  pair.left.send(1, "last words");
  pair.left.connection->close_when_sent();
  run_until(pair.io, [&] { return pair.right.closed.has_value(); });
  CHECK(pair.right.frames.size() == 1);
  CHECK(pair.right.closed->detail == "closed by the peer");
  CHECK_FALSE(pair.right.connection->is_open());
  CHECK_FALSE(pair.left.connection->is_open());
  CHECK_FALSE(pair.left.closed.has_value());
  CHECK_FALSE(pair.right.send(2, "to nobody"));
}

TEST_CASE("a handler may close its own connection", "[net]") {
  IoContext io;
  int fds[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
  const Descriptor other{fds[1]};
  auto connection =
      std::make_shared<Connection>(io, make_plain_stream(fds[0], {}), ConnectionLimits{});
  connection->prove([](const Result<void>&) {});
  int frames = 0;
  connection->start({.on_frame =
                         [&frames, raw = connection.get()](const FrameHeader&, std::string) {
                           ++frames;
                           raw->close();
                         },
                     .on_closed = [](const Error&) { FAIL("closed by us is not told"); },
                     .on_drained = {}});
  write_all(fds[1], to_bytes(FrameHeader{}) + to_bytes(FrameHeader{}));
  run_until(io, [&] { return !connection->is_open(); });
  std::weak_ptr<Connection> weak = connection;
  connection.reset();
  io.restart();
  io.poll();
  CHECK(frames == 1);
  CHECK(weak.expired());
}

TEST_CASE("a half-sent frame ends the connection after its time", "[net]") {
  ConnectionLimits limits;
  limits.frame_ms = 50;
  Pair pair{limits};
  // The left end's socket is written to directly: half a header.
  write_all(pair.fds[0], to_bytes(FrameHeader{}).substr(0, 5));
  run_until(pair.io, [&] { return pair.right.closed.has_value(); });
  CHECK(pair.right.closed->code == ErrorCode::protocol_error);
  CHECK(pair.right.closed->detail == "no whole frame came in the time allowed");
}

TEST_CASE("a peer that never says anything is ended where a first frame is demanded", "[net]") {
  ConnectionLimits limits;
  limits.first_frame_ms = 50;
  Pair pair{limits};
  run_until(pair.io, [&] { return pair.right.closed.has_value(); });
  CHECK(pair.right.closed->code == ErrorCode::protocol_error);
}

TEST_CASE("garbage ends the connection", "[net]") {
  Pair pair;
  write_all(pair.fds[0], "GET / HTTP/1.1\r\n\r\n");
  run_until(pair.io, [&] { return pair.right.closed.has_value(); });
  CHECK(pair.right.closed->code == ErrorCode::protocol_error);
}

TEST_CASE("a peer that takes nothing is told to the sender, then closed", "[net]") {
  ConnectionLimits limits;
  limits.output_bytes_high = 100'000;
  limits.output_bytes_max = 3'000'000;
  limits.write_stall_ms = 100;
  SECTION("back-pressure and relief") {
    limits.write_stall_ms = 60'000;
    Pair pair{limits};
    pair.left.connection->pause_reading();
    while (pair.right.send(1, std::string(10'000, 'x'))) {
    }
    CHECK(pair.right.connection->queued_bytes() > 100'000);
    pair.left.connection->resume_reading();
    run_until(pair.io, [&] { return pair.right.drained == 1; });
    CHECK(pair.right.send(1, "more"));
  }
  SECTION("stalled") {
    Pair pair{limits};
    pair.left.connection->pause_reading();
    for (int i = 0; i < 200; ++i) pair.right.send(1, std::string(10'000, 'x'));
    run_until(pair.io, [&] { return pair.right.closed.has_value(); });
    CHECK(pair.right.closed->detail == "the peer took no bytes for 100 ms");
  }
  SECTION("too much") {
    Pair pair{limits};
    for (int i = 0; i < 400; ++i) pair.right.send(1, std::string(10'000, 'x'));
    run_until(pair.io, [&] { return pair.right.closed.has_value(); });
    CHECK(pair.right.closed->code == ErrorCode::limit_exceeded);
  }
}

// --- Unix ---

TEST_CASE("a Unix listener tells who connects and replaces only a dead socket", "[net]") {
  const Folder folder;
  const std::string path = folder.path + "/s";
  IoContext io;
  {
    EchoServer server{io};
    server.listen_unix_at(path);
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0666);
    CHECK(listen_unix(io, path, {}).error().code == ErrorCode::locked);

    End client;
    const DialPtr dialling =
        dial_unix(io, path, [&](Result<ConnectionPtr> made) { client.take(made.value()); });
    run_until(io, [&] { return client.connection != nullptr; });
    client.send(5, "hello");
    run_until(io, [&] { return client.frames.size() == 1; });
    CHECK(client.frames[0].payload == "hello");
    REQUIRE(server.connections.size() == 2);  // the second listener's probe, and the client
    CHECK(server.connections[1]->peer().uid == geteuid());
    CHECK(server.connections[1]->peer().pid == getpid());
    client.connection->close();
  }
  EchoServer again{io};
  again.listen_unix_at(path);  // the file of the first is still there, its listener is not
  CHECK(listen_unix(io, folder.path + "/" + std::string(120, 'x'), {}).error().code ==
        ErrorCode::invalid_argument);
}

TEST_CASE("dialling where nobody listens says so at once", "[net]") {
  const Folder folder;
  IoContext io;
  std::optional<Result<ConnectionPtr>> result;
  const DialPtr dialling = dial_unix(io, folder.path + "/none",
                                     [&](Result<ConnectionPtr> made) { result = std::move(made); });
  run_until(io, [&] { return result.has_value(); });
  CHECK(result->error().code == ErrorCode::no_controller);
}

// --- TLS ---

TEST_CASE("a node with the cluster's key is known by its name", "[net]") {
  IoContext io;
  EchoServer server{io};
  const auto keys = ring_of(key_text('a'));
  server.listen_tls_with(keys);
  Result<ConnectionPtr> made = dial(server, keys, "node-7");
  INFO((made ? "" : made.error().detail));
  REQUIRE(made);
  End client;
  client.take(*made);
  const std::string large(3'000'000, 'q');
  client.send(1, "hello");
  client.send(2, large, Priority::bulk);
  run_until(io, [&] { return client.frames.size() == 2; });
  CHECK(client.frames[0].payload == "hello");
  CHECK(client.frames[1].payload == large);
  REQUIRE(server.connections.size() == 1);
  CHECK(server.connections[0]->peer().kind == PeerKind::node);
  CHECK(server.connections[0]->peer().node == "node-7");
  CHECK(server.connections[0]->peer().key_fingerprint == keys->current().fingerprint());
  CHECK(client.connection->peer().kind == PeerKind::controller);
  server.connections[0]->close();
  run_until(io, [&] { return client.closed.has_value(); });
  CHECK(client.closed->detail == "closed by the peer");
}

TEST_CASE("different keys are told on both sides, with fingerprints and files", "[net]") {
  IoContext io;
  EchoServer server{io};
  const auto ours = ring_of(key_text('a'), "/k/controller.key");
  const auto theirs = ring_of(key_text('b'), "/k/node.key");
  server.listen_tls_with(ours);
  const Result<ConnectionPtr> made = dial(server, theirs);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == ErrorCode::authentication_failed);
  INFO(made.error().detail);
  CHECK(made.error().detail.find(ours->current().fingerprint()) != std::string::npos);
  CHECK(made.error().detail.find("key " + theirs->current().fingerprint() +
                                 " of /k/node.key, loaded 2") != std::string::npos);
  run_until(io, [&] { return !server.refusals.empty(); });
  INFO(server.refusals[0]);
  CHECK(server.refusals[0].find("cluster keys differ: node n1 at 127.0.0.1:") == 0);
  CHECK(server.refusals[0].find(theirs->current().fingerprint()) != std::string::npos);
  CHECK(server.refusals[0].find("key " + ours->current().fingerprint() +
                                " of /k/controller.key, loaded 2") != std::string::npos);
  CHECK(server.connections.empty());
}

TEST_CASE("a node's own key speaks for that node and no other", "[net]") {
  IoContext io;
  EchoServer server{io};
  const auto whole = ring_of(key_text('a'));
  const auto single = ring_of(whole->current().node_key_text("n1"));
  CHECK(single->current().only_node() == "n1");
  CHECK_FALSE(single->current().witness_secret());
  server.listen_tls_with(whole);
  Result<ConnectionPtr> own = dial(server, single, "n1");
  REQUIRE(own);
  (*own)->close();
  CHECK(dial(server, single, "n2").error().code == ErrorCode::authentication_failed);
  // A forged name: the identity of n2 with n1's secret.
  std::string forged = whole->current().node_key_text("n1");
  forged.replace(forged.find("n1"), 2, "n2");
  const Result<ConnectionPtr> refused = dial(server, ring_of(forged), "n2");
  REQUIRE_FALSE(refused);
  CHECK(server.connections.size() == 1);
  run_until(io, [&] { return server.refusals.size() == 2; });
  CHECK(server.refusals[1].find("its secret is another one") != std::string::npos);
}

TEST_CASE("during a rotation both keys are accepted, whichever side reloads first", "[net]") {
  const Folder folder;
  const std::string file = folder.write_key("controller.key", key_text('a'));
  Result<KeyRing> loaded = KeyRing::load(file, read_clocks());
  REQUIRE(loaded);
  const auto keys = std::make_shared<KeyRing>(*loaded);
  const auto before = ring_of(key_text('a'));
  const auto after = ring_of(key_text('b'));
  IoContext io;
  EchoServer server{io};
  server.listen_tls_with(keys);
  CHECK_FALSE(dial(server, after));

  folder.write_key("controller.key", key_text('b'));
  const Result<bool> changed = keys->reload_if_changed(read_clocks());
  REQUIRE(changed);
  CHECK(*changed);
  CHECK_FALSE(*keys->reload_if_changed(read_clocks()));
  CHECK(dial(server, before));
  CHECK(dial(server, after));

  // The grace of the old key ends.
  Now later = read_clocks();
  later.steady += old_key_grace;
  CHECK(keys->find(before->current().fingerprint(), later) == nullptr);
  CHECK(keys->find(after->current().fingerprint(), later) != nullptr);

  // FILE.old keeps it as long as the file is there, and the side that dials picks the common key.
  folder.write_key("node.key", key_text('c'));
  folder.write_key("node.key.old", key_text('b'));
  Result<KeyRing> node = KeyRing::load(folder.path + "/node.key", read_clocks());
  REQUIRE(node);
  CHECK(dial(server, std::make_shared<KeyRing>(*node)));
}

TEST_CASE("a port that is no controller of Sluice is named as such", "[net]") {
  IoContext io;
  const Result<Descriptor> other = make_tcp_listener("127.0.0.1", 0);
  REQUIRE(other);
  std::optional<Result<ConnectionPtr>> result;
  const DialPtr dialling =
      dial_tls(io, {"127.0.0.1", port_of(other->get()), "n1"}, ring_of(key_text('a')),
               [&](Result<ConnectionPtr> made) { result = std::move(made); });
  int fd = -1;
  run_until(io, [&] { return (fd = accept(other->get(), nullptr, nullptr)) >= 0; });
  const Descriptor accepted{fd};
  write_all(fd, "SSH-2.0-OpenSSH_9.2\r\n");
  run_until(io, [&] { return result.has_value(); });
  CHECK(result->error().code == ErrorCode::protocol_error);
  CHECK(result->error().detail.find("is not a controller of Sluice") != std::string::npos);
}

TEST_CASE("garbage instead of a handshake is refused and told with its address", "[net]") {
  IoContext io;
  EchoServer server{io};
  server.listen_tls_with(ring_of(key_text('a')));
  std::vector<Descriptor> peers;
  const std::vector<std::string> garbage{
      "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(70'000, 'A'), std::string(5000, '\0'),
      std::string("\x7f\xff\xff\xff", 4), std::string("\xf0\xff\xff\xff", 4) + std::string(3000, '{'),
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(600, 'x')};
  for (const std::string& bytes : garbage) {
    peers.emplace_back(connect_raw(server.listener->port()));
    run_until(io, [&] {
      return ::send(peers.back().get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) != -2;
    });
  }
  // Four bytes may still become a TLS record: that peer waits for its deadline.
  run_until(io, [&] { return server.refusals.size() >= garbage.size() - 1; });
  CHECK(server.connections.empty());
  Result<ConnectionPtr> made = dial(server, ring_of(key_text('a')));
  CHECK(made);
}

TEST_CASE("3000 silent connections do not delay a node, and go after their time", "[net]") {
  IoContext io;
  EchoServer server{io};
  server.limits.unproved_max = 1000;
  server.limits.connection.handshake_ms = 3000;
  const auto keys = ring_of(key_text('a'));
  server.listen_tls_with(keys);
  std::vector<Descriptor> silent;
  for (int i = 0; i < 3000; ++i) {
    silent.emplace_back(connect_raw(server.listener->port()));
    if (i % 50 == 0) {
      io.restart();
      io.poll();
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  Result<ConnectionPtr> made = dial(server, keys);
  INFO((made ? "" : made.error().detail));
  REQUIRE(made);
  End client;
  client.take(*made);
  client.send(1, "hello");
  run_until(io, [&] { return client.frames.size() == 1; });
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{1});
  CHECK(server.listener->unproved() <= 1000);
  CHECK(is_ended(silent.front().get()));  // the oldest went first
  run_until(io, [&] { return server.listener->unproved() == 0; });
  CHECK(is_ended(silent.back().get()));
  client.connection->close();
}

TEST_CASE("users cannot use up the controller's connections", "[net]") {
  const Folder folder;
  IoContext io;
  EchoServer server{io};
  server.limits.connections_per_user_max = 2;
  server.listen_unix_at(folder.path + "/s");
  if (geteuid() == 0) return;  // root is not counted
  std::vector<ConnectionPtr> clients;
  std::vector<DialPtr> dials;
  for (int i = 0; i < 3; ++i)
    dials.push_back(dial_unix(io, folder.path + "/s", [&](Result<ConnectionPtr> made) {
      clients.push_back(made.value());
    }));
  run_until(io, [&] { return server.refusals.size() == 1 && clients.size() == 3; });
  CHECK(server.connections.size() == 2);
  for (const ConnectionPtr& client : clients) client->close();
}

// --- keys ---

TEST_CASE("a key file that others may read, or that is too short or missing, is refused", "[net]") {
  const Folder folder;
  const WallTime now = read_clocks().wall;
  const auto detail = [&](const std::string& file) {
    const Result<ClusterKey> key = ClusterKey::read(file, now);
    if (key) return std::string{"accepted"};
    CHECK(key.error().code == ErrorCode::key_unusable);
    return key.error().detail;
  };
  CHECK(detail(folder.write_key("good", key_text('a'))) == "accepted");
  CHECK(detail(folder.write_key("read_only", key_text('a'), 0400)) == "accepted");
  CHECK(detail(folder.write_key("loose", key_text('a'), 0644)) ==
        folder.path + "/loose: mode 0644 lets others in: run chmod 600 " + folder.path + "/loose");
  CHECK(detail(folder.write_key("group", key_text('a'), 0620)).find("mode 0620") !=
        std::string::npos);
  CHECK(detail(folder.write_key("short", "too short\n")) ==
        folder.path + "/short: is too short: 8 characters, at least 32 are needed");
  CHECK(detail(folder.path + "/none").find("there is no cluster key") != std::string::npos);
  CHECK(detail(folder.path).find("is not a regular file") != std::string::npos);
  CHECK(detail(folder.write_key("node", "node:n1:zz")).find("node:NAME:FINGERPRINT:HEX") !=
        std::string::npos);
}

TEST_CASE("a key broken over lines is one key, and texts never hold a secret", "[net]") {
  const WallTime now = read_clocks().wall;
  const Result<ClusterKey> one_line = ClusterKey::parse(std::string(60, 'k'), "f", now);
  const Result<ClusterKey> two_lines =
      ClusterKey::parse(std::string(40, 'k') + "\n" + std::string(20, 'k') + "\r\n", "f", now);
  REQUIRE(one_line);
  REQUIRE(two_lines);
  CHECK(one_line->is_same_key(*two_lines));
  CHECK(one_line->fingerprint().size() == 8);
  CHECK(one_line->description().find("kkkk") == std::string::npos);
  CHECK(one_line->node_secret("a") != one_line->node_secret("b"));
  CHECK(one_line->node_secret("a")->size() == 32);
  CHECK(one_line->witness_secret()->size() == 32);
}

TEST_CASE("hashes and derivations agree with published vectors", "[net]") {
  CHECK(content_id("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 5869, test case 1.
  CHECK(crypto::to_hex(crypto::hkdf_sha256(
            {.secret = std::string(22, '\x0b'),
             .salt = crypto::from_hex("000102030405060708090a0b0c"),
             .info = crypto::from_hex("f0f1f2f3f4f5f6f7f8f9")},
            42)) ==
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
  // RFC 4231, test case 2.
  CHECK(crypto::to_hex(crypto::hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST_CASE("retries spread out and never wait longer than five seconds", "[net]") {
  CHECK(retry_delay(1, 0).count() == 50);
  CHECK(retry_delay(1, 50).count() == 100);
  CHECK(retry_delay(4, 0).count() == 400);
  CHECK(retry_delay(1000, 2500).count() == 5000);
}
