// dependency_test.cpp: stories of jobs that wait for others.
#include <catch2/catch.hpp>

#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::minutes;
using std::chrono::seconds;
using Type = DependencyType;

namespace {

Dependency on(Type type, JobId job, std::uint32_t delay_min = 0) {
  return {.terms = {{.type = type, .job = job, .task = {}, .delay_min = delay_min}}};
}

Dependency on_task(Type type, JobId job, std::uint32_t task) {
  return {.terms = {{.type = type, .job = job, .task = task}}};
}

// Until memory holds them no longer.
void let_them_be_forgotten(World& world, JobId last) {
  world.pass(seconds{world.core.state.config->timeouts.min_job_age_s + 2});
  REQUIRE(world.core.state.find_job(last) == nullptr);
}

UpdateJobs new_dependency(JobId job, Dependency dependency) {
  UpdateJobs request{.filter = {.jobs = {{job, {}}}}, .members = {"start.dependency"}};
  request.spec.start.dependency = std::move(dependency);
  return request;
}

}  // namespace

TEST_CASE("jobs that memory has forgotten are judged by how they ended") {
  const bool forgotten = GENERATE(false, true);
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId good = world.submit({});
  const JobId bad = world.submit({});
  const JobId cancelled = world.submit({.hold = true});
  world.settle();
  world.exit(good);
  world.exit(bad, {3, 0});
  world.cancel({.jobs = {{cancelled, {}}}});
  if (forgotten) let_them_be_forgotten(world, cancelled);
  for (const Dependency& met : {on(Type::afterok, good), on(Type::afternotok, bad),
                                on(Type::afterany, cancelled), on(Type::after, bad)}) {
    const JobId job = world.submit({.dependency = met});
    world.settle();
    REQUIRE(world.state_of(job) == JobState::running);
    world.exit(job);
  }
  const Error error = world.submit_refused({.dependency = on(Type::afterok, bad)});
  REQUIRE(error.code == ErrorCode::invalid_dependency);
  REQUIRE(error.detail == "afterok:2 can never be met: job 2 ended FAILED (exit code 3)");
  REQUIRE(world.submit_refused({.dependency = on(Type::afternotok, good)}).detail ==
          "afternotok:1 can never be met: it ended well");
  REQUIRE(world.submit_refused({.dependency = on(Type::afterok, cancelled)}).detail ==
          "afterok:3 can never be met: job 3 ended CANCELLED");
  REQUIRE(world.submit_refused({.dependency = on(Type::afterok, JobId{4711})}).detail ==
          "job 4711 never existed");
}

TEST_CASE("an array that memory has forgotten is judged by all of its tasks") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId array = world.submit({.array = "0-2"});
  world.settle();
  const auto tasks = world.core.state.arrays.at(array).records;
  world.exit(tasks.at(1), {1, 0});
  world.exit(tasks.at(0));
  world.exit(tasks.at(2));
  let_them_be_forgotten(world, array);
  REQUIRE(world.submit_refused({.dependency = on(Type::afterok, array)}).detail ==
          "afterok:1_* can never be met: job 1_1 ended FAILED (exit code 1)");
  REQUIRE(world.submit_refused({.dependency = on_task(Type::afterok, array, 1)}).code ==
          ErrorCode::invalid_dependency);
  REQUIRE(world.submit_refused({.dependency = on_task(Type::afterok, array, 7)}).detail ==
          "task 7 of job 1 never existed");
  const JobId of_task = world.submit({.dependency = on_task(Type::afterok, array, 2)});
  const JobId of_failure = world.submit({.dependency = on(Type::afternotok, array)});
  const JobId partners = world.submit({.array = "0-2", .dependency = on(Type::aftercorr, array)});
  world.settle();
  REQUIRE(world.state_of(of_task) == JobState::running);
  REQUIRE(world.state_of(of_failure) == JobState::running);
  const auto& of_partners = world.core.state.arrays.at(partners).records;
  REQUIRE(world.state_of(of_partners.at(0)) == JobState::running);
  REQUIRE(world.record(of_partners.at(1)).reason == Reason::DependencyNeverSatisfied);
  REQUIRE(world.outcome_of(of_partners.at(1)) == Outcome::cancelled);
  REQUIRE(world.state_of(of_partners.at(2)) == JobState::running);
}

