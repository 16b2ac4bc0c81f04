// restore_test.cpp: stories of a state that went back to a backup while the nodes went on.
#include <catch2/catch.hpp>

#include "tests/scenario/world.h"

using namespace sluice;

TEST_CASE("runs of jobs that the backup does not know are adopted, never killed") {
  World world = World::with_nodes(2);
  const JobId held = world.submit({.hold = true});
  const MemoryRows backup = world.back_up();
  const JobId first = world.submit({.cpus = 4});
  const JobId second = world.submit({.cpus = 4});
  world.settle();
  world.restore(backup);
  world.connect("n1");
  world.connect("n2");
  world.settle();
  REQUIRE(world.state_of(held) == JobState::pending);
  for (const JobId job : {first, second}) {
    REQUIRE(world.state_of(job) == JobState::running);
    REQUIRE(world.alive(job) == 1);
  }
  REQUIRE(world.submit({.hold = true}) > second);

  SECTION("and end as they would have") {
    world.exit(first, {3, 0});
    REQUIRE(world.outcome_of(first) == Outcome::failed);
    world.cancel({.jobs = {{second}}}, 0);
    world.settle();
    REQUIRE(world.outcome_of(second) == Outcome::cancelled);
    REQUIRE(world.alive(second) == 0);
  }
  SECTION("also by a controller that was started again before their node came back") {
    World later = World::with_nodes(2);
    const MemoryRows empty = later.back_up();
    const JobId away = later.submit({.cpus = 4});
    later.settle();
    const std::string node = later.node_of(away);
    later.restore(empty);
    later.connect(node == "n1" ? "n2" : "n1");
    REQUIRE(later.submit({.hold = true}) > away);
    later.restart_controller();
    later.connect(node);
    REQUIRE(later.state_of(away) == JobState::running);
    REQUIRE(later.alive(away) == 1);
  }
}

TEST_CASE("a job that waits in the backup and runs by now is not started again") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.hold = true});
  const MemoryRows backup = world.back_up();
  world.update({.filter = {.jobs = {{job}}}, .action = JobAction::release});
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);

  SECTION("while it runs") {
    world.restore(backup);
    world.connect("n1");
    world.settle();
    REQUIRE(world.state_of(job) == JobState::running);
    REQUIRE(world.alive(job) == 1);
    world.exit(job);
  }
  SECTION("also when its end was not told yet") {
    world.disconnect("n1");
    world.exit(job);
    world.restore(backup);
    world.connect("n1");
  }
  REQUIRE(world.outcome_of(job) == Outcome::completed);
  REQUIRE(world.record(job).run == RunNumber{0});
}

TEST_CASE(
    "all parts of a run that the backup does not know are adopted, whichever node comes first") {
  World world = World::with_nodes(2);
  const MemoryRows backup = world.back_up();
  const JobId job = world.submit({.nodes = 2, .cpus = 4});
  world.settle();
  const std::string host = world.node_of(job);
  const std::string member = host == "n1" ? "n2" : "n1";
  const bool host_first = GENERATE(true, false);
  world.restore(backup);
  world.connect(host_first ? host : member);
  world.connect(host_first ? member : host);
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.node_of(job) == host);
  REQUIRE(world.record(job).parts.size() == 2);
  world.exit(job, {5, 0});
  REQUIRE(world.outcome_of(job) == Outcome::failed);
  REQUIRE(world.record(job).end->status == ExitStatus{5, 0});
}

TEST_CASE("an agent that reports a run nobody knows can fill its own node at most") {
  World world = World::with_nodes(2, {.cpus = 4, .mem_mb = 8000});
  const JobId job{1000};
  RegisterNode body;
  body.name = "n1";
  body.identity.boot_id = "boot1";
  body.identity.spool_id = "spool-n1";
  RunReport report{.id = {job, RunNumber{0}}, .state = PartState::started};
  report.share = {.node = "n2", .cpus = 4'000'000'000, .mem_mb = 1ULL << 60};
  report.share.gres = {{"gpu", "", 0}, {"gpu", "", 0}};
  report.time_limit_s = 4'294'967'295;
  RunReport impossible = report;
  impossible.id.job.value = job_id_end;
  body.runs = {report, impossible};
  Effects out;
  world.core.on(NodeRegistered{900, 1, body}, world.now, out);
  check_invariants(world.core.state);
  REQUIRE(world.core.state.find_job(impossible.id.job) == nullptr);
  REQUIRE(world.record(job).time_limit == TimeLimit{false, 71'582'789});
  const Allocation expected{.shares = {{.node = "n1", .cpus = 4, .mem_mb = 8000}}};
  REQUIRE(world.record(job).allocation == expected);
  ExitRecord exit;
  exit.id = report.id;
  world.core.on(RunExitedOnNode{"n1", {exit}}, world.now, out);
  check_invariants(world.core.state);
  REQUIRE(world.state_of(job) == JobState::ended);
}

TEST_CASE("after a restore no job starts before every node has said what it runs") {
  World world = World::with_nodes(2);
  for (const char* node : {"n1", "n2"})
    world.update_node(node, NodeAction::drain, "so that it waits");
  const JobId job = world.submit({.cpus = 4});
  const MemoryRows backup = world.back_up();
  world.update_node("n2", NodeAction::resume, "");
  world.settle();
  REQUIRE(world.node_of(job) == "n2");
  world.restore(backup);
  for (const char* node : {"n1", "n2"}) world.update_node(node, NodeAction::resume, "");

  SECTION("the node that runs it speaks last") {
    for (int start = 0; start < 2; ++start) {
      world.connect("n1");
      world.settle();
      REQUIRE(world.state_of(job) == JobState::pending);
      world.restart_controller();  // one that died meanwhile is followed by one that waits, too
    }
    world.connect("n1");
    world.connect("n2");
    world.settle();
    REQUIRE(world.state_of(job) == JobState::running);
    REQUIRE(world.node_of(job) == "n2");
    REQUIRE(world.alive(job) == 1);
    const JobId next = world.submit({.cpus = 4});
    world.settle();
    REQUIRE(world.state_of(next) == JobState::running);
    world.restart_controller();
    REQUIRE_FALSE(world.core.state.starts_held_until);
  }
  SECTION("a node that stays away is waited for as long as its leases may last") {
    world.connect("n1");
    const JobId other = world.submit({.cpus = 4, .hold = false});
    world.pass(std::chrono::seconds{29});  // lease, KillWait and margin are 30
    REQUIRE(world.state_of(job) == JobState::pending);
    REQUIRE(world.state_of(other) == JobState::pending);
    world.pass(std::chrono::seconds{2});
    REQUIRE(world.state_of(job) == JobState::running);
    REQUIRE(world.node_of(job) == "n1");
  }
}
