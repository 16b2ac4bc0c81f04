// priority_test.cpp: stories of priorities: factors against numbers worked out by hand, whose turn
// it is, and what a restart must not change.
#include "daemon/core/priority.h"

#include <catch2/catch.hpp>

#include "daemon/core/shares_listing.h"
#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

constexpr AssociationId root{1};
constexpr AssociationId physics{2};
constexpr AssociationId anna{3};
constexpr AssociationId ben{4};

Association row_of(AssociationId id, std::string account, std::string parent, std::string user) {
  Association row;
  row.id = id;
  row.account = std::move(account);
  row.parent = std::move(parent);
  row.user = std::move(user);
  return row;
}

// Anna and Ben have equal shares of one account.
AccountBook two_users() {
  AccountBook book;
  book.associations[root] = row_of(root, "root", "", "");
  book.associations[physics] = row_of(physics, "physics", "root", "");
  book.associations[anna] = row_of(anna, "physics", "", "anna");
  book.associations[ben] = row_of(ben, "physics", "", "ben");
  return book;
}

PriorityConfig multifactor(const PriorityWeights& weights) {
  PriorityConfig config;
  config.multifactor = true;
  config.weights = weights;
  config.calc_period_min = 1;
  return config;
}

World world_of(int nodes, const PriorityConfig& priority, const NodeDescription& node = {}) {
  ClusterConfig config = story_config(nodes, node);
  config.priority = priority;
  return World::with_config(config);
}

PriorityFactors factors(const World& world, JobId job) {
  return factors_of(*world.core.state.ranking, world.record(job), world.record(job).partition);
}

double billing_of(const World& world, AssociationId id) {
  return world.core.state.ranking->associations.at(id).share.usage;
}

}  // namespace

