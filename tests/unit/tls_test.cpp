// tls_test.cpp: keys that agree and keys that differ, as both sides see it, and what comes instead
// of a handshake.
#include "common/net/tls_stream.h"

#include <sys/socket.h>
#include <catch2/catch.hpp>

#include <boost/asio/io_context.hpp>

#include "common/base/clock.h"
#include "common/net/byte_stream.h"
#include "common/net/dialer.h"
#include "common/net/sockets.h"
#include "tests/unit/net_support.h"

using namespace sluice;
using namespace sluice::net_test;

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

TEST_CASE("garbage instead of a handshake ends the connection with one error", "[net]") {
  IoContext io;
  EchoServer server{io};
  server.listen_tls_with(ring_of(key_text('a')));
  struct Row {
    std::string bytes;
    std::string told;
  };
  const Row rows[] = {
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(70'000, 'A'), "its first byte is 0x47"},
      {std::string(5000, '\0'), "its first byte is 0x00"},
      {"\x7f", "its first byte is 0x7f"},
      {std::string("\xf0\xff\xff\xff", 4) + std::string(3000, '{'), "its first byte is 0xf0"},
      {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(600, 'x'),
       "TLS: "},
      {"\x16garbage of the right first byte", "TLS: "}};
  for (const Row& row : rows) {
    const std::size_t before = server.refusals.size();
    const Descriptor peer{connect_raw(server.listener->port())};
    (void)!::send(peer.get(), row.bytes.data(), row.bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    run_until(io, [&] { return is_ended(peer.get()); });
    run_ready(io);
    REQUIRE(server.refusals.size() == before + 1);
    INFO(server.refusals.back());
    CHECK(server.refusals.back().starts_with("127.0.0.1:"));
    CHECK(server.refusals.back().find(row.told) != std::string::npos);
  }
  CHECK(server.connections.empty());
  CHECK(server.listener->unproved() == 0);
  CHECK(dial(server, ring_of(key_text('a'))));
}

TEST_CASE("garbage in the middle of a handshake ends it with one error", "[net]") {
  IoContext io;
  EchoServer server{io};
  const auto keys = ring_of(key_text('a'));
  server.listen_tls_with(keys);
  const Descriptor peer{connect_raw(server.listener->port())};
  const auto client = make_tls_dialling_stream(peer.get(), {"here", "n1"}, keys);
  char byte = 0;
  run_until(io, [&] { return recv(peer.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1; });
  REQUIRE(client->prove().status == StreamStatus::want_read);  // our first flight has left
  write_all(peer.get(), "garbage");
  run_until(io, [&] { return is_ended(peer.get()); });
  run_ready(io);
  REQUIRE(server.refusals.size() == 1);
  CHECK(server.connections.empty());
}

TEST_CASE("what comes together with the last flight of a handshake is delivered", "[net]") {
  IoContext io;
  const auto keys = ring_of(key_text('a'));
  End server;
  Result<ListenerPtr> listener =
      listen_tls(io, {"127.0.0.1", 0}, keys,
                 {.on_connection = [&](ConnectionPtr made) { server.take(std::move(made)); },
                  .on_refused = {},
                  .on_refused_silently = {}});
  REQUIRE(listener);
  const Descriptor peer{connect_raw((*listener)->port())};
  tune_tcp(peer.get());  // else the second of two small writes waits
  const auto client = make_tls_dialling_stream(peer.get(), {"here", "n1"}, keys);
  // The loop runs only while the client waits: its last flight and what follows lie in the socket
  // before the server looks at either.
  StreamResult proof;
  run_until(io, [&] {
    proof = client->prove();
    return proof.status != StreamStatus::want_read;
  });
  REQUIRE(proof.status == StreamStatus::done);
  FrameHeader header;
  header.request = 5;
  header.payload_bytes = 5;
  std::string early = to_bytes(header) + "early";
  SECTION("a whole frame") {}
  SECTION("and the end of the peer") {}
  SECTION("more than one record, the last one cut") {
    header.payload_bytes = 40'000;
    early += to_bytes(header) + std::string(40'000, 'x');
  }
  for (std::string_view rest = early; !rest.empty();) {
    const StreamResult written = client->write(rest);
    REQUIRE(written.status == StreamStatus::done);
    rest.remove_prefix(written.bytes);
  }
  const bool leaves = early.size() < 100 && GENERATE(false, true);
  if (leaves) REQUIRE(shutdown(peer.get(), SHUT_WR) == 0);
  const std::size_t wanted = early.size() < 100 ? 1 : 2;
  run_until(io, [&] { return server.frames.size() == wanted; });
  CHECK(server.frames[0].payload == "early");
  if (leaves) run_until(io, [&] { return server.closed.has_value(); });
  server.connection->close();
  run_ready(io);
}

TEST_CASE("more than a greeting before the handshake is no greeting", "[net]") {
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
  write_all(fd, "SLUICE1 0123abcd\nand more");
  run_until(io, [&] { return result.has_value(); });
  CHECK(result->error().code == ErrorCode::protocol_error);
  CHECK(result->error().detail.find("is not a controller of Sluice") != std::string::npos);
}

TEST_CASE("a refused peer is told why, unless too many were just told", "[net]") {
  IoContext io;
  EchoServer server{io};
  server.limits.refusals_told_per_second_max = 1;
  const auto whole = ring_of(key_text('a'));
  server.listen_tls_with(whole);
  std::string forged = whole->current().node_key_text("n1");
  forged.replace(forged.find("n1"), 2, "n2");
  const auto begin = std::chrono::steady_clock::now();
  const Result<ConnectionPtr> told = dial(server, ring_of(forged), "n2");
  const Result<ConnectionPtr> silent = dial(server, ring_of(forged), "n2");
  if (std::chrono::steady_clock::now() - begin >= std::chrono::seconds{1})
    return;  // both were told
  INFO(told.error().detail << "\n" << silent.error().detail);
  CHECK(told.error().detail.find("refuses node n2 with key") != std::string::npos);
  CHECK(silent.error().detail.find("closed the connection before proof") != std::string::npos);
  run_until(io, [&] { return server.refused() == 2; });
  CHECK(server.refusals.size() == 1);
}
