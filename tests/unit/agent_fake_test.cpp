// agent_fake_test.cpp: the pretended node, and the parts of the agent that are pure.
#include <catch2/catch.hpp>
#include <vector>

#include "agent/exec/environment.h"
#include "agent/fake/fake_node.h"

using namespace sluice;
using namespace sluice::agent;

namespace {

constexpr RunId run_1{JobId{1}, RunNumber{0}};

struct FakeWorld {
  Now now{wall_from_us(1'000'000'000), steady_from_us(1'000'000)};
  std::vector<MessageToController> sent;
  FakeNode node{Self{"n1", {}, {}, true},
                {[this](MessageToController& message) { sent.push_back(std::move(message)); }, [] {}},
                now};

  FakeWorld() {
    node.on(Connected{}, now);
    node.on(NodeAccepted{}, now);
    sent.clear();
  }
  void launch(const std::string& script) {
    LaunchRun message;
    message.order.id = run_1;
    message.order.script = script;
    node.on(message, now);
  }
  void pass(Duration time) {
    now.wall += time;
    now.steady += time;
    node.pass(now);
  }
  template <class M>
  const M* find_sent() const {
    for (const auto& message : sent)
      if (const M* found = std::get_if<M>(&message)) return found;
    return nullptr;
  }
};

bool has(const std::vector<std::string>& list, const std::string& entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

}  // namespace

TEST_CASE("a pretended node answers an order at once", "[agent]") {
  FakeWorld world;
  world.launch("#!/bin/sh\ntrue\n");
  REQUIRE(world.find_sent<RunAccepted>());
  REQUIRE(world.find_sent<RunStarted>());
  REQUIRE(world.find_sent<RunExited>()->record.status == ExitStatus{});
}

TEST_CASE("a pretended job lasts as long as its script says it sleeps, unless killed", "[agent]") {
  FakeWorld world;
  world.launch("#!/bin/sh\nsleep 5\necho x\nsleep 2\n");
  world.pass(std::chrono::seconds{6});
  REQUIRE_FALSE(world.find_sent<RunExited>());
  SECTION("to its end") {
    world.pass(std::chrono::seconds{1});
    REQUIRE(world.find_sent<RunExited>()->record.elapsed == std::chrono::seconds{7});
  }
  SECTION("killed") {
    world.node.on(KillRun{run_1, {CauseKind::cancelled, 9, ""}, 30}, world.now);
    REQUIRE(world.find_sent<RunExited>()->record.cause.uid == 9U);
    world.sent.clear();
    world.pass(std::chrono::seconds{1});
    REQUIRE_FALSE(world.find_sent<RunExited>());
  }
}

TEST_CASE("heartbeats of a pretended node keep one pace over reconnections", "[agent]") {
  FakeWorld world;
  world.node.on(Disconnected{}, world.now);
  world.node.on(Connected{}, world.now);
  world.node.on(NodeAccepted{}, world.now);
  world.pass(Duration{0});
  world.sent.clear();
  for (int second = 0; second < 10; ++second) {
    world.node.on(HeartbeatReply{1}, world.now);
    world.pass(std::chrono::seconds{1});
  }
  std::size_t heartbeats = 0;
  for (const auto& message : world.sent) heartbeats += std::holds_alternative<Heartbeat>(message);
  REQUIRE(heartbeats == 2);  // one in five seconds
}

TEST_CASE("a job's environment: its own, then the controller's, then the node's", "[agent]") {
  SpooledRun run;
  run.node = "n1";
  run.host = "host1";
  run.user.home = "/nonexistent/me";
  run.user.name = "me";
  run.order.environment = std::string("A=1\0B=two\nlines\0HOME=/mine\0no-equals\0SLURM_JOB_ID=9\0", 52);
  run.order.job_environment = {"SLURM_JOB_ID=7", "C=\xff"};
  const std::vector<std::string> all = build_environment(run);
  REQUIRE(has(all, "A=1"));
  REQUIRE(has(all, "B=two\nlines"));
  REQUIRE(has(all, "C=\xff"));
  REQUIRE(has(all, "no-equals"));
  REQUIRE(has(all, "SLURM_JOB_ID=7"));
  REQUIRE_FALSE(has(all, "SLURM_JOB_ID=9"));
  REQUIRE(has(all, "HOME=/mine"));
  REQUIRE(has(all, "USER=me"));
  REQUIRE(has(all, "SLURMD_NODENAME=n1"));
  REQUIRE(has(all, "HOSTNAME=host1"));
  REQUIRE(has(all, "TMPDIR=/tmp"));
}
