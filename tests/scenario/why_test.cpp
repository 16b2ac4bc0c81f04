// why_test.cpp: what `sluice why` says is what holds the job up.
#include <catch2/catch.hpp>

#include "daemon/core/listing.h"
#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::minutes;

namespace {

std::string why(const World& world, JobId job) {
  std::string text;
  for (const std::string& line :
       explain(world.core.state.snapshot(), QueryWhy{{job, {}}}, world.now.wall).lines)
    text += line + "\n";
  return text;
}

bool says(const std::string& text, const std::string& line) {
  INFO(text);
  return ("\n" + text).find("\n" + line) != std::string::npos;
}

}  // namespace

TEST_CASE("who waits for resources is told who holds them, and until when at most") {
  World world = World::with_nodes(2, {.cpus = 4});
  const JobId longest = world.submit({.cpus = 4, .time_limit_min = 0});
  const JobId first_to_end = world.submit({.cpus = 4, .time_limit_min = 60});
  const JobId waits = world.submit({.cpus = 3});
  const JobId behind = world.submit({.cpus = 2});
  world.settle();
  world.pass(minutes{15});
  const std::string text = why(world, waits);
  REQUIRE(says(text, "reason: Resources"));
  REQUIRE(says(text, "  2 nodes ruled out: free cpus\n"));
  REQUIRE(says(text, "2 jobs hold nodes of partition main; the first to end:\n" +
                         fmt::format("  job {} of ", first_to_end.value)));
  REQUIRE(text.find(" holds 4 cpus on n2, at most until 20") != std::string::npos);
  REQUIRE(text.find("(in 45 min)\n") != std::string::npos);
  REQUIRE(says(text, fmt::format("  job {} of walter holds 4 cpus on n1, without a time limit\n", longest.value)));
  REQUIRE(says(text, "place in line of partition main: 1 "));
  REQUIRE(says(why(world, behind), "reason: Priority"));
  REQUIRE(says(why(world, behind), "place in line of partition main: 2 "));
}

TEST_CASE("a job that ended is told its exit code and the cause") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  world.exit(job, {3, 0}, {CauseKind::time_limit, {}, "after 60 min"});
  REQUIRE(says(why(world, job), "exit code 3, signal 0\ncause: time_limit: after 60 min\n"));
}
