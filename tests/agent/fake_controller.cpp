// fake_controller.cpp: TLS listener on loopback, one connection, and the agent's process.
#include "tests/agent/fake_controller.h"

#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "common/base/clock.h"
#include "common/net/listener.h"

extern char** environ;

namespace sluice::agent {

struct FakeController::Parts {
  boost::asio::io_context io;
  std::shared_ptr<KeyRing> keys;
  ListenerPtr listener;
  ConnectionPtr connection;
  pid_t agent = -1;
};

namespace {

template <class Message>
bool keep(MessageType type, const std::string& payload, std::vector<Message>& list) {
  if (type != Message::type) return false;
  list.push_back(from_bytes<Message>(payload).value());
  return true;
}

}  // namespace

FakeController::FakeController() : parts_(std::make_unique<Parts>()) {
  char path[] = "/tmp/sluice-agent-test.XXXXXX";
  REQUIRE(mkdtemp(path));
  folder = path;
  chmod(path, 0711);
  const std::string key_file = folder + "/key";
  std::ofstream(key_file) << std::string(64, 'k') << "\n";
  chmod(key_file.c_str(), 0600);
  parts_->keys = std::make_shared<KeyRing>(KeyRing::load(key_file, read_clocks()).value());
  ListenerHandlers handlers;
  handlers.on_connection = [this](ConnectionPtr connection) {
    parts_->connection = connection;
    ConnectionHandlers of_connection;
    of_connection.on_frame = [this](const FrameHeader& header, std::string payload) {
      const auto type = static_cast<MessageType>(header.type);
      if (keep(type, payload, registrations)) send(acceptance);
      if (type == MessageType::heartbeat) {
        ++heartbeats;
        if (answers_heartbeats) send(HeartbeatReply{heartbeats});
      }
      keep(type, payload, accepted) || keep(type, payload, refused) ||
          keep(type, payload, started) || keep(type, payload, exited) ||
          keep(type, payload, relays);
    };
    connection->start(std::move(of_connection));
  };
  parts_->listener =
      listen_tls(parts_->io, {"127.0.0.1", 0}, parts_->keys, std::move(handlers)).value();
  std::ofstream(folder + "/slurm.conf")
      << "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort="
      << parts_->listener->port() << "\nSluiceKeyFile=" << key_file
      << "\nSlurmdSpoolDir=" << folder << "/spool\nSluiceAgentSocket=" << folder
      << "/agent.sock\nNodeName=n1 NodeAddr=127.0.0.1 CPUs=1 RealMemory=100\n"
      << "PartitionName=main Nodes=ALL Default=YES\n";
}

FakeController::~FakeController() {
  if (parts_->agent > 0) kill_agent(SIGKILL);
  if (parts_->connection) parts_->connection->close();
  std::filesystem::remove_all(folder);
}

pid_t FakeController::agent() const { return parts_->agent; }

void FakeController::start_agent() {
  const std::string config = folder + "/slurm.conf";
  const char* arguments[] = {"sluice-agent", "--name", "n1", "-f", config.c_str(), nullptr};
  REQUIRE(posix_spawn(&parts_->agent, AGENT_PATH, nullptr, nullptr, const_cast<char**>(arguments),
                      environ) == 0);
}

void FakeController::kill_agent(int signal) {
  kill(parts_->agent, signal);
  waitpid(parts_->agent, nullptr, 0);
  parts_->agent = -1;
}

bool FakeController::serve_until(const std::function<bool()>& condition,
                                 std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    parts_->io.restart();
    parts_->io.run_one_for(std::chrono::milliseconds{20});
  }
  return true;
}

void FakeController::launch(RunId id, const std::string& script, bool leased) {
  LaunchRun message;
  message.order.id = id;
  message.order.uid = geteuid();
  message.order.gid = getegid();
  message.order.script = script;
  message.order.script_id = "script";
  message.order.environment = std::string("PATH=/usr/bin:/bin\0", 19);
  message.order.work_dir = folder;
  message.order.output_path = folder + "/out";
  message.order.leased = leased;
  message.order.share.node = "n1";
  send(message);
}

template <class Message>
void FakeController::send(const Message& message) {
  REQUIRE(parts_->connection);
  parts_->connection->send_message(0, message);
}
template void FakeController::send(const LaunchRun&);
template void FakeController::send(const KillRun&);
template void FakeController::send(const ExitCommitted&);
template void FakeController::send(const SignalRun&);
template void FakeController::send(const Relay&);

void FakeController::cut() {
  parts_->connection->close();
  parts_->connection.reset();
}

}  // namespace sluice::agent
