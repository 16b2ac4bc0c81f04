// listener_test.cpp: who may connect, how many, and what becomes of the rest.
#include "common/net/listener.h"

#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <boost/asio/io_context.hpp>

#include "common/net/dialer.h"
#include "common/net/refusal_meter.h"
#include "common/net/sockets.h"
#include "tests/unit/net_support.h"

using namespace sluice;
using namespace sluice::net_test;

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
    if (i % 50 == 0) run_ready(io);
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

TEST_CASE("in any second no more refusals are told than the limit says", "[net]") {
  RefusalMeter meter{3};
  const RefusalMeter::Time start{std::chrono::hours{1}};
  const auto count_at = [&](int ms) { return meter.count(start + std::chrono::milliseconds{ms}); };
  CHECK(count_at(0));
  CHECK(count_at(900));
  CHECK(count_at(950));
  CHECK_FALSE(count_at(999));
  CHECK(count_at(1000));  // the first is a second old, the other two are not
  CHECK_FALSE(count_at(1001));
  CHECK_FALSE(meter.may_tell(start + std::chrono::milliseconds{1899}));
  CHECK(meter.may_tell(start + std::chrono::milliseconds{1900}));
  CHECK(meter.take_untold() == 2);
  CHECK(meter.take_untold() == 0);
  RefusalMeter none{0};
  CHECK_FALSE(none.count(start));
}

TEST_CASE("of a flood of refusals a few are told and the others are counted", "[net]") {
  constexpr std::size_t peers = 100;
  IoContext io;
  EchoServer server{io};
  server.limits.refusals_told_per_second_max = 5;
  server.listen_tls_with(ring_of(key_text('a')));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Descriptor> garbage;
  for (std::size_t i = 0; i < peers; ++i) {
    garbage.emplace_back(connect_raw(server.listener->port()));
    write_all(garbage.back().get(), "GET / HTTP/1.1\r\n\r\n");
  }
  run_until(io, [&] { return server.refused() == peers; });
  const auto seconds = static_cast<std::size_t>((std::chrono::steady_clock::now() - begin) /
                                                std::chrono::seconds{1});
  CHECK(server.refusals.size() >= 5);
  CHECK(server.refusals.size() <= 5 * (seconds + 1));
  CHECK(server.silent_refusals.size() >= 1);
  CHECK(server.silent_refusals.size() <= seconds);
  for (const Descriptor& peer : garbage) CHECK(is_ended(peer.get()));
}
