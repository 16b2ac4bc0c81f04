// effects.h: the orders a supervisor gives to the outside world. They are carried out in their order,
// and those without an answer (see each) must be done before the next is begun.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/describe.h"
#include "common/base/time.h"
#include "common/model/run.h"
#include "common/wire/messages.h"

namespace sluice::agent {

using MessageToController = std::variant<RegisterNode, Heartbeat, RunAccepted, RunRefused,
                                         RunStarted, RunExited, GetBlob>;

// Sent on the present connection, in order; dropped when there is none.
struct SendToController {
  MessageToController message;
};
// The connection is dead though it looks open: close it. Answer: Disconnected.
struct CloseConnection {};

// Writes the order to the spool. Answer: OrderSpooled (it survives this process) or OrderNotSpooled.
struct SpoolOrder {
  LaunchOrder order;
  std::uint32_t kill_wait_s = 30;
};
// Answer: ShepherdNotSpawned, or later ScriptStarted (perhaps) and ShepherdGone.
struct SpawnShepherd {
  RunId id;
};
// Writes the end of a spooled run that has no shepherd; from then on none can take it up.
struct WriteExit {
  ExitRecord record;
};
// To the shepherd: TERM, kill wait, KILL; its record will carry the cause. Survives its being stopped.
struct TellKill {
  KillRun order;
};
struct TellSignal {
  SignalRun order;
};
// To the run's file, and to the shepherd if there is one: its time limit changed. Survives its
// being stopped.
struct TellTimeLimit {
  SetTimeLimit order;
};
// SIGKILL to the shepherd itself, which did not obey in time. Answer: ShepherdGone.
struct KillShepherd {
  RunId id;
};
// Kills every process of a run whose shepherd is dead, until none lives. Answer: RemainsKilled.
struct KillRemains {
  RunId id;
};
// Forgets the run: its folder is removed.
struct RemoveRun {
  RunId id;
};

// Runs that are leased end when steady time passes `until`; none: nothing is fenced.
struct SetLease {
  std::optional<SteadyTime> until;
};
// Asks every witness of the list `list` for how long it has not answered the controller.
// Answers: WitnessAnswered with this round, or nothing.
struct AskWitnesses {
  std::uint64_t round = 0;
  std::uint64_t list = 0;
};
// Keeps the controller's word for the next start of the agent (AcceptanceFound).
struct Remember {
  NodeAccepted accepted;
};

BOOST_DEFINE_ENUM_CLASS(TimerKind, heartbeat, kill_overdue, witness_round)
// Answer: HeartbeatDue, KillOverdue{run} or WitnessRoundDue, not before `at`. There is one timer of
// each kind (and run): arming it again moves it.
struct ArmTimer {
  TimerKind kind = TimerKind::heartbeat;
  RunId run;
  SteadyTime at;
};

// Late or repeated news that changed nothing; for the log.
struct Ignored {
  std::string what;
};

using Effect = std::variant<SendToController, CloseConnection, SpoolOrder, SpawnShepherd, WriteExit,
                            TellKill, TellSignal, TellTimeLimit, KillShepherd, KillRemains,
                            RemoveRun, SetLease, AskWitnesses, Remember, ArmTimer, Ignored>;

class Effects {
 public:
  template <class E>
  void add(E effect) { list_.emplace_back(std::move(effect)); }
  template <class M>
  void send(M message) { list_.emplace_back(SendToController{std::move(message)}); }
  std::vector<Effect> take() { return std::exchange(list_, {}); }
  bool empty() const { return list_.empty(); }

 private:
  std::vector<Effect> list_;
};

}  // namespace sluice::agent
