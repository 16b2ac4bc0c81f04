// jobs_test.cpp: stories of jobs: they start, end, wait, are cancelled and run again.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "tests/scenario/world.h"

using namespace sluice;

TEST_CASE("a job runs and ends with its exit code") {
  World world = World::with_nodes(1);
  const JobId good = world.submit({});
  const JobId bad = world.submit({});
  world.settle();
  REQUIRE(world.state_of(good) == JobState::running);
  world.exit(good);
  world.exit(bad, {3, 0});
  REQUIRE(world.outcome_of(good) == Outcome::completed);
  REQUIRE(world.outcome_of(bad) == Outcome::failed);
  REQUIRE(world.record(bad).end->status.code == 3);
}

TEST_CASE("the same key gives the same job, also after a restart") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  REQUIRE(world.core.state.submit_keys.at("key1") == job);
  world.restart_controller();
  REQUIRE(world.core.state.submit_keys.at("key1") == job);
}

TEST_CASE("a job waits for room and starts when it comes") {
  World world = World::with_nodes(1, {.cpus = 2});
  const JobId first = world.submit({.cpus = 2});
  const JobId second = world.submit({.cpus = 2});
  world.settle();
  REQUIRE(world.state_of(second) == JobState::pending);
  world.exit(first);
  REQUIRE(world.state_of(second) == JobState::running);
}

TEST_CASE("a request that no node could ever meet is refused with the nearest fit") {
  World world = World::with_nodes(2);
  const Error error = world.submit_refused({.cpus = 5});
  REQUIRE(error.code == ErrorCode::never_fits);
  REQUIRE(error.detail == "cpus=5 on one node exceeds every node (largest: 4)");
  REQUIRE(world.submit_refused({.nodes = 3}).code == ErrorCode::node_count_invalid);
}

TEST_CASE("a gang starts its script only when every node has its shepherd") {
  World world = World::with_nodes(3);
  const JobId job = world.submit({.nodes = 3, .ntasks = 3});
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).parts.size() == 3);
  world.exit(job);
  REQUIRE(world.outcome_of(job) == Outcome::completed);
  REQUIRE(world.core.state.runs_on_node.at("n3").empty());
}

TEST_CASE("cancel ends a pending job at once and a running one through its node") {
  World world = World::with_nodes(1, {.cpus = 1});
  const JobId running = world.submit({});
  const JobId pending = world.submit({});
  world.settle();
  REQUIRE_FALSE(world.cancel({.jobs = {{pending, {}}}}).answers.at(0).error);
  REQUIRE(world.outcome_of(pending) == Outcome::cancelled);
  REQUIRE_FALSE(world.cancel({.jobs = {{running, {}}}}).answers.at(0).error);
  REQUIRE(world.outcome_of(running) == Outcome::cancelled);
  REQUIRE(world.record(running).end->cause.uid == 1000);
}

TEST_CASE("a pending job is ended by SIGKILL and takes no other signal") {
  World world = World::with_nodes(1, {.cpus = 1});
  world.submit({});
  const JobId job = world.submit({});
  const JobId array = world.submit({.array = "0-4"});
  world.settle();
  REQUIRE(world.signal({.jobs = {{job, {}}}}, 10).answers.at(0).error ==
          ErrorCode::job_not_alterable);
  REQUIRE(world.state_of(job) == JobState::pending);
  REQUIRE_FALSE(world.signal({.jobs = {{job, {}}}}, 9).answers.at(0).error);
  REQUIRE(world.outcome_of(job) == Outcome::cancelled);
  REQUIRE_FALSE(world.signal({.jobs = {{array, {{{1, 2, 1}}}}}}, 9).answers.at(0).error);
  REQUIRE(to_text(world.record(array).array->waiting) == "0,3-4");
}

TEST_CASE("a running job whose processes are all killed is cancelled") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  REQUIRE_FALSE(world.signal({.jobs = {{job, {}}}}, 10).answers.at(0).error);
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE_FALSE(world.signal({.jobs = {{job, {}}}}, 9).answers.at(0).error);
  REQUIRE(world.outcome_of(job) == Outcome::cancelled);
  REQUIRE(world.record(job).end->cause.uid == 1000);
}

TEST_CASE("another user's job cannot be touched") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.uid = 1000});
  REQUIRE(world.cancel({.jobs = {{job, {}}}}, 1001).answers.at(0).error == ErrorCode::access_denied);
  REQUIRE(world.update({.filter = {.jobs = {{job, {}}}}, .action = JobAction::hold}, 1001)
              .answers.at(0).error == ErrorCode::access_denied);
}

TEST_CASE("a held job waits until it is released; an administrator's hold is his to lift") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.hold = true});
  world.settle();
  REQUIRE(world.record(job).reason == Reason::JobHeldUser);
  const JobFilter it{.jobs = {{job, {}}}};
  world.update({.filter = it, .action = JobAction::hold}, 0, true);
  REQUIRE(world.record(job).reason == Reason::JobHeldAdmin);
  REQUIRE(world.update({.filter = it, .action = JobAction::release}).answers.at(0).error ==
          ErrorCode::access_denied);
  world.update({.filter = it, .action = JobAction::release}, 0, true);
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
}

