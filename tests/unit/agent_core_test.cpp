// agent_core_test.cpp: what the supervisor of a node promises, event by event.
#include <catch2/catch.hpp>

#include "agent/core/supervisor.h"

using namespace sluice;
using namespace sluice::agent;

namespace {

constexpr RunId run_1{JobId{1}, RunNumber{0}};

// A node's supervisor, its clock, and what it ordered since it was last asked.
struct Node {
  Now now{wall_from_us(1'000'000'000), steady_from_us(1'000'000)};
  Supervisor supervisor{Self{"n1", {}, {}, false}, now};
  std::vector<Effect> effects;

  void on(const Event& event) {
    Effects out;
    supervisor.on(event, now, out);
    for (Effect& effect : out.take()) effects.push_back(std::move(effect));
  }
  void pass(Duration time) {
    now.wall += time;
    now.steady += time;
  }
  // The first effect of this kind, and it is taken out.
  template <class E>
  std::optional<E> take() {
    for (auto at = effects.begin(); at != effects.end(); ++at) {
      if (!std::holds_alternative<E>(*at)) continue;
      E found = std::get<E>(std::move(*at));
      effects.erase(at);
      return found;
    }
    return std::nullopt;
  }
  template <class M>
  std::optional<M> take_sent() {
    for (auto at = effects.begin(); at != effects.end(); ++at) {
      auto* sent = std::get_if<SendToController>(&*at);
      if (!sent || !std::holds_alternative<M>(sent->message)) continue;
      M found = std::get<M>(std::move(sent->message));
      effects.erase(at);
      return found;
    }
    return std::nullopt;
  }
  void register_at_controller(NodeAccepted accepted = {}) {
    on(Connected{});
    on(accepted);
    effects.clear();
  }
  void launch(RunId id = run_1, bool leased = false) {
    LaunchRun message;
    message.order.id = id;
    message.order.uid = 1000;
    message.order.leased = leased;
    message.order.script = "#!/bin/sh\n";
    on(message);
  }
  void bring_to_start(bool leased = false) {
    launch(run_1, leased);
    on(OrderSpooled{run_1});
    on(ScriptStarted{run_1, now.wall});
    effects.clear();
  }
};

ExitRecord record_of_run_1() {
  ExitRecord record;
  record.id = run_1;
  record.node = "n1";
  record.script_started = true;
  record.status.code = 3;
  return record;
}

NodeAccepted with_leases(std::vector<std::string> witnesses) {
  NodeAccepted accepted;
  accepted.leases = true;
  accepted.timeouts.lease_s = 40;
  accepted.witness_list = 7;
  for (std::string& name : witnesses) accepted.witnesses.push_back({std::move(name), "", 0});
  return accepted;
}

}  // namespace

TEST_CASE("an order is acknowledged after it is spooled, and started once", "[agent]") {
  Node node;
  node.register_at_controller();
  node.launch();
  REQUIRE(node.take<SpoolOrder>()->order.id == run_1);
  REQUIRE_FALSE(node.take_sent<RunAccepted>());
  node.launch();  // repeated while being written
  REQUIRE(node.effects.empty());
  node.on(OrderSpooled{run_1});
  REQUIRE(node.take_sent<RunAccepted>()->id == run_1);
  REQUIRE(node.take<SpawnShepherd>()->id == run_1);
  node.launch();
  REQUIRE(node.take_sent<RunAccepted>());
  REQUIRE(node.effects.empty());
  REQUIRE(node.supervisor.has_run_of(1000));
}

TEST_CASE(
    "a time limit that changes reaches the spool before the shepherd, and the next registration",
    "[agent]") {
  Node node;
  node.register_at_controller();
  node.launch();
  node.on(SetTimeLimit{run_1, 60});  // the order is being written
  REQUIRE_FALSE(node.take<TellTimeLimit>());
  node.on(OrderSpooled{run_1});
  REQUIRE(std::holds_alternative<TellTimeLimit>(node.effects.at(2)));
  REQUIRE(std::holds_alternative<SpawnShepherd>(node.effects.at(3)));
  node.effects.clear();
  node.on(SetTimeLimit{run_1, 90});
  REQUIRE(node.take<TellTimeLimit>()->order.time_limit_s == 90);
  node.on(Connected{});
  REQUIRE(node.take_sent<RegisterNode>()->runs.at(0).time_limit_s == 90);
  node.on(ShepherdGone{run_1, record_of_run_1()});
  node.on(SetTimeLimit{run_1, 30});
  REQUIRE_FALSE(node.take<TellTimeLimit>());
}

TEST_CASE("a reconfigured agent registers anew, never while an answer is awaited", "[agent]") {
  Node node;
  node.on(Reconfigured{Self{"n1", {}, {.cpus = 2}, false}, {}});
  REQUIRE(node.effects.empty());
  node.on(Connected{});
  REQUIRE(node.take_sent<RegisterNode>()->shape.cpus == 2);
  REQUIRE_FALSE(node.supervisor.is_welcome());
  node.on(Reconfigured{Self{"n1", {}, {.cpus = 3}, false}, {}});
  REQUIRE_FALSE(node.take_sent<RegisterNode>());
  node.on(with_leases({}));
  REQUIRE(node.take_sent<RegisterNode>()->shape.cpus == 3);
  REQUIRE(node.supervisor.is_welcome());
  node.effects.clear();
  node.on(HeartbeatReply{7});  // to a heartbeat before
  node.on(HeartbeatDue{});
  REQUIRE_FALSE(node.take_sent<Heartbeat>());
  node.on(with_leases({}));
  node.on(HeartbeatDue{});
  REQUIRE(node.take_sent<Heartbeat>()->echo == 0);
}

TEST_CASE("an order that does not lie in the spool yet is not reported", "[agent]") {
  Node node;
  node.register_at_controller();
  node.launch();
  node.on(Reconfigured{Self{"n1", {}, {}, false}, {}});
  REQUIRE(node.take_sent<RegisterNode>()->runs.empty());
  node.on(OrderSpooled{run_1});
  REQUIRE(node.take_sent<RunAccepted>());
}

TEST_CASE("an exit record is kept and repeated until it is committed", "[agent]") {
  Node node;
  node.register_at_controller();
  node.bring_to_start();
  node.on(Disconnected{});
  node.on(ShepherdGone{run_1, record_of_run_1()});
  REQUIRE_FALSE(node.take_sent<RunExited>());
  node.on(Connected{});
  const auto registration = node.take_sent<RegisterNode>();
  REQUIRE(registration->runs.size() == 1);
  REQUIRE(registration->runs[0].exit == record_of_run_1());
  node.on(NodeAccepted{});
  node.pass(std::chrono::seconds{11});
  node.on(HeartbeatDue{});
  REQUIRE(node.take_sent<RunExited>()->record == record_of_run_1());
  node.on(ExitCommitted{run_1});
  REQUIRE(node.take<RemoveRun>()->id == run_1);
  REQUIRE(node.supervisor.reports().empty());
  node.effects.clear();
  node.launch();  // late: the run is over
  REQUIRE_FALSE(node.take_sent<RunRefused>()->node_fault);
  REQUIRE_FALSE(node.take<SpoolOrder>());
}

TEST_CASE("a kill of a run never seen is answered and stops a late order", "[agent]") {
  Node node;
  node.register_at_controller();
  node.on(KillRun{run_1, {CauseKind::cancelled, 0, "x"}, 30});
  REQUIRE(node.take_sent<RunExited>()->record.cause.kind == CauseKind::supervisor_lost);
  node.launch();
  REQUIRE(node.take_sent<RunExited>());
  REQUIRE_FALSE(node.take<SpoolOrder>());
  node.on(ExitCommitted{run_1});
  REQUIRE_FALSE(node.take<RemoveRun>());
  node.launch();
  REQUIRE(node.take_sent<RunRefused>());
  REQUIRE_FALSE(node.take<SpoolOrder>());
}

TEST_CASE("a run killed while its order is written never starts", "[agent]") {
  Node node;
  node.register_at_controller();
  node.launch();
  node.on(KillRun{run_1, {CauseKind::cancelled, 1000, ""}, 30});
  node.on(OrderSpooled{run_1});
  REQUIRE_FALSE(node.take<SpawnShepherd>());
  REQUIRE(node.take<WriteExit>()->record.cause.kind == CauseKind::cancelled);
  const auto exited = node.take_sent<RunExited>();
  REQUIRE_FALSE(exited->record.script_started);
  REQUIRE(exited->record.cause.uid == 1000U);
}

TEST_CASE("a dead shepherd ends its run only after the remains are killed", "[agent]") {
  Node node;
  node.register_at_controller();
  node.bring_to_start();
  node.on(ShepherdGone{run_1, std::nullopt});
  REQUIRE(node.take<KillRemains>()->id == run_1);
  REQUIRE_FALSE(node.take_sent<RunExited>());
  node.on(RemainsKilled{run_1, Usage{1, 2, 3, 0}});
  const auto exited = node.take_sent<RunExited>();
  REQUIRE(exited->record.cause.kind == CauseKind::supervisor_lost);
  REQUIRE(exited->record.node_fault);
  REQUIRE(exited->record.usage.mem_peak_kb == 3);
}

TEST_CASE("a shepherd that does not obey a kill in time is killed itself", "[agent]") {
  Node node;
  node.register_at_controller();
  node.bring_to_start();
  node.on(KillRun{run_1, {CauseKind::cancelled, 0, ""}, 30});
  REQUIRE(node.take<TellKill>());
  const auto timer = node.take<ArmTimer>();
  REQUIRE(timer->kind == TimerKind::kill_overdue);
  REQUIRE(timer->at > node.now.steady + std::chrono::seconds{30});
  node.on(KillOverdue{run_1});
  REQUIRE(node.take<KillShepherd>());
  node.on(ShepherdGone{run_1, std::nullopt});
  node.on(RemainsKilled{run_1, {}});
  REQUIRE(node.take_sent<RunExited>()->record.cause.kind == CauseKind::cancelled);
}

TEST_CASE("what is found in the spool is adopted, cleaned or told", "[agent]") {
  Node node;
  const auto found = [](std::uint32_t job, FoundAs as) {
    RunFound event;
    event.order.id = {JobId{job}, RunNumber{0}};
    event.as = as;
    if (as == FoundAs::finished) event.record.emplace().id = event.order.id;
    return event;
  };
  node.on(found(1, FoundAs::alive));
  node.on(found(2, FoundAs::never_started));
  node.on(found(3, FoundAs::shepherd_lost));
  node.on(found(4, FoundAs::rebooted));
  node.on(found(5, FoundAs::finished));
  REQUIRE(node.take<WriteExit>()->record.id.job.value == 2);
  REQUIRE(node.take<KillRemains>()->id.job.value == 3);
  REQUIRE(node.take<WriteExit>()->record.cause.kind == CauseKind::node_rebooted);
  node.on(Connected{});
  const auto registration = node.take_sent<RegisterNode>();
  REQUIRE(registration->runs.size() == 5);
  REQUIRE(registration->runs[0].state == PartState::accepted);
  REQUIRE(registration->runs[1].exit->cause.kind == CauseKind::supervisor_lost);
  REQUIRE_FALSE(registration->runs[2].exit);
  REQUIRE(registration->runs[4].state == PartState::over);
}

TEST_CASE("a registration says of each run what its order said", "[agent]") {
  Node node;
  node.register_at_controller();
  LaunchRun message;
  message.order.id = run_1;
  message.order.uid = 1000;
  message.order.job_name = "name";
  message.order.share = {"n1", 2, 1, 300, {}};
  message.order.time_limit_s = 60;
  node.on(message);
  node.on(OrderSpooled{run_1});
  const RunReport report = node.supervisor.reports().at(0);
  REQUIRE(report.job_name == "name");
  REQUIRE(report.share.mem_mb == 300);
  REQUIRE(report.uid == 1000);
  REQUIRE(report.time_limit_s == 60U);
  REQUIRE(report.state == PartState::accepted);
}

TEST_CASE("a large script is fetched chunk by chunk, once for all its runs", "[agent]") {
  Node node;
  node.register_at_controller();
  for (std::uint32_t job : {1U, 2U}) {
    LaunchRun message;
    message.order.id = {JobId{job}, RunNumber{0}};
    message.order.script_id = "abc";
    node.on(message);
  }
  REQUIRE(node.take_sent<GetBlob>()->offset == 0);
  REQUIRE_FALSE(node.take_sent<GetBlob>());
  node.on(BlobChunk{"abc", 0, 6, "#!/"});
  REQUIRE(node.take_sent<GetBlob>()->offset == 3);
  node.on(BlobChunk{"abc", 3, 6, "bin"});
  REQUIRE(node.take<SpoolOrder>()->order.script == "#!/bin");
  REQUIRE(node.take<SpoolOrder>()->order.script == "#!/bin");
}

TEST_CASE("an order that waits for its script is forgotten with the connection", "[agent]") {
  Node node;
  node.register_at_controller();
  LaunchRun message;
  message.order.id = run_1;
  message.order.script_id = "abc";
  node.on(message);
  node.on(Disconnected{});
  node.on(Connected{});
  node.effects.clear();
  node.on(message);  // ordered again: asked for again
  REQUIRE(node.take_sent<GetBlob>());
}

TEST_CASE("the lease runs from the sending of the heartbeat that is answered", "[agent]") {
  Node node;
  node.on(Connected{});
  const SteadyTime registered = node.now.steady;
  node.pass(std::chrono::seconds{1});
  node.on(with_leases({"n1", "n2"}));
  REQUIRE(*node.take<SetLease>()->until == registered + std::chrono::seconds{40});
  node.on(HeartbeatDue{});
  const SteadyTime sent = node.now.steady;
  node.pass(std::chrono::seconds{3});
  node.on(HeartbeatReply{11});
  REQUIRE(*node.take<SetLease>()->until == sent + std::chrono::seconds{40});
  node.effects.clear();
  node.on(HeartbeatDue{});
  REQUIRE(node.take_sent<Heartbeat>()->echo == 11);
}

TEST_CASE("a leased run waits for a valid lease", "[agent]") {
  Node node;
  node.register_at_controller(with_leases({"n1", "n2"}));
  node.on(HeartbeatDue{});
  node.pass(std::chrono::seconds{41});  // the agent was frozen: the order is old
  node.effects.clear();
  node.launch(run_1, true);
  node.on(OrderSpooled{run_1});
  REQUIRE(node.take_sent<RunAccepted>());
  REQUIRE_FALSE(node.take<SpawnShepherd>());
  node.on(HeartbeatReply{1});  // answers a heartbeat that is too old as well
  REQUIRE_FALSE(node.take<SpawnShepherd>());
  node.on(HeartbeatDue{});
  node.on(HeartbeatReply{2});
  REQUIRE(node.take<SpawnShepherd>());
}

TEST_CASE("a dead controller kills nothing: a silent majority prolongs the lease", "[agent]") {
  Node node;
  node.register_at_controller(with_leases({"n1", "n2"}));
  node.bring_to_start(true);
  node.on(Disconnected{});
  node.pass(std::chrono::seconds{5});
  node.on(WitnessRoundDue{});
  REQUIRE_FALSE(node.take<AskWitnesses>());  // it answered less than lease/4 ago
  node.pass(std::chrono::seconds{6});
  node.on(WitnessRoundDue{});
  const SteadyTime asked = node.now.steady;
  const auto question = node.take<AskWitnesses>();
  REQUIRE(question->list == 7);
  REQUIRE_FALSE(node.take<SetLease>());  // itself alone: one of three
  node.pass(std::chrono::seconds{1});
  node.on(WitnessAnswered{"n2", 7, question->round, std::chrono::seconds{3}});
  REQUIRE_FALSE(node.take<SetLease>());  // n2 answered the controller lately
  node.on(WitnessAnswered{"n2", 7, question->round, std::chrono::seconds{10}});
  REQUIRE_FALSE(node.take<SetLease>());  // it is silent now, but was not when this node was
  node.on(WitnessAnswered{"n2", 7, question->round - 1, std::chrono::seconds{30}});
  node.on(WitnessAnswered{"n2", 6, question->round, std::chrono::seconds{30}});
  node.on(WitnessAnswered{"n9", 7, question->round, std::chrono::seconds{30}});
  REQUIRE_FALSE(node.take<SetLease>());
  node.on(WitnessAnswered{"n2", 7, question->round, std::chrono::seconds{12}});
  REQUIRE(*node.take<SetLease>()->until == asked + std::chrono::seconds{40});
}

TEST_CASE("without leases nothing is fenced", "[agent]") {
  Node node;
  node.on(Connected{});
  node.on(NodeAccepted{});
  REQUIRE_FALSE(node.take<SetLease>()->until);
  node.launch(run_1, true);
  node.on(OrderSpooled{run_1});
  REQUIRE(node.take<SpawnShepherd>());
}

TEST_CASE("a connection whose heartbeats stay unanswered is closed", "[agent]") {
  Node node;
  node.register_at_controller();
  for (int i = 0; i < 5; ++i) {
    node.on(HeartbeatDue{});
    node.pass(std::chrono::seconds{5});
  }
  REQUIRE_FALSE(node.take<CloseConnection>());
  node.on(HeartbeatDue{});
  REQUIRE(node.take<CloseConnection>());
}
