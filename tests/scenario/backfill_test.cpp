// backfill_test.cpp: who may start before one that goes first, and what was promised to whom.
#include <catch2/catch.hpp>

#include "daemon/core/listing.h"
#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::minutes;

namespace {

JobWait wait_in(const World& world, JobId job) {
  const Snapshot snapshot = world.core.state.snapshot();
  return wait_of(*snapshot.jobs.find(job.value), snapshot);
}

World world_with(Backfill backfill, int nodes) {
  ClusterConfig config = story_config(nodes);
  config.planning.backfill = backfill;
  return World::with_config(config);
}

}  // namespace

TEST_CASE("a short job starts before one that waits for more nodes, a long one does not",
          "[backfill]") {
  World world = World::with_nodes(2);
  const JobId runs = world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const JobId wide = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  world.settle();
  REQUIRE(world.state_of(runs) == JobState::running);
  const JobWait promised = wait_in(world, wide);
  REQUIRE(promised.planned_start == world.now.wall + minutes{60});
  REQUIRE(promised.planned_nodes == "n[1-2]");
  const JobId long_one = world.submit({.cpus = 4, .time_limit_min = 61});
  const JobId short_one = world.submit({.cpus = 4, .time_limit_min = 60});
  const JobId endless_one = world.submit({.cpus = 1, .time_limit_min = 0});
  world.settle();
  REQUIRE(world.state_of(short_one) == JobState::running);
  REQUIRE(world.state_of(long_one) == JobState::pending);
  REQUIRE(world.state_of(endless_one) == JobState::pending);
  REQUIRE(wait_in(world, wide).planned_start == promised.planned_start);
  REQUIRE(wait_in(world, wide).reason == Reason::Resources);
  REQUIRE(wait_in(world, long_one).reason == Reason::Priority);
}

TEST_CASE("a job that waits in a free node is told for whom the node is kept", "[backfill]") {
  World world = World::with_nodes(2);
  world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  const JobId long_one = world.submit({.cpus = 4, .time_limit_min = 61});
  world.settle();
  REQUIRE(wait_in(world, long_one).reason_detail ==
          "1 of 2 nodes: free cpus; 1 of 2 nodes: kept for jobs that are planned before it");
}

TEST_CASE("when what keeps nodes is cancelled or held, others start at once", "[backfill]") {
  World world = World::with_nodes(2);
  world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const JobId wide = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  const JobId behind = world.submit({.cpus = 4, .time_limit_min = 90});
  world.settle();
  REQUIRE(world.state_of(behind) == JobState::pending);
  SECTION("cancelled") { world.cancel({.jobs = {{wide, {}}}}); }
  SECTION("held") { world.update({.filter = {.jobs = {{wide, {}}}}, .action = JobAction::hold}); }
  world.settle();
  REQUIRE(world.state_of(behind) == JobState::running);
}

TEST_CASE("when a run ends early the plan moves up", "[backfill]") {
  World world = World::with_nodes(2);
  const JobId runs = world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const JobId wide = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  world.settle();
  world.exit(runs);
  REQUIRE(world.state_of(wide) == JobState::running);
  REQUIRE_FALSE(wait_in(world, wide).planned_start);
}

TEST_CASE("a limit that is raised, or a node that is lost, makes a new plan", "[backfill]") {
  World world = World::with_nodes(2);
  const JobId runs = world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const WallTime started = world.now.wall;
  const JobId wide = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  world.settle();
  world.update({.filter = {.jobs = {{runs, {}}}}, .time_limit = TimeLimit{.minutes = 90}}, 0, true);
  world.settle();
  REQUIRE(wait_in(world, wide).planned_start == started + minutes{90});
  world.update_node("n2", NodeAction::drain, "story");
  world.settle();
  REQUIRE_FALSE(wait_in(world, wide).planned_start);
  world.update_node("n2", NodeAction::undrain, "");
  world.settle();
  REQUIRE(wait_in(world, wide).planned_start == started + minutes{90});
}

TEST_CASE("a plan that does not come true is made anew when it is due", "[backfill]") {
  World world = World::with_nodes(1);
  world.submit({.cpus = 4, .time_limit_min = 1});
  world.settle();
  const JobId next = world.submit({.cpus = 4, .time_limit_min = 1});
  world.settle();
  world.pass(minutes{2});  // nobody ends the run of this story
  const JobWait wait = wait_in(world, next);
  REQUIRE(wait.planned_start);
  REQUIRE(*wait.planned_start > world.now.wall);
}