TEST_CASE("without a rule the first submitted goes first, less its nice") {
  World world = World::with_nodes(1);
  const JobId first = world.submit({.cpus = 4});
  const JobId second = world.submit({.cpus = 4});
  REQUIRE(world.priority_of(first) == 4'294'000'000);
  REQUIRE(world.priority_of(second) == 4'294'000'000);
  world.update({.filter = {.jobs = {{first, {}}}}, .nice = 100});
  REQUIRE(world.priority_of(first) == 4'293'999'900);
  world.settle();
  REQUIRE(world.state_of(second) == JobState::running);
}

TEST_CASE("each factor is what Slurm's page says") {
  // 4 nodes of 8 CPUs; the job asks for 2 of them and 4 CPUs.
  World world =
      world_of(4, multifactor({.age = 1000, .job_size = 1000, .partition = 1000}), {8, 8000});
  const JobId job =
      world.submit({.nodes = 2, .ntasks = 4, .time_limit_min = 60, .begin_in = hours{1}});
  REQUIRE(factors(world, job).job_size == Approx((2.0 / 4 + 4.0 / 32) / 2));
  REQUIRE(factors(world, job).partition == 1);  // the highest there is
  REQUIRE(factors(world, job).age == 0);
  REQUIRE(world.priority_of(job) == 1312);  // 312.5 + 1000

  PriorityConfig rule = multifactor({.job_size = 1000});
  rule.favor_small = true;
  world.set_priority_rule(rule);
  REQUIRE(factors(world, job).job_size == Approx(1 - 0.3125));
  rule.flags = {PriorityFlag::SMALL_RELATIVE_TO_TIME};
  world.set_priority_rule(rule);  // 16 CPUs (two nodes' worth) in 60 minutes, of 32
  REQUIRE(factors(world, job).job_size == Approx(1 - 16.0 / 60 / 32));
  rule.favor_small = false;
  world.set_priority_rule(rule);
  REQUIRE(factors(world, job).job_size == Approx(16.0 / 60 / 32));
}

TEST_CASE("resources weigh as parts of what the partition has") {
  World world =
      world_of(4, multifactor({.tres = {{"cpu", 1000}, {"mem", 3200}, {"node", 100}}}), {8, 8000});
  const JobId job = world.submit({.nodes = 2, .ntasks = 4, .begin_in = hours{1}});
  REQUIRE(world.priority_of(job) == 125 + 40 + 50);  // 4 of 32 CPUs, 400 of 32000 MB, 2 of 4 nodes
  PriorityConfig rule = world.core.state.config->priority;
  rule.flags = {PriorityFlag::NO_NORMAL_TRES};
  world.set_priority_rule(rule);
  REQUIRE(world.priority_of(job) == 4 * 1000 + 400 * 3200 + 2 * 100);
}

TEST_CASE("partition, QOS and association weigh by the highest, or as they are") {
  ClusterConfig config = story_config(1);
  config.priority = multifactor({.association = 100, .partition = 1000, .qos = 10'000});
  config.partitions[0].priority_job_factor = 30;
  config.partitions.push_back(config.partitions[0]);
  config.partitions[1].name = "urgent";
  config.partitions[1].is_default = false;
  config.partitions[1].priority_job_factor = 60;
  World world = World::with_config(config);
  AccountBook book = two_users();
  book.associations[anna].priority = 5;
  book.associations[ben].priority = 20;
  book.qos[QosId{1}] = {.id = QosId{1}, .name = "normal", .priority = 10};
  book.qos[QosId{2}] = {.id = QosId{2}, .name = "high", .priority = 40};
  world.set_accounts(book);
  const JobId job = world.submit({.begin_in = hours{1}});
  world.charge_to(job, anna);
  REQUIRE(world.priority_of(job) == 500 + 25);
  world.charge_to(job, anna, QosId{1});
  REQUIRE(world.priority_of(job) == 500 + 25 + 2500);
  const JobId either =
      world.submit({.begin_in = hours{1}, .placement = {.partitions = {"main", "urgent"}}});
  REQUIRE(world.priority_of(either) == 1000);  // by the better of its partitions

  PriorityConfig rule = config.priority;
  rule.flags = {PriorityFlag::NO_NORMAL_PART, PriorityFlag::NO_NORMAL_ASSOC,
                PriorityFlag::NO_NORMAL_QOS};
  world.set_priority_rule(rule);
  REQUIRE(world.priority_of(job) == 30 * 1000 + 5 * 100 + 10 * 10'000);
  rule.flags = {PriorityFlag::NO_NORMAL_ALL};
  world.set_priority_rule(rule);
  REQUIRE(world.priority_of(job) == 30 * 1000 + 5 * 100 + 10 * 10'000);
}

TEST_CASE("a job gains age from when it could first start, until PriorityMaxAge") {
  PriorityConfig rule = multifactor({.age = 1000});
  rule.max_age_min = 100;
  World world = world_of(1, rule);
  world.submit({.cpus = 4, .time_limit_min = 0});
  const JobId job = world.submit({.cpus = 4});
  const JobId later = world.submit({.cpus = 4, .begin_in = minutes{40}});
  world.settle();
  REQUIRE(world.priority_of(job) == 1);
  world.pass(minutes{50} + seconds{5});
  REQUIRE(world.priority_of(job) == Approx(500).margin(11));
  REQUIRE(world.priority_of(later) == Approx(100).margin(11));
  world.now.wall += minutes{100};
  world.now.steady += minutes{100};
  world.pass(seconds{2});
  REQUIRE(world.priority_of(job) == 1000);
  rule.flags = {PriorityFlag::ACCRUE_ALWAYS};
  world.set_priority_rule(rule);
  REQUIRE(world.priority_of(later) == 1000);
}

TEST_CASE("an aged job goes before a larger one that came later") {
  PriorityConfig rule = multifactor({.age = 1000, .job_size = 500});
  rule.max_age_min = 60;
  World world = world_of(1, rule);
  const JobId first = world.submit({.cpus = 4});
  const JobId small = world.submit({.cpus = 2});
  world.settle();
  world.pass(minutes{45});
  const JobId large = world.submit({.cpus = 4});
  REQUIRE(world.priority_of(small) > world.priority_of(large));
  world.exit(first);
  REQUIRE(world.state_of(small) == JobState::running);
  REQUIRE(world.state_of(large) == JobState::pending);
}

TEST_CASE("who used much goes behind") {
  World world = world_of(1, multifactor({.fair_share = 1000}));
  world.set_accounts(two_users());
  const JobId used = world.submit({.cpus = 4});
  world.charge_to(used, anna);
  world.settle();
  world.pass(minutes{30});
  const JobId hers = world.submit({.cpus = 4});
  const JobId his = world.submit({.cpus = 4});
  world.charge_to(hers, anna);
  world.charge_to(his, ben);
  REQUIRE(world.priority_of(hers) == 500);
  REQUIRE(world.priority_of(his) == 1000);
  world.exit(used);
  REQUIRE(world.state_of(his) == JobState::running);
  REQUIRE(world.state_of(hers) == JobState::pending);
  // What he uses while he runs counts too: in the end he goes behind.
  world.pass(minutes{40});
  REQUIRE(world.priority_of(hers) == 1000);
}

TEST_CASE("usage is what was held, times how long, and halves with time") {
  PriorityConfig rule = multifactor({.fair_share = 1000});
  rule.half_life_min = 60;
  World world = world_of(1, rule);
  world.set_accounts(two_users());
  const JobId job = world.submit({.cpus = 4});
  world.charge_to(job, anna);
  world.settle();
  world.pass(minutes{10});
  world.exit(job);
  const Span ran{*world.record(job).times.started, *world.record(job).times.ended};
  world.now.wall += minutes{60};
  world.now.steady += minutes{60};
  world.pass(seconds{1});
  const double expected = 4 * decayed_seconds(ran, world.now.wall, minutes{60});
  REQUIRE(expected == Approx(4 * 600 / 2).epsilon(0.06));
  REQUIRE(billing_of(world, anna) == Approx(expected).epsilon(1e-9));
  REQUIRE(billing_of(world, physics) == Approx(expected).epsilon(1e-9));
  REQUIRE(world.core.state.ranking->associations.at(anna).own.tres_s.at("cpu") ==
          Approx(expected).epsilon(1e-9));
  REQUIRE(billing_of(world, ben) == 0);
}

TEST_CASE("a restarted controller counts the same usage, runs under way and earlier runs too") {
  World world = world_of(2, multifactor({.fair_share = 1000}));
  world.set_accounts(two_users());
  const JobId requeued = world.submit({.cpus = 4, .account = "physics", .user = "anna"});
  world.submit({.cpus = 3, .account = "physics", .user = "ben"});
  world.settle();
  world.pass(minutes{7});
  world.update({.filter = {.jobs = {{requeued, {}}}}, .action = JobAction::requeue});
  world.pass(minutes{5});
  world.exit(requeued);
  world.pass(minutes{2});
  for (const AssociationId id : {anna, ben, physics}) {
    world.set_accounts(two_users());  // calculates now
    const double live = billing_of(world, id);
    REQUIRE(live > 0);
    world.restart_controller();
    REQUIRE(billing_of(world, id) == Approx(live).epsilon(1e-9));
  }
  // The first run counts as well as the second.
  REQUIRE(billing_of(world, anna) == Approx(4 * 12 * 60).epsilon(0.01));
  REQUIRE(billing_of(world, ben) == Approx(3 * 14 * 60).epsilon(0.01));
}

TEST_CASE("a job without an association has no share and uses nobody's") {
  World world = world_of(1, multifactor({.fair_share = 1000}));
  world.set_accounts(two_users());
  const JobId job = world.submit({.cpus = 4});
  REQUIRE(world.priority_of(job) == 1);
  world.settle();
  world.pass(minutes{3});
  REQUIRE(world.core.state.ranking->all_billing_s == 0);
}

TEST_CASE("what a deleted user used stays with the account") {
  World world = world_of(1, multifactor({.fair_share = 1000}));
  world.set_accounts(two_users());
  const JobId job = world.submit({.cpus = 4});
  world.charge_to(job, anna);
  world.settle();
  world.pass(minutes{10});
  AccountBook book = two_users();
  book.associations[anna].deleted = true;
  world.set_accounts(book);
  REQUIRE_FALSE(world.core.state.ranking->associations.contains(anna));
  REQUIRE(billing_of(world, physics) == Approx(4 * 600).epsilon(0.01));
}

TEST_CASE("no row is written because time passes") {
  World world = world_of(1, multifactor({.age = 100'000, .fair_share = 1000}));
  world.set_accounts(two_users());
  world.submit({.cpus = 4, .time_limit_min = 0});
  world.settle();  // it runs, the others wait for it
  for (int i = 0; i < 5; ++i) world.submit({.cpus = 4, .account = "physics", .user = "ben"});
  world.settle();
  const JobId last{6};
  const std::uint64_t stored = world.record(last).priority;
  world.pass(minutes{30});
  REQUIRE(world.priority_of(last) > stored + 100);
  REQUIRE(world.record(last).priority == stored);
  world.restart_controller();
  REQUIRE(world.priority_of(last) > stored + 100);
}

TEST_CASE("an administrator's priority stays, and 0 holds") {
  World world = world_of(1, multifactor({.age = 1000}));
  world.submit({.cpus = 4, .time_limit_min = 0});
  const JobId job = world.submit({.cpus = 4});
  world.settle();
  world.update({.filter = {.jobs = {{job, {}}}}, .priority = 77}, 0, true);
  world.pass(minutes{5});
  REQUIRE(world.priority_of(job) == 77);
  world.update({.filter = {.jobs = {{job, {}}}}, .priority = 0});
  REQUIRE(world.priority_of(job) == 0);
  REQUIRE(world.record(job).reason == Reason::JobHeldUser);
  world.update({.filter = {.jobs = {{job, {}}}}, .action = JobAction::release});
  REQUIRE(world.priority_of(job) >= 1);
  REQUIRE(world.record(job).hold == Hold::none);
}

TEST_CASE("a partition of a higher tier goes before any priority") {
  ClusterConfig config = story_config(1);
  config.partitions.push_back(config.partitions[0]);
  config.partitions[1].name = "first";
  config.partitions[1].is_default = false;
  config.partitions[1].priority_tier = 10;
  World world = World::with_config(config);
  const JobId low = world.submit({.cpus = 4});
  const JobId high = world.submit({.cpus = 4, .placement = {.partitions = {"first"}}});
  world.update({.filter = {.jobs = {{high, {}}}}, .nice = 5000});
  world.settle();
  REQUIRE(world.state_of(high) == JobState::running);
  REQUIRE(world.state_of(low) == JobState::pending);
}

TEST_CASE("what a job started with is what is shown of it from then on") {
  PriorityConfig rule = multifactor({.age = 1000});
  rule.max_age_min = 100;
  World world = world_of(1, rule);
  const JobId first = world.submit({.cpus = 4});
  const JobId job = world.submit({.cpus = 4});
  world.settle();
  world.pass(minutes{20} + seconds{1});
  world.exit(first);
  const std::uint64_t started_with = world.priority_of(job);
  REQUIRE(started_with == Approx(200).margin(11));
  world.pass(minutes{20});
  REQUIRE(world.priority_of(job) == started_with);
  rule.flags = {PriorityFlag::CALCULATE_RUNNING};
  world.set_priority_rule(rule);
  REQUIRE(world.priority_of(job) == Approx(400).margin(11));
}

TEST_CASE("the queue follows a changed rule") {
  World world = world_of(1, multifactor({.job_size = 1000}));
  const JobId running = world.submit({.cpus = 4});
  world.settle();
  const JobId small = world.submit({.cpus = 1});
  const JobId large = world.submit({.cpus = 4});
  REQUIRE(world.priority_of(large) > world.priority_of(small));
  PriorityConfig rule = multifactor({.age = 1000, .job_size = 1});
  world.set_priority_rule(rule);
  world.pass(minutes{30});
  world.set_priority_rule({});
  REQUIRE(world.priority_of(large) == world.priority_of(small));
  world.exit(running);
  REQUIRE(world.state_of(small) == JobState::running);
  REQUIRE(world.state_of(large) == JobState::pending);
}

TEST_CASE("shares are told as a tree, and one's own with the accounts above") {
  World world = world_of(1, multifactor({.fair_share = 1000}));
  AccountBook book = two_users();
  book.associations[AssociationId{9}] = row_of(AssociationId{9}, "chemistry", "root", "");
  world.set_accounts(book);
  const JobId job = world.submit({.cpus = 4});
  world.charge_to(job, anna);
  world.settle();
  world.pass(minutes{10});
  world.set_accounts(book);  // calculates now
  const Snapshot snapshot = world.core.state.snapshot();
  const auto names = [&](const QueryShares& query) {
    std::vector<std::string> found;
    for (const ShareRow& row : list_shares(snapshot, query, world.now.wall).rows)
      found.push_back(std::string(row.depth, ' ') + (row.user.empty() ? row.account : row.user));
    return found;
  };
  using Names = std::vector<std::string>;
  REQUIRE(names({}) == Names{"root", " chemistry", " physics", "  anna", "  ben"});
  REQUIRE(names({.users = {"ben"}}) == Names{"root", " physics", "  ben"});
  REQUIRE(names({.users = {"nobody"}}).empty());
  REQUIRE(names({.accounts = {"physics"}}) == Names{"root", " physics", "  anna", "  ben"});
  REQUIRE(names({.users = {"ben"}, .accounts = {"chemistry"}}).empty());

  const SharesReply reply = list_shares(snapshot, {}, world.now.wall);
  const ShareRow& physics_row = reply.rows[2];
  REQUIRE(reply.rows[0].usage_s == Approx(4 * 600).epsilon(0.01));
  REQUIRE(physics_row.usage_s == reply.rows[0].usage_s);
  REQUIRE(physics_row.norm_usage == 1);
  // 4 CPUs for the 50 minutes that are left of 60.
  const auto minutes_left = [](const ShareRow& row) {
    for (const TresAmount& amount : row.tres_run_s)
      if (amount.tres == "cpu") return amount.amount / 60;
    return 0.0;
  };
  REQUIRE(minutes_left(physics_row) == Approx(200).epsilon(0.01));
  REQUIRE(minutes_left(reply.rows[3]) == Approx(200).epsilon(0.01));
  REQUIRE(minutes_left(reply.rows[4]) == 0);
  REQUIRE(reply.rows[4].factor == 1);
}

TEST_CASE("only jobs that could start have a priority to show, one for each partition") {
  ClusterConfig config = story_config(1);
  config.priority = multifactor({.partition = 100});
  config.partitions.push_back(config.partitions[0]);
  config.partitions[1].name = "other";
  config.partitions[1].is_default = false;
  World world = World::with_config(config);
  world.submit({.cpus = 4});
  const JobId waiting = world.submit({.cpus = 4, .placement = {.partitions = {"main", "other"}}});
  world.submit({.hold = true});
  world.submit({.begin_in = hours{1}});
  world.settle();
  const auto list = [&](const JobFilter& filter) {
    return list_priorities(world.core.state.snapshot(), {filter}, world.now.wall).jobs;
  };
  const std::vector<JobPriority> jobs = list({});
  REQUIRE(jobs.size() == 2);
  REQUIRE(jobs[0].id == waiting);
  REQUIRE(jobs[0].partition == "main");
  REQUIRE(jobs[1].partition == "other");
  REQUIRE(jobs[0].priority == 100);
  REQUIRE(list({.partitions = {"other"}}).size() == 1);
  REQUIRE(list({.uids = {7}}).empty());
  world.set_priority_rule({});
  REQUIRE_FALSE(list_priorities(world.core.state.snapshot(), {}, world.now.wall).multifactor);
}

TEST_CASE("a controller whose clock is in 1970 starts, and goes on when it is set") {
  World world = world_of(2, multifactor({.fair_share = 1000}));
  world.set_accounts(two_users());
  for (const char* user : {"anna", "ben"}) {
    const JobId job = world.submit({.cpus = 4, .account = "physics", .user = user});
    world.settle();
    world.pass(minutes{5});
    world.exit(job);
  }
  const WallTime right = world.now.wall;
  world.now.wall = WallTime{} + hours{1};
  world.restart_controller();
  world.pass(minutes{10});
  world.now.wall = right + minutes{10};
  world.pass(minutes{10});
  world.restart_controller();
  REQUIRE(billing_of(world, anna) == Approx(4 * 5 * 60).epsilon(0.01));
}
