// connection_test.cpp: frames over real sockets of this host, in both directions, and peers that
// misbehave. Waits for conditions on the event loop, never for a time.
#include "common/net/connection.h"

#include <sys/socket.h>
#include <catch2/catch.hpp>

#include <boost/asio/io_context.hpp>
#include <utility>

#include "common/net/byte_stream.h"
#include "common/net/frame_reader.h"
#include "common/net/sockets.h"
#include "tests/unit/net_support.h"

using namespace sluice;
using namespace sluice::net_test;

namespace {

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
    run_ready(io);
  }
  ConnectionPtr proved(int fd, const ConnectionLimits& limits) {
    auto made = std::make_shared<Connection>(io, make_plain_stream(fd, {}), limits);
    made->prove([](const Result<void>& proof) { REQUIRE(proof); });
    return made;
  }
};

}  // namespace

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
  run_ready(io);
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
