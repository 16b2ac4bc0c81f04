// foresee_test.cpp: what is told of starts to come is what comes: of jobs that are not submitted,
// of jobs that wait, and of changes to them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "daemon/core/changes.h"
#include "daemon/core/listing.h"
#include "daemon/rpc/foresee.h"
#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::minutes;

namespace {

JobSubmitted trial_of(const World& world, const JobRequest& request) {
  JobSubmitted event;
  event.caller = {request.uid, request.uid, false};
  event.request.test_only = true;
  event.plan = true;
  JobSpec& spec = event.request.spec;
  spec.user = request.user;
  spec.uid = spec.gid = request.uid;
  spec.request.nodes_min = request.nodes;
  spec.request.ntasks = std::max(request.ntasks, request.nodes);
  spec.request.cpus_per_task = request.cpus;
  spec.request.mem_per_cpu_mb = 100;
  if (request.asked) spec.request = *request.asked;
  spec.placement = request.placement;
  spec.start.time_limit = TimeLimit{request.time_limit_min == 0, request.time_limit_min, 0};
  if (request.begin_in) spec.start.begin = world.now.wall + *request.begin_in;
  spec.batch.work_dir = "/tmp";
  return event;
}

Snapshot foreseeing_snapshot(World& world) {
  Snapshot snapshot = world.core.state.snapshot();
  snapshot.outlook = make_outlook(world.core.state, world.now);
  return snapshot;
}

class NoHistory final : public HistoryReader {
 public:
  Result<void> query(const JobFilter&, bool,
                     const std::function<bool(const HistoryRow&)>&) override {
    return {};
  }
  Result<std::optional<HistoryRow>> find_job(JobId) override { return std::optional<HistoryRow>{}; }
  Result<void> runs_since(WallTime,
                          const std::function<void(const JobRecord&, const RunRecord*)>&) override {
    return {};
  }
  Result<void> events_after(std::int64_t, const std::function<bool(const StoredEvent&)>&) override {
    return {};
  }
  Result<std::optional<StoredEvent>> find_event(std::int64_t) override {
    return std::optional<StoredEvent>{};
  }
  Result<std::optional<StoredEvent>> newest_event() override {
    return std::optional<StoredEvent>{};
  }
  Result<std::string> read_blob(const std::string&) override { return std::string(); }
};

// `sluice plan`.
Result<PlanReply> try_plan(World& world, const JobRequest& request) {
  Effects out;
  world.core.on(trial_of(world, request), world.now, out);
  for (const Effect& effect : out.list) {
    if (const auto* refused = std::get_if<SendReply>(&effect)) {
      const auto reply = from_bytes<ErrorReply>(refused->payload).value();
      return Error{reply.code, reply.detail};
    }
    const auto* asked = std::get_if<Foresee>(&effect);
    if (!asked) continue;
    const auto snapshot = std::make_shared<const Snapshot>(foreseeing_snapshot(world));
    NoHistory history;
    ReadContext context{snapshot, history, world.now.wall};
    std::optional<PlanReply> reply;
    rpc::trial_task(asked->trial, asked->with_changes)(
        context, [&](MessageType type, std::string payload) {
          REQUIRE(type == PlanReply::type);
          reply = from_bytes<PlanReply>(payload).value();
        });
    return *reply;
  }
  return Error{ErrorCode::io_error, "no answer"};
}

PlanReply plan(World& world, const JobRequest& request) {
  const Result<PlanReply> reply = try_plan(world, request);
  REQUIRE(reply.ok());
  return *reply;
}

WhyReply why(World& world, JobId job) {
  return explain(foreseeing_snapshot(world), QueryWhy{{job, {}}}, world.now.wall);
}

// Where the planner has it now: its placement, or its planned start.
std::optional<WallTime> start_of(const World& world, JobId job) {
  if (world.state_of(job) != JobState::pending) return world.now.wall;
  for (const Promise& promise : *world.core.state.promises)
    if (promise.job == job) return promise.start;
  return std::nullopt;
}

ChangeReservation maintenance(const World& world, Duration in, Duration length) {
  ChangeReservation request;
  request.action = ReservationAction::create;
  request.name = "res";
  request.start = world.now.wall + in;
  request.duration_s = static_cast<std::uint32_t>(length / std::chrono::seconds{1});
  request.amount.all_nodes = true;
  request.flags_added = {ReservationFlag::MAINT};
  request.users = ReservedForChange{ListChange::set, {{"root"}, false}};
  return request;
}

std::string all_lines(const WhyReply& reply) {
  std::string text;
  for (const std::string& line : reply.lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("a dry run tells when and where the job would start, and leaves nothing", "[foresee]") {
  World world = World::with_nodes(2, {.cpus = 4});
  world.submit({.cpus = 4, .time_limit_min = 30});
  world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  const JobRequest next{.cpus = 4, .time_limit_min = 10};
  const PlanReply reply = plan(world, next);
  REQUIRE(reply.planned.size() == 1);
  REQUIRE(reply.planned[0].start == world.now.wall + minutes{30});
  REQUIRE(reply.planned[0].nodes == "n1");
  REQUIRE(reply.planned[0].cpus == 4);
  REQUIRE(reply.planned[0].reason == Reason::Resources);
  const JobId job = world.submit(next);
  world.settle();
  REQUIRE(start_of(world, job) == reply.planned[0].start);
  REQUIRE(world.record(job).times.forecast->start == *reply.planned[0].start);
  SECTION("the one behind it comes later") {
    REQUIRE(plan(world, next).planned[0].start == world.now.wall + minutes{40});
  }
}

TEST_CASE("a dry run keeps off reservations, and waits for its begin", "[foresee]") {
  World world = World::with_nodes(1);
  world.reserve(maintenance(world, minutes{30}, minutes{60}));
  world.settle();
  REQUIRE(plan(world, {.time_limit_min = 20}).planned[0].start == world.now.wall);
  REQUIRE(plan(world, {.time_limit_min = 60}).planned[0].start == world.now.wall + minutes{90});
  const PlanReply late = plan(world, {.time_limit_min = 10, .begin_in = minutes{25}});
  REQUIRE(late.planned[0].start == world.now.wall + minutes{90});
  const PlanReply early = plan(world, {.time_limit_min = 10, .begin_in = minutes{15}});
  REQUIRE(early.planned[0].start == world.now.wall + minutes{15});
  REQUIRE(early.planned[0].reason == Reason::BeginTime);
}

TEST_CASE("a dry run has a row for each partition of the list", "[foresee]") {
  ClusterConfig config = story_config(2);
  config.partitions[0].nodes = {"n1"};
  config.partitions.push_back({.name = "other", .nodes = {"n2"}});
  World world = World::with_config(config);
  world.submit({.cpus = 4, .time_limit_min = 30});
  world.settle();
  const PlanReply reply = plan(world, {.cpus = 4, .placement = {.partitions = {"main", "other"}}});
  REQUIRE(reply.planned.size() == 2);
  REQUIRE(reply.planned[0].partition == "other");
  REQUIRE(reply.planned[0].start == world.now.wall);
  REQUIRE(reply.planned[1].partition == "main");
  REQUIRE(reply.planned[1].start == world.now.wall + minutes{30});
  REQUIRE(reply.changes.empty());  // it would start now
}

TEST_CASE("a job that waits is told the smallest changes that would start it", "[foresee]") {
  World world = World::with_nodes(2, {.cpus = 4});
  world.submit({.cpus = 4, .time_limit_min = 30});
  const JobId waits = world.submit({.nodes = 2, .ntasks = 2, .cpus = 3, .time_limit_min = 60});
  world.settle();
  const WhyReply reply = why(world, waits);
  INFO(all_lines(reply));
  REQUIRE(reply.jobs.size() == 1);
  const std::vector<SmallChange>& changes = reply.jobs[0].changes;
  REQUIRE(changes.size() == 1);  // two tasks of three cpus do not fit on one node of four
  REQUIRE(changes[0].option == "--ntasks=1");
  REQUIRE(changes[0].update == "NumTasks=1");
  REQUIRE(changes[0].starts_now);
  REQUIRE(changes[0].planned.nodes == "n2");
}

TEST_CASE("a job that is held is offered no change", "[foresee]") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.hold = true});
  world.settle();
  const WhyReply reply = why(world, job);
  REQUIRE(reply.jobs[0].wait.reason == Reason::JobHeldUser);
  REQUIRE(reply.jobs[0].changes.empty());
}

