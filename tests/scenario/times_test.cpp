// times_test.cpp: stories of jobs that may not start before a time, or must be over by one.
#include <catch2/catch.hpp>

#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_CASE("a job with a begin time waits for it, and says so from the first moment") {
  World world = World::with_nodes(1);
  const WallTime begin = world.now.wall + minutes{10};
  const JobId job = world.submit({.begin_in = minutes{10}});
  REQUIRE(world.record(job).reason == Reason::BeginTime);
  REQUIRE(world.record(job).reason_detail.find("--begin: not before 20") == 0);
  REQUIRE(world.record(job).times.eligible == begin);
  world.pass(minutes{9});
  REQUIRE(world.state_of(job) == JobState::pending);
  world.pass(minutes{1} + seconds{1});
  REQUIRE(world.state_of(job) == JobState::running);
}

TEST_CASE("a begin time outlives the controller, and one that came meanwhile starts the job") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.begin_in = minutes{10}});
  world.restart_controller();
  REQUIRE(world.record(job).reason == Reason::BeginTime);
  world.now.wall += minutes{11};
  world.restart_controller();
  world.pass(seconds{5});
  REQUIRE(world.state_of(job) == JobState::running);
}

TEST_CASE("a begin time of the past holds nothing up; a held job is not yet eligible") {
  World world = World::with_nodes(1);
  const JobId past = world.submit({.begin_in = -minutes{60}});
  const JobId held = world.submit({.hold = true, .begin_in = minutes{10}});
  world.settle();
  REQUIRE(world.state_of(past) == JobState::running);
  REQUIRE(world.record(held).reason == Reason::JobHeldUser);
  REQUIRE(world.record(held).times.eligible == WallTime{});
}

TEST_CASE("a wall clock that is set forward lets a job begin") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.begin_in = minutes{60}});
  world.now.wall += minutes{61};
  world.pass(seconds{2});
  REQUIRE(world.state_of(job) == JobState::running);
}

TEST_CASE("what cannot be over by its deadline is refused with both numbers") {
  World world = World::with_nodes(1);
  const Error error = world.submit_refused({.time_limit_min = 60, .deadline_in = minutes{10}});
  REQUIRE(error.code == ErrorCode::time_limit_invalid);
  REQUIRE(error.detail.find("600 s lie between") != std::string::npos);
  REQUIRE(error.detail.find("the time limit is 3600 s") != std::string::npos);
  const JobRequest late{.time_limit_min = 5, .begin_in = minutes{8}, .deadline_in = minutes{10}};
  REQUIRE(world.submit_refused(late).code == ErrorCode::time_limit_invalid);
  const Error endless = world.submit_refused({.time_limit_min = 0, .deadline_in = minutes{10}});
  REQUIRE(endless.detail == "a job without a time limit meets no --deadline; say -t");
}

TEST_CASE("a job that can no longer make its deadline ends so before it, and frees its dependents") {
  World world = World::with_nodes(1, {.cpus = 1});
  const JobId blocker = world.submit({});
  const JobId job = world.submit({.time_limit_min = 5, .deadline_in = minutes{10}});
  const JobId after = world.submit(
      {.dependency = {.terms = {{DependencyType::afterany, job, std::nullopt}}}});
  world.settle();
  REQUIRE(world.state_of(blocker) == JobState::running);
  world.pass(minutes{4});
  REQUIRE(world.state_of(job) == JobState::pending);
  world.restart_controller();
  world.pass(minutes{1} + seconds{2});
  REQUIRE(world.state_of(job) == JobState::ended);
  REQUIRE(world.outcome_of(job) == Outcome::deadline);
  REQUIRE(world.record(job).reason == Reason::DeadLine);
  REQUIRE(world.record(job).end->cause.text.find("it had to start by") == 0);
  REQUIRE(world.record(after).dependency.terms.empty());
}

TEST_CASE("a job that started in time is not touched by the end of its last chance") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.time_limit_min = 5, .deadline_in = minutes{10}});
  world.pass(minutes{7});
  REQUIRE(world.state_of(job) == JobState::running);
}
