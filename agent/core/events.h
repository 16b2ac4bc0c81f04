// events.h: all that can happen to the supervisor of a node. Events are past tense; messages of the
// controller are events too. Whoever drives the supervisor (agent/exec, agent/fake, the simulation)
// owes it one event for each effect that promises one (effects.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "common/base/describe.h"
#include "common/base/error.h"
#include "common/base/time.h"
#include "common/model/node.h"
#include "common/model/run.h"
#include "common/wire/messages.h"

namespace sluice::agent {

// What the agent says of itself at every registration.
struct Self {
  std::string node;
  NodeIdentity identity;
  NodeShape shape;
  bool pretended = false;
  bool login = false;  // of a submit host: no resources
};

// A connection to the controller is open and both sides are proved; nothing was sent on it yet.
struct Connected {
  NodeVitals vitals;
};
struct Disconnected {};
// The configuration was read again: what the agent says of itself may be another.
struct Reconfigured {
  Self self;
  NodeVitals vitals;
};

// Answers to SpoolOrder. OrderNotSpooled: nothing of the order is on the disk. `node_fault` false: it
// is the job's own doing (its user is unknown here), and no other node is to be tried for it.
struct OrderSpooled {
  RunId id;
};
struct OrderNotSpooled {
  RunId id;
  ErrorCode code = ErrorCode::io_error;
  std::string detail;
  bool node_fault = true;
};

// Answer to SpawnShepherd when no process could be started. Otherwise ShepherdGone comes one day.
struct ShepherdNotSpawned {
  RunId id;
  std::string detail;
};
// The first instruction of the script may run (batch host), or the part is held (member).
struct ScriptStarted {
  RunId id;
  WallTime started_wall;
};
// The shepherd's process is gone. Without a record it died, and what it kept may still live.
struct ShepherdGone {
  RunId id;
  std::optional<ExitRecord> record;
};
// Answer to KillRemains: no process of the run lives any more.
struct RemainsKilled {
  RunId id;
  Usage usage;
};

BOOST_DEFINE_ENUM_CLASS(FoundAs,
                        alive,          // its shepherd runs: adopt it
                        never_started,  // spooled, no shepherd was or ever will be
                        shepherd_lost,  // started, no shepherd, no record: remains may live
                        finished,       // a record lies there
                        rebooted)       // of an earlier boot, without a record

// At start, before Connected: one for each run in the spool.
struct RunFound {
  LaunchOrder order;                 // script and environment may be left out
  FoundAs as = FoundAs::alive;
  std::optional<WallTime> started_wall;
  std::optional<ExitRecord> record;  // when finished
};
// At start: what the controller said when it last accepted this node (effect Remember).
struct AcceptanceFound {
  NodeAccepted accepted;
};

// Timers of effect ArmTimer.
struct HeartbeatDue {
  NodeVitals vitals;
};
struct KillOverdue {
  RunId id;
};
struct WitnessRoundDue {};

// A witness said for how long it has not answered the controller. `list` is the number of the witness
// list it knows, `round` that of the question.
struct WitnessAnswered {
  std::string node;
  std::uint64_t list = 0;
  std::uint64_t round = 0;
  Duration silent_for{};
};

using Event =
    std::variant<Connected, Disconnected, Reconfigured, OrderSpooled, OrderNotSpooled,
                 ShepherdNotSpawned, ScriptStarted, ShepherdGone, RemainsKilled, RunFound,
                 AcceptanceFound, HeartbeatDue, KillOverdue, WitnessRoundDue, WitnessAnswered,
                 // messages of the controller
                 NodeAccepted, HeartbeatReply, LaunchRun, KillRun, SignalRun, SetTimeLimit,
                 ExitCommitted, BlobChunk>;

}  // namespace sluice::agent