TEST_CASE("the error of a forecast is told", "[foresee]") {
  World world = World::with_nodes(1, {.cpus = 4});
  const JobId first = world.submit({.cpus = 4, .time_limit_min = 30});
  const JobId second = world.submit({.cpus = 4, .time_limit_min = 30});
  world.settle();
  REQUIRE(all_lines(why(world, second)).find("; that holds\n") != std::string::npos);
  world.pass(minutes{10});
  world.exit(first);
  world.settle();
  REQUIRE(world.state_of(second) != JobState::pending);
  world.pass(std::chrono::seconds{1});
  const std::string text = all_lines(why(world, second));
  INFO(text);
  REQUIRE(text.find("; it started 20 min earlier\n") != std::string::npos);
  REQUIRE_FALSE(world.record(first).times.forecast.has_value());
}

// --- acceptance: applying a change that is offered starts the job when it said -------------------

namespace {

struct Crowd {
  World world;
  std::vector<JobId> waiting;
};

Crowd make_crowd(std::uint32_t seed, Backfill rule) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  ClusterConfig config = story_config(static_cast<int>(2 + below(3)), {.cpus = 4, .mem_mb = 8000});
  config.planning.backfill = rule;
  config.nodes[0].features = {"fast", "big"};
  config.nodes[1].features = {"big"};
  config.partitions.push_back({.name = "other", .nodes = {"n2"}});
  Crowd crowd{World::with_config(config), {}};
  if (below(3) == 0)
    crowd.world.reserve(maintenance(crowd.world, minutes{20 + below(60)}, minutes{30}));
  std::vector<JobId> jobs;
  const std::uint32_t count = 4 + below(7);
  for (std::uint32_t i = 0; i < count; ++i) {
    JobRequest request;
    request.nodes = 1 + below(2);
    request.ntasks = request.nodes + below(3);
    request.cpus = 1 + below(3);
    request.time_limit_min = 5 + below(90);
    if (below(5) == 0) request.placement.constraint = below(2) == 0 ? "fast&big" : "big";
    if (below(5) == 0) request.placement.partitions = {"other"};
    if (below(8) == 0) request.placement.nodelist = {"n1"};
    if (below(8) == 0) request.begin_in = minutes{10 + below(100)};
    if (below(6) == 0) {
      ResourceRequest asked;
      asked.nodes_min = 1;
      asked.mem_per_node_mb = 1000 + below(7000);
      asked.sharing = below(2) == 0 ? Sharing::exclusive : Sharing::unsaid;
      request.asked = asked;
    }
    if (!try_plan(crowd.world, request).ok()) continue;  // it could never run
    jobs.push_back(crowd.world.submit(request));
    if (below(3) == 0) crowd.world.settle();
  }
  crowd.world.settle();
  for (const JobId job : jobs)
    if (crowd.world.state_of(job) == JobState::pending) crowd.waiting.push_back(job);
  return crowd;
}

