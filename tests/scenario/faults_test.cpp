// faults_test.cpp: stories of things that go wrong: nodes lost, rebooted, silent; controllers restarted.
#include <catch2/catch.hpp>

#include "daemon/core/launch.h"
#include "tests/scenario/world.h"

using namespace sluice;

TEST_CASE("a silent node's job runs again only after lease, kill wait and margin") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({});
  world.settle();
  const std::string first = world.node_of(job);
  world.disconnect(first);
  world.pass(std::chrono::seconds{29});
  REQUIRE(world.core.state.find_node(first)->record.state == NodeState::up);
  world.pass(std::chrono::seconds{2});
  REQUIRE(world.core.state.find_node(first)->record.state == NodeState::lost);
  REQUIRE(world.state_of(job) == JobState::running);  // 20 + 5 + 5 s from the last lease are over at 31
  world.pass(std::chrono::seconds{2});
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.node_of(job) != first);
  REQUIRE(world.record(job).run.value == 1);
}

TEST_CASE("without a majority of voters nothing is requeued for loss") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({});
  world.settle();
  for (const char* node : {"n1", "n2", "n3"}) world.disconnect(node);
  world.pass(std::chrono::seconds{600});
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).run.value == 0);
}

namespace {

void let_time_pass(World& world, Duration time) {
  world.now.wall += time;
  world.now.steady += time;
}

void look_at_timers(World& world) {
  Effects out;
  world.core.on(TimePassed{}, world.now, out);
}

}  // namespace

TEST_CASE("a registration is no answer: who registers again and again proves nothing") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({});
  world.settle();
  const std::string first = world.node_of(job);
  for (const char* node : {"n1", "n2", "n3"}) world.disconnect(node);
  for (int second = 0; second < 200; ++second) {
    for (const char* node : {"n1", "n2", "n3"})
      if (node != first) world.connect(node);
    let_time_pass(world, std::chrono::seconds{1});
    look_at_timers(world);
  }
  REQUIRE(world.record(job).run.value == 0);
}

TEST_CASE("answers that waited at a stopped controller prove nothing about the time it was stopped") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({});
  world.settle();
  const std::string first = world.node_of(job);
  world.pass(std::chrono::seconds{40});
  world.disconnect(first);
  let_time_pass(world, std::chrono::seconds{100});
  for (int look = 0; look < 3; ++look) {
    for (const char* node : {"n1", "n2", "n3"}) {
      if (node == first) continue;
      const NodeEntry& entry = *world.core.state.find_node(node);
      Effects out;
      world.core.on(NodeAnswered{node, entry.connection, {.echo = entry.nonce}}, world.now, out);
    }
    look_at_timers(world);
  }
  REQUIRE(world.record(job).run.value == 0);
}

TEST_CASE("a node that is heard but does not hear is lost, named so, and comes back by an answer alone") {
  World world = World::with_nodes(1);
  const auto heartbeat = [&](std::uint64_t behind) {
    const NodeEntry& entry = *world.core.state.find_node("n1");
    Effects out;
    world.core.on(NodeAnswered{"n1", entry.connection, {.echo = entry.nonce - behind}}, world.now, out);
  };
  const auto node = [&] { return world.core.state.find_node("n1")->record; };
  world.pass(std::chrono::seconds{2});
  for (int second = 0; second < 40; ++second) {
    let_time_pass(world, std::chrono::seconds{1});
    heartbeat(1);
    look_at_timers(world);
  }
  REQUIRE(node().state == NodeState::lost);
  REQUIRE(node().reason == "Not responding: its agent is heard, but does not hear the controller");
  heartbeat(1);
  REQUIRE(node().state == NodeState::lost);
  heartbeat(0);
  REQUIRE(node().state == NodeState::up);
  REQUIRE(node().reason.empty());
}

TEST_CASE("an acceptance grants a lease: a node lost after it is waited for as long") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({});
  world.settle();
  const std::string first = world.node_of(job);
  world.pass(std::chrono::seconds{40});
  world.disconnect(first);
  world.pass(std::chrono::seconds{25});
  world.connect(first);
  world.disconnect(first);
  world.pass(std::chrono::seconds{29});
  REQUIRE(world.record(job).run.value == 0);
}

TEST_CASE("a job that leaves the queue before its end was stored is stored with its end") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  ExitRecord exit;
  exit.id = {job, RunNumber{0}};
  exit.node = "n1";
  exit.script_started = true;
  Effects out;
  world.core.on(RunExitedOnNode{"n1", {exit}}, world.now, out);
  let_time_pass(world, std::chrono::seconds{400});  // the disk stalls
  look_at_timers(world);
  const StoreBatch batch = world.core.state.take_batch();
  REQUIRE(batch.retired == std::vector<JobId>{job});
  REQUIRE(batch.jobs.size() == 1);
  REQUIRE(batch.jobs[0]->end.has_value());
}