TEST_CASE("--time-min lets a job start with what is free before another's planned start",
          "[backfill]") {
  World world = World::with_nodes(2);
  world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  const JobId modest =
      world.submit({.cpus = 4, .time_limit_min = 90, .time_min = TimeLimit{false, 20}});
  const JobId greedy =
      world.submit({.cpus = 1, .time_limit_min = 90, .time_min = TimeLimit{false, 80}});
  world.settle();
  REQUIRE(world.state_of(modest) == JobState::running);
  REQUIRE(world.record(modest).time_limit == TimeLimit{.minutes = 60});
  REQUIRE(world.limit_on_node(modest) == 3600U);
  REQUIRE(world.state_of(greedy) == JobState::pending);
}

TEST_CASE("without backfill nobody overtakes in a partition", "[backfill]") {
  World world = world_with(Backfill::none, 2);
  world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const JobId wide = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  const JobId short_one = world.submit({.cpus = 1, .time_limit_min = 1});
  world.settle();
  REQUIRE(world.state_of(short_one) == JobState::pending);
  REQUIRE(wait_in(world, wide).reason == Reason::Resources);
  REQUIRE(wait_in(world, short_one).reason == Reason::Priority);
  REQUIRE(wait_in(world, short_one).reason_detail ==
          "job 2 goes first in partition main, in strict order");
}

TEST_CASE("a start that was promised stays although one before it could be moved", "[backfill]") {
  // n1 is busy for 60 minutes, n2 for 100. `second` is promised n2 and n1 at 100; when n2 becomes
  // free early, `first` moves up and `second` keeps its place.
  World world = World::with_nodes(2);
  const JobId left = world.submit({.cpus = 4, .time_limit_min = 60});
  const JobId right = world.submit({.cpus = 4, .time_limit_min = 100});
  world.settle();
  const JobId first = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 30});
  const JobId second = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 30});
  const JobId filler = world.submit({.cpus = 4, .time_limit_min = 40});
  world.settle();
  const WallTime promised = *wait_in(world, second).planned_start;
  const WallTime filled = *wait_in(world, filler).planned_start;
  REQUIRE(promised == *wait_in(world, first).planned_start + minutes{30});
  REQUIRE(filled == world.now.wall + minutes{60});  // between `left` and `first`, on its node
  world.exit(right);
  REQUIRE(world.state_of(filler) == JobState::running);
  REQUIRE(*wait_in(world, second).planned_start <= promised);
  REQUIRE(*wait_in(world, first).planned_start <= *wait_in(world, second).planned_start);
  world.exit(left);
  world.exit(filler);
  REQUIRE(world.state_of(first) == JobState::running);
}

TEST_CASE("by the balanced rule a short job may delay the first a little, but not again and again",
          "[backfill]") {
  World world = world_with(Backfill::balanced, 2);
  const JobId runs = world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const WallTime started = world.now.wall;
  const JobId wide = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  world.settle();
  world.pass(minutes{57});
  // Its slack is 5 minutes and a twentieth of the hour that it was to wait.
  const JobId late = world.submit({.cpus = 4, .time_limit_min = 5});
  world.settle();
  REQUIRE(world.state_of(late) == JobState::running);
  REQUIRE(wait_in(world, wide).planned_start == started + minutes{62});
  world.exit(runs);
  world.pass(minutes{3});
  const JobId later = world.submit({.cpus = 4, .time_limit_min = 7});
  const JobId too_late = world.submit({.cpus = 4, .time_limit_min = 10});
  world.settle();
  REQUIRE(world.state_of(later) == JobState::running);
  REQUIRE(world.state_of(too_late) == JobState::pending);
  world.exit(late);
  const JobId refused = world.submit({.cpus = 4, .time_limit_min = 9});
  world.settle();
  REQUIRE(world.state_of(refused) == JobState::pending);
  REQUIRE(wait_in(world, wide).planned_start == started + minutes{67});
  world.exit(later);
  REQUIRE(world.state_of(wide) == JobState::running);
}

TEST_CASE("by the balanced rule a short job of a lower priority goes before nobody", "[backfill]") {
  World world = world_with(Backfill::balanced, 2);
  world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const JobId wide = world.submit({.nodes = 2, .cpus = 4, .time_limit_min = 60});
  world.update({.filter = {.jobs = {{wide, {}}}}, .priority = 4'294'500'000}, 0, true);
  world.settle();
  world.pass(minutes{57});
  const JobId lower = world.submit({.cpus = 4, .time_limit_min = 5});
  world.settle();
  REQUIRE(world.state_of(lower) == JobState::pending);
  REQUIRE(world.state_of(wide) == JobState::pending);
}
