// node_agent.h: wires one node's supervisor to this machine: events from the uplink, the executor and
// the timers go in, effects come out and are carried out in order.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/core/supervisor.h"
#include "agent/exec/executor.h"
#include "agent/node/asio_reactor.h"
#include "agent/node/relays.h"
#include "agent/node/uplink.h"
#include "agent/node/witnesses.h"
#include "common/model/config.h"
#include "common/net/io_fwd.h"

namespace sluice::agent {

// What may change while the agent lives.
struct NodeSettings {
  ClusterConfig config;
  Self self;
};

struct NodeSetup {
  NodeSettings settings;
  std::function<Result<NodeSettings>()> read_again;
  std::string key_file;
  std::string agent_socket;  // of commands on this host
  std::uint16_t witness_port = 0;
  bool login = false;        // vouches for all users, has no resources
  ExecutorSetup executor;
};

class NodeAgent {
 public:
  NodeAgent(IoContext& io, Spool& spool, LeasePage& lease, NodeSetup setup);

  // Adopts what the spool holds, then dials. Errors: io_error (the notice socket).
  Result<void> start();
  // Reads configuration and keys again and registers anew. No run and no connection ends by it; on
  // an error, which is logged, all stays as it was.
  void reconfigure();

 private:
  void happen(Event event);
  void drain();

  void carry_out(SendToController& effect);
  void carry_out(CloseConnection& effect);
  void carry_out(AskWitnesses& effect);
  void carry_out(ArmTimer& effect);
  void carry_out(Ignored& effect);
  template <class E>
  void carry_out(E& effect) { executor_.carry_out(std::move(effect)); }

  void on_frame(const FrameHeader& header, std::string payload);
  void on_refusal(std::string_view payload);
  WitnessStatus witness_status() const;
  bool may_vouch(std::uint32_t uid) const;

  IoContext& io_;
  AsioReactor reactor_;
  NodeSetup setup_;
  Supervisor supervisor_;
  Executor executor_;
  Spool& spool_;
  Uplink uplink_;
  Relays relays_;
  Witnesses witnesses_;
  std::deque<Event> events_;
  bool draining_ = false;
};

}  // namespace sluice::agent