TEST_CASE("a launch that waited for its commit does not leave when its run is over") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  SendLaunch launch{"n1", {}};
  launch.order.id = {job, RunNumber{0}};
  REQUIRE(is_still_wanted(world.core.state, launch));
  world.reboot("n1");
  world.settle();
  REQUIRE(world.record(job).run.value == 1);
  REQUIRE_FALSE(is_still_wanted(world.core.state, launch));
}

TEST_CASE("a second agent under a node's name is told who holds it, where and since when") {
  World world = World::with_nodes(1);
  const Error error = world.connect_refused("n1");
  REQUIRE(error.code == ErrorCode::duplicate_node);
  REQUIRE(error.detail ==
          "node n1 is held by the agent at 127.0.0.1 (host host1), which runs since "
          "2027-01-15T08:00:00Z; stop that agent or give this one another name");
}

TEST_CASE("whether a run may be run again cannot change under it") {
  World world = World::with_nodes(2);
  const JobId job = world.submit({.requeue = false});
  world.settle();
  UpdateJobs request;
  request.filter.jobs = {{job, {}}};
  request.requeue = true;
  REQUIRE(world.update(request).answers[0].error == ErrorCode::job_not_pending);
}

TEST_CASE("a restarted controller waits a whole lease before it gives a node up") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({});
  world.settle();
  const std::string first = world.node_of(job);
  world.disconnect(first);
  world.pass(std::chrono::seconds{25});
  world.restart_controller();
  for (const char* node : {"n1", "n2", "n3"})
    if (node != first) world.connect(node);
  world.pass(std::chrono::seconds{25});
  REQUIRE(world.record(job).run.value == 0);
  world.pass(std::chrono::seconds{20});
  REQUIRE(world.record(job).run.value == 1);
}

TEST_CASE("a job that may not be requeued ends NODE_FAIL") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({.requeue = false});
  world.settle();
  world.disconnect(world.node_of(job));
  world.pass(std::chrono::seconds{60});
  REQUIRE(world.outcome_of(job) == Outcome::node_fail);
}

TEST_CASE("a node that comes back in time keeps its job; one given up kills its stale copy") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({});
  world.settle();
  const std::string node = world.node_of(job);
  world.disconnect(node);
  world.pass(std::chrono::seconds{10});
  world.connect(node);
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).run.value == 0);
  world.disconnect(node);
  world.pass(std::chrono::seconds{60});
  REQUIRE(world.record(job).run.value == 1);
  world.connect(node);
  REQUIRE(world.alive(job) == 1);
}

TEST_CASE("a rebooted node's job runs again at once, with its cause") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  world.reboot("n1");
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).run.value == 1);
}

TEST_CASE("a node's fault is not charged to the job, and three set the node aside") {
  World world = World::with_nodes(1);
  std::vector<JobId> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(world.submit({.requeue = false}));
  world.settle();
  const Cause full{CauseKind::node_fault, std::nullopt, "spool is full"};
  for (JobId job : jobs) {
    REQUIRE_FALSE(world.core.state.find_node("n1")->record.drain);
    world.exit(job, {}, full, true);
    REQUIRE(world.record(job).run.value == 1);
  }
  REQUIRE(world.core.state.find_node("n1")->record.drain);
}

TEST_CASE("a controller restart loses nothing and ends nothing") {
  World world = World::with_nodes(2);
  const JobId running = world.submit({});
  world.settle();
  const JobId pending = world.submit({.hold = true});
  const JobId array = world.submit({.cpus = 4, .array = "0-9"});
  world.settle();
  world.restart_controller();
  for (const char* node : {"n1", "n2"}) world.connect(node);
  world.settle();
  REQUIRE(world.state_of(running) == JobState::running);
  REQUIRE(world.alive(running) == 1);
  REQUIRE(world.record(pending).hold == Hold::user);
  REQUIRE(world.record(array).array->waiting.size() == 9);
  REQUIRE(world.submit({}) > array);
}

TEST_CASE("an order that a node never acknowledges is taken back, and waits for the node's word") {
  World world = World::with_nodes(2);
  world.mute("n1");
  const JobId job = world.submit({});
  world.settle();
  REQUIRE(world.state_of(job) == JobState::starting);
  world.pass(std::chrono::seconds{31});
  REQUIRE(world.state_of(job) == JobState::completing);  // it may have begun: nobody knows yet
  world.reboot("n1");
  world.settle();
  REQUIRE(world.record(job).run.value == 1);
}
