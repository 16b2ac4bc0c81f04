// witnesses.h: this node's part in the fencing rule, on the wire: answers other nodes, asks them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/core/effects.h"
#include "agent/core/events.h"
#include "common/net/io_fwd.h"
#include "common/net/witness.h"

namespace sluice::agent {

class Witnesses {
 public:
  // `status` is this node's own word when another asks; `report` takes the answers of others.
  Witnesses(IoContext& io, std::string node, std::uint16_t port,
            std::function<WitnessStatus()> status, std::function<void(Event)> report);

  // The controller's word on who the witnesses are; opens the port when there is something to witness.
  void accept(const NodeAccepted& accepted);
  void ask(const AskWitnesses& question);

 private:
  void open_port();

  IoContext& io_;
  std::string node_;
  std::uint16_t port_;
  std::function<WitnessStatus()> status_;
  std::function<void(Event)> report_;
  NodeAccepted accepted_;
  std::unique_ptr<WitnessResponder> responder_;
  std::unique_ptr<WitnessRound> round_;
};

}  // namespace sluice::agent
