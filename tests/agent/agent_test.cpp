// agent_test.cpp: the real agent and the real shepherd under a controller that the test plays.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "agent/exec/file.h"
#include "agent/exec/run_file.h"
#include "tests/agent/fake_controller.h"
#include "tests/agent/shepherd_bench.h"

using namespace sluice;
using namespace sluice::agent;

namespace {

constexpr RunId run_1{JobId{1}, RunNumber{0}};

struct World : FakeController {
  World() {
    start_agent();
    REQUIRE(serve_until([this] { return registrations.size() == 1; }));
  }
  void bring_to_start(const std::string& script) {
    launch(run_1, script);
    REQUIRE(serve_until([this] { return started.size() == 1; }));
  }
  void wait_for_exit() {
    REQUIRE(serve_until([this] { return !exited.empty(); }));
  }
  std::string output() const {
    const auto text = read_file(folder + "/out");
    return text.ok() ? *text : "";
  }
  std::string run_folder() const { return folder + "/spool/runs/1.0"; }
  pid_t shepherd() const {
    const auto file = RunFile::open(run_folder() + "/run");
    return file.ok() ? static_cast<pid_t>(file->mark().pid) : -1;
  }
};

}  // namespace

TEST_CASE("an order is acknowledged, started, ended, and forgotten when committed", "[node]") {
  World world;
  REQUIRE(world.registrations[0].name == "n1");
  REQUIRE(world.registrations[0].shape.cpus >= 1);
  REQUIRE(world.registrations[0].shape.mem_mb > 100);
  world.launch(run_1, "#!/bin/sh\necho $SLURMD_NODENAME; exit 3\n");
  world.wait_for_exit();
  REQUIRE(world.accepted.size() == 1);
  REQUIRE(world.started.size() == 1);
  REQUIRE(world.exited[0].record.status == ExitStatus{3, 0});
  REQUIRE(world.output() == "n1\n");
  REQUIRE(std::filesystem::exists(world.run_folder()));
  world.send(ExitCommitted{run_1});
  REQUIRE(world.serve_until([&] { return !std::filesystem::exists(world.run_folder()); }));
}

TEST_CASE("kill -9 of the agent: the job goes on and its end is kept", "[node]") {
  World world;
  SECTION("it ends while the agent is away") {
    world.bring_to_start("#!/bin/sh\nsleep 1; exit 5\n");
    world.kill_agent(SIGKILL);
    REQUIRE(world.serve_until([&] {
      const auto file = RunFile::open(world.run_folder() + "/run");
      return file.ok() && file->exit().has_value();
    }));
    world.start_agent();
    REQUIRE(world.serve_until([&] { return world.registrations.size() == 2; }));
    REQUIRE(world.registrations[1].runs.at(0).exit->status == ExitStatus{5, 0});
    REQUIRE(world.registrations[1].identity.spool_id == world.registrations[0].identity.spool_id);
  }
  SECTION("it is adopted, and a kill really kills") {
    world.bring_to_start("#!/bin/sh\nsleep 600\n");
    world.kill_agent(SIGKILL);
    world.start_agent();
    REQUIRE(world.serve_until([&] { return world.registrations.size() == 2; }));
    REQUIRE(world.registrations[1].runs.at(0).state == PartState::started);
    world.send(KillRun{run_1, {CauseKind::cancelled, 7, ""}, 5});
    world.wait_for_exit();
    REQUIRE(world.exited[0].record.cause.uid == 7U);
  }
}

TEST_CASE("a folder with another run's order is no run", "[node]") {
  World world;
  world.bring_to_start("#!/bin/sh\nsleep 600\n");
  world.kill_agent(SIGKILL);
  std::filesystem::copy(world.run_folder(), world.folder + "/spool/runs/9.0");
  world.start_agent();
  REQUIRE(world.serve_until([&] { return world.registrations.size() == 2; }));
  REQUIRE(world.registrations[1].runs.size() == 1);
  REQUIRE(world.registrations[1].runs[0].id == run_1);
  REQUIRE_FALSE(std::filesystem::exists(world.folder + "/spool/runs/9.0"));
  world.send(KillRun{run_1, {CauseKind::cancelled, 7, ""}, 0});
  world.wait_for_exit();
}

TEST_CASE("kill -9 of the shepherd: nothing is left and the node takes the blame", "[node]") {
  World world;
  const std::string mark = "REMAINS" + std::to_string(getpid());
  world.bring_to_start("#!/bin/bash\nsetsid bash -c 'exec -a " + mark + " sleep 600' &\nsleep 600\n");
  REQUIRE(world.serve_until([&] { return process_exists_with(mark); }));
  REQUIRE(kill(world.shepherd(), SIGKILL) == 0);
  world.wait_for_exit();
  REQUIRE(world.exited[0].record.cause.kind == CauseKind::supervisor_lost);
  REQUIRE(world.exited[0].record.node_fault);
  REQUIRE_FALSE(process_exists_with(mark));
}

TEST_CASE("the exit record is told again after every cut until it is committed", "[node]") {
  World world;
  world.launch(run_1, "#!/bin/sh\nexit 1\n");
  world.wait_for_exit();
  for (std::size_t round = 2; round <= 3; ++round) {
    world.cut();
    REQUIRE(world.serve_until([&] { return world.registrations.size() == round; }));
    REQUIRE(world.registrations.back().runs.at(0).exit->status == ExitStatus{1, 0});
  }
}

TEST_CASE("an unknown user is the job's fault and told with uid and node", "[node]") {
  if (geteuid() != 0) {
    WARN("skipped: needs root");
    return;
  }
  World world;
  LaunchRun message;
  message.order.id = run_1;
  message.order.uid = 54321;
  message.order.user = "ghost";
  message.order.script = "#!/bin/sh\n";
  world.send(message);
  REQUIRE(world.serve_until([&] { return !world.refused.empty(); }));
  REQUIRE(world.refused[0].code == ErrorCode::unknown_user);
  REQUIRE_FALSE(world.refused[0].node_fault);
  REQUIRE(world.refused[0].detail.find("uid 54321 (ghost) on node n1") != std::string::npos);
}