// As `scontrol update` would ask for it.
UpdateJobs update_for(const World& world, JobId job, const JobSpec& wanted) {
  UpdateJobs request;
  request.filter.jobs = {{job, {}}};
  request.action = JobAction::update;
  request.spec = wanted;
  const JobSpec& spec = world.core.state.spec(job);
  const auto add = [&](bool differs, std::initializer_list<const char*> members) {
    if (differs) request.members.insert(request.members.end(), members.begin(), members.end());
  };
  add(spec.request.nodes_min != wanted.request.nodes_min,
      {"request.nodes_min", "request.nodes_max"});
  add(spec.request.ntasks != wanted.request.ntasks, {"request.ntasks"});
  add(spec.request.cpus_per_task != wanted.request.cpus_per_task, {"request.cpus_per_task"});
  add(spec.request.mem_per_node_mb != wanted.request.mem_per_node_mb, {"request.mem_per_node_mb"});
  add(spec.request.mem_per_cpu_mb != wanted.request.mem_per_cpu_mb, {"request.mem_per_cpu_mb"});
  add(spec.request.sharing != wanted.request.sharing, {"request.sharing"});
  add(spec.placement.partitions != wanted.placement.partitions, {"placement.partitions"});
  add(spec.placement.constraint != wanted.placement.constraint, {"placement.constraint"});
  add(spec.placement.nodelist != wanted.placement.nodelist, {"placement.nodelist"});
  add(spec.placement.exclude != wanted.placement.exclude, {"placement.exclude"});
  add(spec.placement.reservations != wanted.placement.reservations, {"placement.reservations"});
  add(spec.start.begin != wanted.start.begin, {"start.begin"});
  if (wanted.start.time_limit != world.record(job).time_limit)
    request.time_limit = wanted.start.time_limit;
  return request;
}

std::vector<Proposal> proposals_for(World& world, JobId job) {
  const auto outlook = make_outlook(world.core.state, world.now);
  const Foresight foresight(*outlook, job);
  const SupposedJob as_it_is{world.record(job), world.core.state.spec(job)};
  return helpful_changes(foresight, *outlook, as_it_is, foresight.start_of(as_it_is), true);
}

}  // namespace

TEST_CASE("a change that is offered starts the job when it said", "[foresee][property]") {
  std::size_t offered = 0, now = 0;
  for (const Backfill rule : {Backfill::guarantee, Backfill::balanced, Backfill::conservative})
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
      Crowd crowd = make_crowd(seed, rule);
      for (const JobId job : crowd.waiting) {
        for (const Proposal& row : proposals_for(crowd.world, job)) {
          Crowd again = make_crowd(seed, rule);
          INFO(enum_name(rule) << " seed " << seed << " job " << job.value << " "
                               << row.change.option);
          const ActionReply reply =
              again.world.update(update_for(again.world, job, row.candidate.spec), 1000);
          REQUIRE(reply.answers.size() == 1);
          INFO(reply.answers[0].detail);
          REQUIRE_FALSE(reply.answers[0].error.has_value());
          again.world.settle();
          if (row.change.starts_now) ++now;
          ++offered;
          const std::optional<WallTime> begin = again.world.record(job).times.begin;
          if (begin && *begin > again.world.now.wall) {  // it is not in line before
            REQUIRE(*row.change.planned.start >= *begin);
            continue;
          }
          REQUIRE(start_of(again.world, job) == row.change.planned.start);
        }
      }
    }
  REQUIRE(offered > 200);
  REQUIRE(now > 50);
}