TEST_CASE("a whole array is waited for to its last task; one bad task is enough for afterok") {
  World world = World::with_nodes(1, {.cpus = 2});
  const JobId array = world.submit({.array = "0-3"});
  const JobId any = world.submit({.dependency = on(Type::afterany, array)});
  const JobId ok = world.submit({.dependency = on(Type::afterok, array)});
  const JobId notok = world.submit({.dependency = on(Type::afternotok, array)});
  const JobId task = world.submit({.dependency = on_task(Type::afterok, array, 1)});
  world.settle();
  const auto record_of = [&](std::uint32_t index) {
    return world.core.state.arrays.at(array).records.at(index);
  };
  world.exit(record_of(1));
  REQUIRE(world.record(task).dependency.terms.empty());
  world.exit(record_of(0), {1, 0});
  REQUIRE(world.outcome_of(ok) == Outcome::cancelled);
  REQUIRE(world.record(ok).end->cause.text ==
          "afterok:1_* can never be met: job 1_0 ended FAILED (exit code 1)");
  REQUIRE(world.record(any).reason == Reason::Dependency);
  world.restart_controller();
  world.connect("n1");
  world.settle();
  while (world.record(notok).reason == Reason::Dependency) {
    const JobId next = *world.core.state.runs_on_node.at("n1").begin();
    REQUIRE(world.record(any).reason == Reason::Dependency);
    world.exit(next);
  }
  REQUIRE(world.core.state.arrays.at(array).open == 0);
  REQUIRE(world.record(any).dependency.terms.empty());
}

TEST_CASE("aftercorr: each task follows its partner, at once and alone") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId first = world.submit({.array = "0-3"});
  const JobId second = world.submit({.array = "0-3", .dependency = on(Type::aftercorr, first)});
  world.settle();
  REQUIRE(world.record(second).reason == Reason::Dependency);
  const auto partners = world.core.state.arrays.at(first).records;
  world.exit(partners.at(1));
  REQUIRE(to_text(world.record(second).array->waiting) == "0,2-3");
  const auto task = [&](std::uint32_t index) {
    return world.core.state.arrays.at(second).records.at(index);
  };
  REQUIRE(world.state_of(task(1)) == JobState::running);
  world.exit(partners.at(2), {1, 0});
  REQUIRE(world.outcome_of(task(2)) == Outcome::cancelled);
  REQUIRE(world.record(task(2)).end->cause.kind == CauseKind::dependency_never_satisfied);
  world.restart_controller();
  world.connect("n1");
  world.exit(partners.at(0));
  REQUIRE(world.state_of(task(0)) == JobState::running);
  world.exit(partners.at(3));
  REQUIRE(world.state_of(second) == JobState::running);  // the last keeps the array's id
  const Error error =
      world.submit_refused({.array = "2-5", .dependency = on(Type::aftercorr, first)});
  REQUIRE(error.detail == "aftercorr:1: it has no task 4");
}

TEST_CASE("after with a delay counts from the start, whatever the end was") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId first = world.submit({});
  const JobId now = world.submit({.dependency = on(Type::after, first)});
  const JobId later = world.submit({.dependency = on(Type::after, first, 2)});
  REQUIRE(world.record(now).reason == Reason::Dependency);
  world.settle();
  REQUIRE(world.state_of(now) == JobState::running);
  world.exit(first, {1, 0});
  world.pass(seconds{60});
  REQUIRE(world.record(later).reason == Reason::Dependency);
  world.restart_controller();
  world.connect("n1");
  world.pass(seconds{58});
  REQUIRE(world.state_of(later) == JobState::pending);
  world.pass(seconds{3});
  REQUIRE(world.state_of(later) == JobState::running);
}