TEST_CASE("holding an array holds what waits of it; a running job cannot be held") {
  World world = World::with_nodes(1, {.cpus = 2});
  const JobId array = world.submit({.array = "0-4"});
  world.settle();
  const JobId running = world.core.state.arrays.at(array).records.at(0);
  const JobFilter all{.jobs = {{array, {}}}};
  const ActionReply held = world.update({.filter = all, .action = JobAction::hold});
  REQUIRE(held.answers.size() == 1);
  REQUIRE_FALSE(held.answers[0].error);
  REQUIRE(world.record(array).reason == Reason::JobHeldUser);
  world.exit(running);
  REQUIRE(to_text(world.record(array).array->waiting) == "2-4");
  REQUIRE(world.update({.filter = {.jobs = {{array, {{{1, 1, 1}}}}}}, .action = JobAction::hold})
              .answers.at(0)
              .error == ErrorCode::job_not_pending);
  REQUIRE_FALSE(world.update({.filter = all, .action = JobAction::release}).answers.at(0).error);
  world.settle();
  REQUIRE(to_text(world.record(array).array->waiting) == "3-4");

  const JobId single = world.core.state.arrays.at(array).records.at(1);
  const ActionReply refused =
      world.update({.filter = {.jobs = {{single, {}}}}, .action = JobAction::hold});
  REQUIRE(refused.answers.at(0).error == ErrorCode::job_not_pending);
}

TEST_CASE("a task that is named is held alone") {
  World world = World::with_nodes(1, {.cpus = 1});
  world.submit({});
  const JobId array = world.submit({.array = "0-3"});
  world.settle();
  const ActionReply held =
      world.update({.filter = {.jobs = {{array, {{{1, 2, 1}}}}}}, .action = JobAction::hold});
  REQUIRE(held.answers.size() == 2);
  REQUIRE(held.answers[1].shown_id == fmt::format("{}_2", array.value));
  REQUIRE(to_text(world.record(array).array->waiting) == "0,3");
  REQUIRE(world.record(array).hold == Hold::none);
  const JobId task = world.core.state.arrays.at(array).records.at(1);
  REQUIRE(world.record(task).reason == Reason::JobHeldUser);
  world.update({.filter = {.jobs = {{array, {{{1, 1, 1}}}}}}, .action = JobAction::release});
  world.settle();
  world.restart_controller();
  REQUIRE(world.record(task).hold == Hold::none);
}

TEST_CASE("a task that was held alone goes on waiting for what its array waits for") {
  World world = World::with_nodes(1);
  const JobId parent = world.submit({});
  const JobId array = world.submit(
      {.array = "0-3",
       .dependency = {.terms = {{DependencyType::afterany, parent, std::nullopt}}}});
  const JobFilter task{.jobs = {{array, {{{1, 1, 1}}}}}};
  world.update({.filter = task, .action = JobAction::hold});
  world.update({.filter = task, .action = JobAction::release});
  world.settle();
  world.exit(parent);
  REQUIRE(world.core.state.arrays.at(array).running == 4);
}

TEST_CASE("the limit of an array counts the tasks that were held or ran before") {
  World world = World::with_nodes(1);
  const JobId array = world.submit({.array = "0-5%2"});
  world.settle();
  const auto task = [&](std::uint32_t index) {
    return world.core.state.arrays.at(array).records.at(index);
  };
  const auto act = [&](std::uint32_t index, JobAction action) {
    world.update({.filter = {.jobs = {{array, {{{index, index, 1}}}}}}, .action = action});
    world.settle();
  };
  act(4, JobAction::hold);
  act(4, JobAction::release);
  REQUIRE(world.record(task(4)).reason == Reason::JobArrayTaskLimit);
  act(0, JobAction::requeue);
  REQUIRE(world.core.state.arrays.at(array).running == 2);
  world.restart_controller();
  world.connect("n1");
  for (int ended = 0; ended < 6; ++ended) {
    REQUIRE(world.core.state.arrays.at(array).running <= 2);
    for (std::uint32_t index = 0; index < 6; ++index) {
      const auto& records = world.core.state.arrays.at(array).records;
      const auto at = records.find(index);
      if (at == records.end() || world.state_of(at->second) != JobState::running) continue;
      world.exit(at->second);
      break;
    }
  }
  REQUIRE(world.core.state.jobs_live == 0);
}

