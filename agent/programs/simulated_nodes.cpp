// simulated_nodes.cpp: sluice-simulated-nodes: every node of the configuration in one process, for
// tests of scale: real protocol, real supervisors, no processes of jobs.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <vector>

#include "agent/fake/fake_node.h"
#include "agent/node/asio_reactor.h"
#include "agent/node/controller_messages.h"
#include "agent/node/uplink.h"
#include "common/arguments/arguments.h"
#include "common/base/clock.h"
#include "common/log/log.h"
#include "common/net/listener.h"
#include "common/options/config_file.h"

namespace sluice::agent {
namespace {

class SimulatedNode {
 public:
  SimulatedNode(IoContext& io, AsioReactor& reactor, const ClusterConfig& config,
                const NodeConfig& node)
      : reactor_(reactor),
        name_(node.name),
        fake_(describe(node), {[this](MessageToController& message) { send(message); },
                               [this] { uplink_.drop("heartbeats stay unanswered"); }},
              read_clocks()),
        uplink_(io, reactor,
                {config.controller_address, config.controller_port, node.name},
                config.paths.key_file,
                {[this] { happen(Connected{}); },
                 [this](const FrameHeader& header, std::string payload) {
                   on_frame(header, payload);
                 },
                 [this] { happen(Disconnected{}); }}) {}

  void start() { uplink_.start(); }

 private:
  static Self describe(const NodeConfig& node) {
    Self self;
    self.node = node.name;
    self.shape = node.shape;
    self.pretended = true;
    self.identity.host = node.name;
    self.identity.boot_id = read_boot_id();
    self.identity.spool_id = "simulated-" + node.name;
    self.identity.version = SLUICE_VERSION;
    self.identity.agent_started = read_clocks().wall;
    return self;
  }

  void send(MessageToController& message) {
    std::visit([this](const auto& content) { uplink_.send(0, content); }, message);
  }

  void on_frame(const FrameHeader& header, const std::string& payload) {
    auto event = decode_event(header.type, payload);
    if (!event.ok()) return uplink_.drop(to_text(event.error()));
    if (*event) happen(std::move(**event));
  }

  void happen(Event event) {
    fake_.on(std::move(event), read_clocks());
    arm();
  }

  void arm() {
    const auto due = fake_.next_due();
    if (!due) return;
    reactor_.at(name_, *due, [this] {
      fake_.pass(read_clocks());
      arm();
    });
  }

  AsioReactor& reactor_;
  std::string name_;
  FakeNode fake_;
  Uplink uplink_;
};

Result<void> run(const std::string& config_file) {
  const ConfigFile file = config_file.empty() ? TRY(find_and_read_config())
                                              : TRY(read_config_file(config_file));
  raise_descriptor_limit();
  boost::asio::io_context io{1};
  AsioReactor reactor{io};
  std::vector<std::unique_ptr<SimulatedNode>> nodes;
  for (const NodeConfig& node : file.config.nodes)
    nodes.push_back(std::make_unique<SimulatedNode>(io, reactor, file.config, node));
  for (const auto& node : nodes) node->start();
  boost::asio::signal_set stop{io, SIGTERM, SIGINT};
  stop.async_wait([&](const boost::system::error_code&, int) { io.stop(); });
  io.run();
  return {};
}

}  // namespace
}  // namespace sluice::agent

int main(int argc, char** argv) {
  sluice::Arguments arguments(
      "sluice-simulated-nodes",
      "sluice-simulated-nodes: all nodes of the configuration, pretended in one process");
  std::string config_file;
  arguments.option("--config,-f", config_file, "configuration file (default: as searched for)");
  arguments.parse(argc, argv);
  sluice::open_error_log("simulated");
  std::signal(SIGPIPE, SIG_IGN);
  const auto outcome = sluice::agent::run(config_file);
  if (outcome.ok()) return 0;
  std::fprintf(stderr, "sluice-simulated-nodes: %s\n", to_text(outcome.error()).c_str());
  return 1;
}
