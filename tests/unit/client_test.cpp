// client_test.cpp: the rule of repetition, against a controller that behaves as the test says.
#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "cli/client.h"
#include "cli/print.h"
#include "common/wire/frame.h"

using namespace sluice;

namespace {

struct Received {
  FrameHeader header;
  std::string payload;
};

bool read_all(int socket, char* into, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, into, size, 0);
    if (got <= 0) return false;
    into += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool read_frame(int socket, Received& received) {
  char bytes[frame_header_bytes];
  if (!read_all(socket, bytes, sizeof bytes)) return false;
  received.header = *parse_frame_header({bytes, sizeof bytes}, frame_payload_bytes_max);
  received.payload.resize(received.header.payload_bytes);
  return read_all(socket, received.payload.data(), received.payload.size());
}

template <class Reply>
void answer(int socket, const Received& received, const Reply& reply) {
  const std::string payload = to_bytes(reply);
  std::string bytes = to_bytes(FrameHeader{static_cast<std::uint32_t>(payload.size()),
                                           static_cast<std::uint16_t>(Reply::type),
                                           received.header.request});
  bytes += payload;
  REQUIRE(send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
}

// Accepts connections one after another and hands each frame to `on_frame`, which returns false to
// close the connection. Ends with the test.
class FakeController {
 public:
  using OnFrame = std::function<bool(int socket, const Received&)>;

  explicit FakeController(OnFrame on_frame) : on_frame_(std::move(on_frame)) {
    char folder[] = "/tmp/client_test.XXXXXX";
    folder_ = mkdtemp(folder);
    config.paths.controller_socket = folder_ + "/socket";
    config.paths.agent_socket = folder_ + "/agent";
    config.timeouts.message_timeout_s = 1;
    listen_at(config.paths.controller_socket);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeController() {
    stopping_ = true;
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    unlink(config.paths.controller_socket.c_str());
    rmdir(folder_.c_str());
  }

  ClusterConfig config;
  std::atomic<int> connections{0};
  std::atomic<int> frames{0};

 private:
  void listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(listener_, 8) == 0);
  }
  void serve() {
    while (!stopping_) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) continue;
      ++connections;
      Received received;
      while (read_frame(connection, received)) {
        ++frames;
        if (!on_frame_(connection, received)) break;
      }
      close(connection);
    }
  }

  OnFrame on_frame_;
  std::string folder_;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

SubmitJob submit_with_key() {
  SubmitJob submit;
  submit.key = "0123456789abcdef";
  submit.script = std::string(3'000'000, 'x');
  return submit;
}

}  // namespace

TEST_CASE("a request is answered on one connection, several times", "[client]") {
  FakeController controller([](int socket, const Received& received) {
    REQUIRE(received.header.type == static_cast<std::uint16_t>(MessageType::submit_job));
    const SubmitJob submit = *from_bytes<SubmitJob>(received.payload);
    answer(socket, received, SubmitReply{JobId{static_cast<std::uint32_t>(submit.script.size())},
                                         {"note"}, "c", {}});
    return true;
  });
  Client client(controller.config);
  REQUIRE(client.call<SubmitReply>(submit_with_key())->job == JobId{3'000'000});
  REQUIRE(client.call<SubmitReply>(submit_with_key())->notes == std::vector<std::string>{"note"});
  REQUIRE(controller.connections == 1);
}

TEST_CASE("a refusal arrives with its notes", "[client]") {
  FakeController controller([](int socket, const Received& received) {
    answer(socket, received, ErrorReply{ErrorCode::invalid_partition, "",
                                        {"invalid partition specified: nosuch"}});
    return true;
  });
  Client client(controller.config);
  REQUIRE(client.call<SubmitReply>(submit_with_key()).error() ==
          Error{ErrorCode::invalid_partition, ""});
  REQUIRE(client.notes() == std::vector<std::string>{"invalid partition specified: nosuch"});
}

TEST_CASE("a lost answer is asked for again with the same key", "[client]") {
  std::vector<std::string> keys;
  FakeController controller([&](int socket, const Received& received) {
    keys.push_back(from_bytes<SubmitJob>(received.payload)->key);
    if (keys.size() < 3) return false;  // the controller dies before it answers
    answer(socket, received, SubmitReply{JobId{7}, {}, "", {}});
    return true;
  });
  Client client(controller.config);
  REQUIRE(client.call<SubmitReply>(submit_with_key())->job == JobId{7});
  REQUIRE(keys == std::vector<std::string>(3, "0123456789abcdef"));
}

TEST_CASE("sent and never answered is told as unknown, after the timeout", "[client]") {
  FakeController controller([](int, const Received&) { return false; });
  Client client(controller.config);
  const auto reply = client.call<SubmitReply>(submit_with_key());
  REQUIRE(reply.error().code == ErrorCode::outcome_unknown);
  REQUIRE(exit_code_of(reply.error()) == exit_outcome_unknown);
  REQUIRE(controller.frames > 1);
}

TEST_CASE("what must not be done twice is not sent twice", "[client]") {
  FakeController controller([](int, const Received&) { return false; });
  Client client(controller.config);
  CancelJobs cancel;
  cancel.signal = 10;
  REQUIRE(client.call<ActionReply>(cancel).error().code == ErrorCode::outcome_unknown);
  REQUIRE(controller.frames == 1);
}

TEST_CASE("waiting goes on when the controller was restarted meanwhile", "[client]") {
  int asked = 0;
  FakeController controller([&](int socket, const Received& received) {
    if (++asked == 1) return false;
    answer(socket, received, WaitReply{JobEnd{Outcome::failed, {3, 0}, {}}});
    return true;
  });
  Client client(controller.config);
  REQUIRE(client.call_and_wait<WaitReply>(WaitJob{JobId{1}})->end.status.code == 3);
}

TEST_CASE("a listing in parts arrives whole and in order", "[client]") {
  FakeController controller([](int socket, const Received& received) {
    for (std::uint32_t i = 1; i <= 3; ++i) {
      JobsReply part;
      part.jobs.emplace_back().id = JobId{i};
      part.more = i < 3;
      answer(socket, received, part);
    }
    return true;
  });
  Client client(controller.config);
  std::vector<std::uint32_t> ids;
  REQUIRE(client.call_parts<JobsReply>(QueryJobs{}, [&](JobsReply&& part) {
                  for (const JobInfo& job : part.jobs) ids.push_back(job.id.value);
                }).ok());
  REQUIRE(ids == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("nobody listening is told at once, with the address", "[client]") {
  ClusterConfig config;
  config.paths.controller_socket = "/tmp/client_test.none/socket";
  config.paths.agent_socket = "/tmp/client_test.none/agent";
  Client client(config);
  const auto reply = client.call<PingReply>(Ping{});
  REQUIRE(reply.error().code == ErrorCode::no_controller);
  REQUIRE(reply.error().detail.find("/tmp/client_test.none/socket") != std::string::npos);
  REQUIRE(exit_code_of(reply.error()) == exit_no_controller);
}

TEST_CASE("a controller that speaks something else is not believed", "[client]") {
  FakeController controller([](int socket, const Received&) {
    const std::string garbage = "HTTP/1.1 200 OK\r\n\r\n";
    REQUIRE(send(socket, garbage.data(), garbage.size(), MSG_NOSIGNAL) > 0);
    return false;
  });
  Client client(controller.config);
  REQUIRE(client.call<PingReply>(Ping{}).error().code == ErrorCode::protocol_error);
}