TEST_CASE("the time limit of a running job is lowered by its owner, raised by an administrator") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.time_limit_min = 60});
  world.settle();
  REQUIRE(world.limit_on_node(job) == 3600);
  const auto set = [&](TimeLimit limit, bool is_admin) {
    const UpdateJobs update{.filter = {.jobs = {{job, {}}}}, .time_limit = limit};
    return world.update(update, is_admin ? 0 : 1000, is_admin).answers.at(0).error;
  };
  REQUIRE_FALSE(set({.minutes = 30}, false));
  REQUIRE(world.limit_on_node(job) == 1800);
  REQUIRE(set({.minutes = 31}, false) == ErrorCode::access_denied);
  REQUIRE_FALSE(set({.minutes = 90}, true));
  REQUIRE(world.limit_on_node(job) == 5400);
  REQUIRE_FALSE(set({.unlimited = true}, true));
  REQUIRE_FALSE(world.limit_on_node(job));
  world.exit(job);
  REQUIRE(set({.minutes = 10}, true) == ErrorCode::job_finished);
}

TEST_CASE("a node that was away learns the new time limit when it is back") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.time_limit_min = 60});
  world.settle();
  world.disconnect("n1");
  world.update({.filter = {.jobs = {{job, {}}}}, .time_limit = TimeLimit{.minutes = 20}});
  world.restart_controller();
  REQUIRE(world.limit_on_node(job) == 3600);
  world.connect("n1");
  REQUIRE(world.limit_on_node(job) == 1200);
}

TEST_CASE("dependencies: afterok starts, a hopeless one ends with its cause") {
  World world = World::with_nodes(1);
  const JobId parent = world.submit({});
  const JobId child = world.submit(
      {.dependency = {.terms = {{DependencyType::afterok, parent, std::nullopt}}}});
  const JobId unlucky = world.submit(
      {.dependency = {.terms = {{DependencyType::afternotok, parent, std::nullopt}}}});
  world.settle();
  REQUIRE(world.record(child).reason == Reason::Dependency);
  world.exit(parent);
  REQUIRE(world.state_of(child) == JobState::running);
  REQUIRE(world.outcome_of(unlucky) == Outcome::cancelled);
  REQUIRE(world.record(unlucky).end->cause.kind == CauseKind::dependency_never_satisfied);
}

TEST_CASE("an array is one record until its tasks start; the limit holds; the last keeps the id") {
  World world = World::with_nodes(1);
  const JobId array = world.submit({.array = "0-4%2"});
  REQUIRE(world.core.state.jobs.size() == 1);
  world.settle();
  const ArrayTasks& tasks = world.core.state.arrays.at(array);
  REQUIRE(tasks.running == 2);
  REQUIRE(world.record(array).reason == Reason::JobArrayTaskLimit);
  for (std::uint32_t task = 0; task < 5; ++task) world.exit(tasks.records.at(task));
  REQUIRE(tasks.records.at(4) == array);
  REQUIRE(world.outcome_of(array) == Outcome::completed);
  REQUIRE(world.core.state.jobs_live == 0);
}

TEST_CASE("an array that names a task twice is refused") {
  World world = World::with_nodes(1);
  const Error error = world.submit_refused({.array = "0-4,3-6"});
  REQUIRE(error.code == ErrorCode::invalid_array);
  REQUIRE(error.detail == "index 3 stands in it twice");
}

TEST_CASE("the array limit bounds the number of tasks, not their indices") {
  World world = World::with_nodes(1);
  const Error error = world.submit_refused({.array = "0-100001"});
  REQUIRE(error.code == ErrorCode::invalid_array);
  REQUIRE(error.detail == "100002 tasks exceed MaxArraySize=100001, the most tasks of an array");
  const JobId array = world.submit({.array = "200000-200004,2147483646-2147483647", .hold = true});
  REQUIRE(to_text(world.record(array).array->waiting) == "200000-200004,2147483646-2147483647");
}

TEST_CASE("naming two thousand million tasks costs what the array has, not what was named") {
  World world = World::with_nodes(1);
  const JobId array = world.submit({.array = "0-4", .hold = true});
  world.cancel({.jobs = {{array, {{{0, 2'147'483'647, 1}}}}}});
  world.settle();
  REQUIRE(world.outcome_of(array) == Outcome::cancelled);
}

TEST_CASE("parts of a waiting array can be cancelled") {
  World world = World::with_nodes(1, {.cpus = 1});
  const JobId array = world.submit({.array = "0-4"});
  world.settle();
  world.cancel({.jobs = {{array, {{{2, 3, 1}}}}}});
  REQUIRE(world.outcome_of(world.core.state.arrays.at(array).records.at(2)) == Outcome::cancelled);
  REQUIRE(to_text(world.record(array).array->waiting) == "1,4");
}

TEST_CASE("requeue puts a running job back and counts the run") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  world.update({.filter = {.jobs = {{job, {}}}}, .action = JobAction::requeue});
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).run.value == 1);
  REQUIRE(world.alive(job) == 1);
}

TEST_CASE("an ended job leaves memory after MinJobAge") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  world.settle();
  world.exit(job);
  world.pass(std::chrono::seconds{299});
  REQUIRE(world.core.state.find_job(job));
  world.pass(std::chrono::seconds{3});
  REQUIRE_FALSE(world.core.state.find_job(job));
}
