// nursery_test.cpp: shepherds that are forked instead of started.
#include "agent/exec/nursery.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include <catch2/catch.hpp>

#include "tests/agent/shepherd_bench.h"

using namespace sluice;
using namespace sluice::agent;

TEST_CASE("a nursery's shepherd is the agent's child and shows its run", "[nursery]") {
  ShepherdBench bench;
  bench.start("#!/bin/sh\nsleep 600\n");
  const std::string proc = "/proc/" + std::to_string(bench.shepherd);
  REQUIRE(wait_until([&] {
    return read_file(proc + "/cmdline").value().find(bench.folder()) != std::string::npos;
  }));
  REQUIRE(read_file(proc + "/status").value().find("\nPPid:\t" + std::to_string(getpid()) + "\n") !=
          std::string::npos);
  bench.order_kill({CauseKind::cancelled, 7, ""}, 0);
  REQUIRE(bench.wait().cause.uid == 7U);
}

TEST_CASE("one nursery starts one shepherd after the other", "[nursery]") {
  ShepherdBench bench;
  REQUIRE(bench.run("#!/bin/sh\nexit 3\n").status == ExitStatus{3, 0});
  const pid_t first = bench.nursery.pid();
  REQUIRE(bench.run("#!/bin/sh\nexit 4\n").status == ExitStatus{4, 0});
  REQUIRE(bench.nursery.pid() == first);
}

TEST_CASE("a nursery that died or is frozen is replaced and no run is lost", "[nursery]") {
  ShepherdBench bench;
  REQUIRE(bench.run("#!/bin/sh\nexit 3\n").status == ExitStatus{3, 0});
  const pid_t first = bench.nursery.pid();
  REQUIRE(kill(first, GENERATE(SIGKILL, SIGSTOP)) == 0);
  REQUIRE(bench.run("#!/bin/sh\nexit 4\n").status == ExitStatus{4, 0});
  REQUIRE(bench.nursery.pid() != first);
}

TEST_CASE("a nursery leaves when its agent is gone", "[nursery]") {
  std::array<int, 2> line;
  REQUIRE(pipe(line.data()) == 0);
  ShepherdBench bench;
  const pid_t agent = fork();
  if (agent == 0) {
    Nursery nursery(SHEPHERD_PATH);
    (void)nursery.start_shepherd(bench.folder() + ".none").ok();
    const pid_t pid = nursery.pid();
    _exit(write(line[1], &pid, sizeof pid) == sizeof pid ? 0
                                                         : 1);  // as killed: nothing is cleaned up
  }
  pid_t nursery = -1;
  REQUIRE(read(line[0], &nursery, sizeof nursery) == sizeof nursery);
  REQUIRE(waitpid(agent, nullptr, 0) == agent);
  REQUIRE(nursery > 0);
  REQUIRE(wait_until([&] { return kill(nursery, 0) != 0; }));
}

TEST_CASE("a program that is not there is told with its path", "[nursery]") {
  Nursery nursery("/nonexistent/sluice-shepherd");
  const auto pid = nursery.start_shepherd("/nonexistent/run");
  REQUIRE_FALSE(pid.ok());
  REQUIRE(pid.error().detail.find("/nonexistent/sluice-shepherd") != std::string::npos);
}