TEST_CASE("a singleton waits for older jobs of its name and user, and only for them") {
  World world = World::with_nodes(1, {.cpus = 8});
  const Dependency alone{.terms = {{.type = Type::singleton}}};
  const JobId first = world.submit({.name = "one"});
  const JobId second = world.submit({.dependency = alone, .name = "one"});
  const JobId third = world.submit({.dependency = alone, .name = "one"});
  const JobId other_name = world.submit({.dependency = alone, .name = "two"});
  const JobId other_user = world.submit({.dependency = alone, .uid = 1001, .name = "one"});
  world.settle();
  REQUIRE(world.state_of(other_name) == JobState::running);
  REQUIRE(world.state_of(other_user) == JobState::running);
  REQUIRE(world.record(second).reason == Reason::Dependency);
  world.restart_controller();
  world.connect("n1");
  world.exit(first, {1, 0});
  REQUIRE(world.state_of(second) == JobState::running);
  REQUIRE(world.record(third).reason == Reason::Dependency);
  world.cancel({.jobs = {{second, {}}}});
  world.settle();
  REQUIRE(world.state_of(third) == JobState::running);
}

TEST_CASE("the tasks of a singleton array run side by side, after the older job") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId first = world.submit({.name = "one"});
  const JobId array = world.submit(
      {.array = "0-2", .dependency = {.terms = {{.type = Type::singleton}}}, .name = "one"});
  world.settle();
  REQUIRE(world.state_of(array) == JobState::pending);
  world.exit(first);
  REQUIRE(world.core.state.arrays.at(array).running == 3);
}

TEST_CASE("one question mark makes all terms an or") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId bad = world.submit({});
  const JobId running = world.submit({});
  world.settle();
  Dependency either = on(Type::afterok, bad);
  either.terms.push_back(on(Type::after, running).terms.front());
  either.any = true;
  Dependency hopeful = on(Type::afterok, bad);
  hopeful.terms.push_back(on(Type::afterany, running).terms.front());
  hopeful.any = true;
  const JobId met = world.submit({.dependency = either});
  const JobId waits = world.submit({.dependency = hopeful});
  world.exit(bad, {1, 0});
  REQUIRE(world.state_of(met) == JobState::running);
  REQUIRE(world.record(waits).reason == Reason::Dependency);
  world.exit(running);
  REQUIRE(world.state_of(waits) == JobState::running);
}

TEST_CASE("a job that may wait in vain does so, and gets another dependency") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId bad = world.submit({});
  const JobId waits =
      world.submit({.dependency = on(Type::afterok, bad), .kill_on_invalid_dep = false});
  world.settle();
  world.exit(bad, {1, 0});
  REQUIRE(world.state_of(waits) == JobState::pending);
  REQUIRE(world.record(waits).reason == Reason::DependencyNeverSatisfied);
  const JobId too =
      world.submit({.dependency = on(Type::afterok, bad), .kill_on_invalid_dep = false});
  REQUIRE(world.record(too).reason == Reason::DependencyNeverSatisfied);
  world.restart_controller();
  world.connect("n1");
  REQUIRE(world.record(waits).reason == Reason::DependencyNeverSatisfied);
  REQUIRE_FALSE(world.update(new_dependency(waits, {})).answers.at(0).error);
  world.settle();
  REQUIRE(world.state_of(waits) == JobState::running);
}

TEST_CASE("a circle of dependencies is refused with its ids, and the old dependency stays") {
  World world = World::with_nodes(1);
  const JobId a = world.submit({.hold = true});
  const JobId b = world.submit({.dependency = on(Type::afterok, a), .hold = true});
  const JobId c = world.submit({.dependency = on(Type::afterok, b), .hold = true});
  const ActionReply round = world.update(new_dependency(a, on(Type::afterok, c)));
  REQUIRE(round.answers.at(0).error == ErrorCode::invalid_dependency);
  REQUIRE(round.answers.at(0).detail == "the dependencies would go in a circle: 1 -> 3 -> 2 -> 1");
  const ActionReply self = world.update(new_dependency(a, on(Type::afterok, a)));
  REQUIRE(self.answers.at(0).error == ErrorCode::invalid_dependency);
  REQUIRE(world.record(a).dependency.terms.empty());
  REQUIRE(world.update(new_dependency(c, on(Type::afterok, JobId{99}))).answers.at(0).detail ==
          "job 99 never existed");
  REQUIRE(world.record(c).dependency.terms.front().job == b);
  REQUIRE_FALSE(world.update(new_dependency(c, on(Type::afterany, a))).answers.at(0).error);
  REQUIRE(world.record(c).dependency.terms.front().job == a);
}

