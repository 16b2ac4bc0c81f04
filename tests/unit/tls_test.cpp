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
