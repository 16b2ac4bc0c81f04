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

TEST_CASE("the place in line counts those who are in it: no held job, no partition that cannot take one") {
  ClusterConfig config = story_config(2);
  config.enforce_part_limits = false;
  config.partitions[0].nodes = {"n1"};
  config.partitions.push_back({.name = "short", .nodes = {"n2"}, .max_time = {.minutes = 30}});
  World world = World::with_config(config);
  JobRequest whole{.cpus = 4};
  world.submit(whole);
  whole.placement.partitions = {"short"};
  whole.time_limit_min = 30;
  world.submit(whole);
  JobRequest both{.cpus = 3, .time_limit_min = 60, .placement = {.partitions = {"main", "short"}}};
  const JobId too_long = world.submit(both);  // for the second partition of its list
  const JobId held = world.submit({.cpus = 3, .hold = true});
  both.time_limit_min = 20;
  const JobId in_both = world.submit(both);
  world.settle();
  REQUIRE(says(why(world, too_long), "place in line of partition main: 1 "));
  REQUIRE(says(why(world, too_long), "not in line of partition short: PartitionTimeLimit: "));
  REQUIRE(says(why(world, in_both), "place in line of partition main: 2 "));
  REQUIRE(says(why(world, in_both), "place in line of partition short: 1 "));
  REQUIRE(why(world, held).find("place in line") == std::string::npos);
  world.update({.filter = {.jobs = {{too_long, {}}}}, .action = JobAction::hold});
  world.update({.filter = {.jobs = {{held, {}}}}, .action = JobAction::release}, 0, true);
  world.settle();
  REQUIRE(why(world, too_long).find("place in line") == std::string::npos);
  REQUIRE(says(why(world, held), "place in line of partition main: 1 "));
  REQUIRE(says(why(world, in_both), "place in line of partition main: 2 "));
  REQUIRE(says(why(world, in_both), "place in line of partition short: 1 "));
}

TEST_CASE("a time limit of a second beyond MaxTime is beyond it") {
  ClusterConfig config = story_config(1);
  config.partitions[0].max_time = {.minutes = 60};
  World world = World::with_config(config);
  JobRequest request;
  request.limit_seconds = 1;
  REQUIRE(world.submit_refused(request).detail ==
          "--time=60 min 1 s exceeds MaxTime=60 min of partition main");
  config.enforce_part_limits = false;
  World lenient = World::with_config(config);
  const JobId job = lenient.submit(request);
  lenient.settle();
  REQUIRE(lenient.record(job).reason == Reason::PartitionTimeLimit);
}

TEST_CASE("a job that ended is told its exit code and the cause") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  world.exit(job, {3, 0}, {CauseKind::time_limit, {}, "after 60 min"});
  REQUIRE(says(why(world, job), "exit code 3, signal 0\ncause: time_limit: after 60 min\n"));
}