TEST_CASE("a running job's dependency cannot change, other words of it can") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.name = "one"});
  world.settle();
  REQUIRE(world.update(new_dependency(job, {})).answers.at(0).error == ErrorCode::job_not_pending);
  UpdateJobs request{.filter = {.jobs = {{job, {}}}}, .members = {"comment", "name"}};
  request.spec.comment = "so it goes";
  request.spec.name = "two";
  REQUIRE_FALSE(world.update(request).answers.at(0).error);
  REQUIRE(world.core.state.spec(job).comment == "so it goes");
  REQUIRE(world.core.state.spec(job).name == "two");
  request.members = {"uid"};
  REQUIRE(world.update(request).answers.at(0).error == ErrorCode::not_supported);
  world.restart_controller();
  REQUIRE(world.core.state.spec(job).name == "two");
}

TEST_CASE("what a waiting job asks of the nodes changes, if a submit would take it") {
  World world = World::with_nodes(2, {.cpus = 4});
  const JobId first = world.submit({.cpus = 4});
  const JobId second = world.submit({.cpus = 4});
  const JobId waits = world.submit({.cpus = 4});
  world.settle();
  REQUIRE(world.state_of(waits) == JobState::pending);
  UpdateJobs request{.filter = {.jobs = {{waits, {}}}}, .members = {"request.cpus_per_task"}};
  request.spec.request.cpus_per_task = 64;
  REQUIRE(world.update(request).answers.at(0).error == ErrorCode::never_fits);
  REQUIRE(world.record(waits).demand.cpus_per_task == 4);
  request.spec.request.cpus_per_task = 2;
  request.members.push_back("placement.nodelist");
  request.spec.placement.nodelist = {world.node_of(second)};
  REQUIRE_FALSE(world.update(request).answers.at(0).error);
  REQUIRE(world.record(waits).demand.cpus_per_task == 2);
  REQUIRE(world.record(waits).time_limit->minutes == 60);
  const std::string wanted = world.node_of(second);
  world.exit(first);
  REQUIRE(world.state_of(waits) == JobState::pending);
  world.exit(second);
  REQUIRE(world.state_of(waits) == JobState::running);
  REQUIRE(world.node_of(waits) == wanted);
  request.spec.request.cpus_per_task = 1;
  REQUIRE(world.update(request).answers.at(0).error == ErrorCode::job_not_pending);
}

TEST_CASE("the end of a very long chain of jobs is told without running out of stack") {
  constexpr std::uint32_t length = 60'000;
  World world = World::with_nodes(1);
  Core& core = world.core;
  Effects out;
  const auto submit = [&](const Dependency& dependency) {
    JobSubmitted event{.from = {7, 1}, .caller = {1000, 1000, false}};
    event.request.key = std::to_string(core.state.next_job.value);
    event.request.spec.uid = 1000;
    event.request.spec.batch.work_dir = "/";
    event.request.spec.start.dependency = dependency;
    event.request.spec.start.hold = true;
    event.script = {"script", std::make_shared<const std::string>("#!/bin/sh\n")};
    event.environment = {"environment", std::make_shared<const std::string>()};
    if (core.state.next_job >= core.state.ids_end)
      core.on(IdsReserved{core.state.next_job, JobId{core.state.next_job.value + length}},
              world.now, out);
    core.on(event, world.now, out);
    return JobId{core.state.next_job.value - 1};
  };
  const JobId first = submit({});
  JobId last = first;
  while (last.value < first.value + length) last = submit(on(Type::afterok, last));
  core.on(JobsCancelled{{7, 1}, {1000, 1000, false}, CancelJobs{.filter = {.jobs = {{first, {}}}}}},
          world.now, out);
  REQUIRE(core.state.job(last).state == JobState::ended);
  REQUIRE(core.state.job(last).end->cause.kind == CauseKind::dependency_never_satisfied);
}
