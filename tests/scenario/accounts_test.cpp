// accounts_test.cpp: accounts, users and QOS as stories: who may change what, what a submit gets,
// and that limits hold at the start.
#include <catch2/catch.hpp>

#include "daemon/core/account_rules.h"
#include "daemon/core/listing.h"
#include "tests/scenario/world.h"

using namespace sluice;

namespace {

Association row_of(const std::string& account, const std::string& parent, const std::string& user) {
  Association row;
  row.account = account;
  row.parent = parent;
  row.user = user;
  return row;
}

// Accounts a and b below root, and walter in a.
ChangeAccounts two_accounts() {
  ChangeAccounts change;
  for (const char* name : {"a", "b"}) {
    change.accounts.push_back({name, name, name, {}, false});
    change.associations.push_back(row_of(name, "root", ""));
  }
  change.users.push_back({"walter", "a", "", AdminLevel::None, false});
  change.associations.push_back(row_of("a", "", "walter"));
  return change;
}

ClusterConfig enforcing_config(int nodes) {
  ClusterConfig config = story_config(nodes);
  config.accounting = {true, true, true, false};
  return config;
}

World enforcing_world(int nodes = 2) {
  World world = World::with_config(enforcing_config(nodes));
  REQUIRE(world.change_accounts(two_accounts()).ok());
  return world;
}

Association live_row(const World& world, const std::string& account, const std::string& user) {
  const Association* row = find_association(*world.core.state.accounts, account, user, "");
  REQUIRE(row != nullptr);
  return *row;
}

JobWait wait_of(const World& world, JobId job) {
  return sluice::wait_of(*world.core.state.find_job(job), world.core.state.snapshot());
}

}  // namespace

TEST_CASE("a job gets the default account and QOS of its user") {
  World world = enforcing_world();
  const JobId job = world.submit({});
  REQUIRE(world.record(job).association == live_row(world, "a", "walter").id);
  REQUIRE(world.core.state.spec(job).account == "a");
  REQUIRE(world.core.state.spec(job).qos == "normal");
  REQUIRE(world.submit_refused({.account = "b"}).code == ErrorCode::invalid_account);
  REQUIRE(world.submit_refused({.qos = "nosuch"}).code == ErrorCode::invalid_qos);
  world.restart_controller();
}

TEST_CASE("without AccountingStorageEnforce any name of an account is taken") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.account = "whatever"});
  REQUIRE(world.core.state.spec(job).account == "whatever");
  REQUIRE(world.record(job).association == AssociationId{});
}

TEST_CASE("a change is refused as a whole where something of it is wrong") {
  World world = World::with_nodes(1);
  ChangeAccounts change = two_accounts();
  change.associations.push_back(row_of("c", "root", ""));
  REQUIRE(world.change_accounts(change).error().code == ErrorCode::invalid_account);
  REQUIRE(*world.core.state.accounts == first_book());
  ChangeAccounts circle = two_accounts();
  circle.associations[0].parent = "b";
  circle.associations[1].parent = "a";
  REQUIRE(world.change_accounts(circle).error().detail.find("below itself") != std::string::npos);
  ChangeAccounts no_qos = two_accounts();
  no_qos.associations[0].qos = {"nosuch"};
  REQUIRE(world.change_accounts(no_qos).error().code == ErrorCode::invalid_qos);
}

TEST_CASE("no row makes a tree that does not end at the root") {
  World world = enforcing_world();
  ChangeAccounts root_below;
  root_below.associations = {live_row(world, "root", "")};
  root_below.associations[0].parent = "a";
  REQUIRE_FALSE(world.change_accounts(root_below).ok());
  ChangeAccounts second_row;
  second_row.associations = {row_of("a", "a", "")};
  second_row.associations[0].partition = "main";
  REQUIRE_FALSE(world.change_accounts(second_row).ok());
  ChangeAccounts lines;
  lines.accounts.push_back({"a", "x\nUser - 'mallory'", "a", {}, false});
  REQUIRE_FALSE(world.change_accounts(lines).ok());
}

TEST_CASE("the level of a user who was deleted comes back for nobody") {
  World world = enforcing_world();
  ChangeAccounts boss;
  boss.accounts.push_back({"a", "a", "a", {"walter"}, false});
  boss.users.push_back({"boss", "a", "", AdminLevel::Administrator, false});
  boss.associations.push_back(row_of("a", "", "boss"));
  REQUIRE(world.change_accounts(boss).ok());
  ChangeAccounts gone;
  gone.users.push_back({"boss", "a", "", AdminLevel::Administrator, true});
  gone.associations = {live_row(world, "a", "boss")};
  gone.associations[0].deleted = true;
  REQUIRE(world.change_accounts(gone).ok());
  const auto by_walter = [&](AdminLevel level) {
    ChangeAccounts back;
    back.users.push_back({"boss", "a", "", level, false});
    back.associations.push_back(row_of("a", "", "boss"));
    return world.change_accounts(back, 1000, "walter");
  };
  REQUIRE(by_walter(AdminLevel::Administrator).error().code == ErrorCode::access_denied);
  REQUIRE(by_walter(AdminLevel::None).ok());
}

TEST_CASE("who changes an outdated book has to look again, and a repeat is done already") {
  World world = enforcing_world();
  ChangeAccounts change;
  change.based_on = 1;
  change.accounts.push_back({"a", "other words", "a", {}, false});
  REQUIRE(world.change_accounts(change, 0, "root").value().is_outdated);
  change.based_on = version_of(*world.core.state.accounts);
  REQUIRE_FALSE(world.change_accounts(change, 0, "root").value().is_outdated);
  REQUIRE_FALSE(world.change_accounts(change, 0, "root").value().is_outdated);
}

TEST_CASE("a plain user changes nothing, a coordinator what is in his account") {
  World world = enforcing_world();
  const auto as_walter = [&](ChangeAccounts change) {
    change.based_on = version_of(*world.core.state.accounts);
    return world.change_accounts(change, 1000, "walter");
  };
  ChangeAccounts shares;
  shares.associations.push_back(live_row(world, "a", "walter"));
  shares.associations[0].shares = 7;
  REQUIRE(as_walter(shares).error().code == ErrorCode::access_denied);
  ChangeAccounts stale_and_wrong;  // who may change nothing is told so, whatever he sent
  stale_and_wrong.based_on = 1;
  stale_and_wrong.associations.push_back(row_of("nosuch", "", "walter"));
  REQUIRE(as_walter(stale_and_wrong).error().code == ErrorCode::access_denied);
  ChangeAccounts coordinator;
  coordinator.accounts.push_back({"a", "a", "a", {"walter"}, false});
  REQUIRE(as_walter(coordinator).error().code == ErrorCode::access_denied);
  REQUIRE(world.change_accounts(coordinator).ok());
  REQUIRE(as_walter(shares).ok());
  ChangeAccounts of_b;
  of_b.associations.push_back(live_row(world, "b", ""));
  of_b.associations[0].shares = 7;
  REQUIRE(as_walter(of_b).error().code == ErrorCode::access_denied);
  ChangeAccounts admin;
  admin.users.push_back({"walter", "a", "", AdminLevel::Administrator, false});
  REQUIRE(as_walter(admin).error().code == ErrorCode::access_denied);
}

TEST_CASE("an association with jobs cannot be taken away, nor a user's default account") {
  World world = enforcing_world();
  const JobId job = world.submit({.hold = true});
  ChangeAccounts user;
  user.users.push_back({"walter", "", "", AdminLevel::None, true});
  user.associations.push_back(live_row(world, "a", "walter"));
  user.associations[0].deleted = true;
  REQUIRE(world.change_accounts(user).error().code == ErrorCode::jobs_active);
  world.cancel({.jobs = {{job, {}}}});
  ChangeAccounts row;
  row.associations = user.associations;
  REQUIRE(world.change_accounts(row).error().code == ErrorCode::default_account_in_use);
  REQUIRE(world.change_accounts(user).ok());
  REQUIRE(world.submit_refused({}).code == ErrorCode::invalid_account);
}

TEST_CASE("limits hold at the start, and the reason has Slurm's word with the numbers") {
  World world = enforcing_world();
  ChangeAccounts change;
  change.associations.push_back(live_row(world, "a", ""));
  change.associations[0].limits.grp_tres = {{"cpu", 3}};
  change.associations.push_back(live_row(world, "a", "walter"));
  change.associations[1].max_jobs = 2;
  REQUIRE(world.change_accounts(change).ok());
  const JobId first = world.submit({.cpus = 2});
  const JobId second = world.submit({.cpus = 2, .name = "second"});
  const JobId third = world.submit({.cpus = 1});
  const JobId fourth = world.submit({.cpus = 1, .time_limit_min = 7, .name = "fourth"});
  world.settle();
  REQUIRE(world.state_of(first) == JobState::running);
  REQUIRE(world.state_of(second) == JobState::pending);
  // One behind that fits is not kept waiting.
  REQUIRE(world.state_of(third) == JobState::running);
  REQUIRE(wait_of(world, second).reason == Reason::AssocLimit);
  REQUIRE(wait_of(world, second).reason_limit == "AssocGrpCpuLimit");
  REQUIRE(wait_of(world, second).reason_detail ==
          "GrpTRES cpu of account a is 3: 3 in use, 2 more asked; held by walter 3");
  REQUIRE(wait_of(world, fourth).reason_limit == "AssocGrpCpuLimit");
  world.exit(first);
  world.settle();
  REQUIRE(world.state_of(second) == JobState::running);
  REQUIRE(wait_of(world, fourth).reason_limit == "AssocGrpCpuLimit");
  world.restart_controller();
}

TEST_CASE("tasks of an array start as many as a limit lets") {
  World world = enforcing_world();
  ChangeAccounts change;
  change.associations.push_back(live_row(world, "a", "walter"));
  change.associations[0].max_jobs = 3;
  change.associations[0].max_submit_jobs = 10;
  REQUIRE(world.change_accounts(change).ok());
  const JobId array = world.submit({.array = "0-9"});
  world.settle();
  std::size_t running = 0;
  world.core.state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    running += holds_resources(entry.record.state) ? 1 : 0;
    return true;
  });
  REQUIRE(running == 3);
  REQUIRE(wait_of(world, array).reason_limit == "AssocMaxJobsLimit");
  const Error refused = world.submit_refused({});
  REQUIRE(refused.code == ErrorCode::policy_violated);
  REQUIRE(refused.detail.starts_with("AssocMaxSubmitJobLimit: "));
}

TEST_CASE("a QOS with DenyOnLimit refuses what could never start") {
  World world = enforcing_world();
  ChangeAccounts change;
  Qos strict;
  strict.name = "strict";
  strict.flags = {QosFlag::DenyOnLimit};
  strict.limits.max_tres_per_job = {{"cpu", 1}};
  change.qos.push_back(strict);
  change.associations.push_back(live_row(world, "a", "walter"));
  change.associations[0].qos = {"normal", "strict"};
  REQUIRE(world.change_accounts(change).ok());
  REQUIRE(world.submit_refused({.cpus = 2, .qos = "strict"})
              .detail.starts_with("QOSMaxCpuPerJobLimit: "));
  world.submit({.cpus = 1, .qos = "strict"});
  world.settle();
}

TEST_CASE("a partition is open to the accounts and QOS that it names") {
  ClusterConfig config = enforcing_config(1);
  config.partitions.push_back({.name = "of_b", .nodes = {"n1"}});
  config.partitions.back().access.allow_accounts = {"b"};
  World world = World::with_config(config);
  REQUIRE(world.change_accounts(two_accounts()).ok());
  const JobRequest there{.placement = {.partitions = {"of_b"}}};
  REQUIRE(world.submit_refused(there).code == ErrorCode::invalid_account);
  ChangeAccounts change;
  change.associations.push_back(row_of("b", "", "walter"));
  REQUIRE(world.change_accounts(change).ok());
  JobRequest as_b = there;
  as_b.account = "b";
  as_b.hold = true;
  const JobId job = world.submit(as_b);
  config.partitions.back().access.allow_accounts = {"a"};
  world.configure(config);
  UpdateJobs release{.filter = {.jobs = {{job, {}}}}, .action = JobAction::release};
  world.update(release, 0, true);
  REQUIRE(world.record(job).reason == Reason::AccountNotAllowed);
}

TEST_CASE("a waiting job moves to another account") {
  World world = enforcing_world();
  ChangeAccounts change;
  change.associations.push_back(row_of("b", "", "walter"));
  REQUIRE(world.change_accounts(change).ok());
  const JobId job = world.submit({.hold = true});
  UpdateJobs update{.filter = {.jobs = {{job, {}}}}, .members = {"account"}};
  update.spec.account = "b";
  REQUIRE_FALSE(world.update(update).answers.front().error);
  REQUIRE(world.record(job).association == live_row(world, "b", "walter").id);
  update.spec.account = "nosuch";
  REQUIRE(world.update(update).answers.front().error == ErrorCode::invalid_account);
}

TEST_CASE("a job counts under the association of the partition where it starts") {
  ClusterConfig config = enforcing_config(2);
  config.partitions[0].nodes = {"n1"};
  config.partitions.push_back({.name = "gpu", .nodes = {"n2"}});
  World world = World::with_config(config);
  ChangeAccounts change = two_accounts();
  change.associations.push_back(row_of("a", "", "walter"));
  change.associations.back().partition = "gpu";
  change.associations.back().max_jobs = 1;
  REQUIRE(world.change_accounts(change).ok());
  const JobId large = world.submit({.cpus = 4});  // main is full
  world.settle();
  const JobRequest either{.placement = {.partitions = {"main", "gpu"}}};
  const JobId first = world.submit(either);
  const JobId second = world.submit(either);
  world.settle();
  REQUIRE(world.record(first).partition == "gpu");
  REQUIRE(world.record(first).association !=
          find_association(*world.core.state.accounts, "a", "walter", "main")->id);
  REQUIRE(world.state_of(second) == JobState::pending);
  REQUIRE(wait_of(world, second).reason == Reason::Resources);  // in main; gpu is shut to it
  world.restart_controller();
  world.exit(large);
  world.settle();
  REQUIRE(world.record(second).partition == "main");
}

TEST_CASE("a limit of one partition of the list keeps nobody out of the others") {
  ClusterConfig config = enforcing_config(2);
  config.partitions[0].access.qos = "few";
  config.partitions.push_back({.name = "open", .nodes = {"n1", "n2"}});
  World world = World::with_config(config);
  ChangeAccounts change = two_accounts();
  change.qos.push_back({.id = {}, .name = "few"});
  change.qos[0].limits.grp_tres = {{"cpu", 1}};
  REQUIRE(world.change_accounts(change).ok());
  const JobRequest either{.placement = {.partitions = {"main", "open"}}};
  const JobId first = world.submit(either);
  const JobId second = world.submit(either);
  const JobId there = world.submit({});
  world.settle();
  REQUIRE(world.record(first).partition == "main");
  REQUIRE(world.record(second).partition == "open");
  REQUIRE(wait_of(world, there).reason_limit == "QOSGrpCpuLimit");
  world.exit(first);
  world.settle();
  REQUIRE(world.state_of(there) == JobState::running);
}

TEST_CASE("what is submitted is counted in each partition of the list, and when it changes") {
  ClusterConfig config = enforcing_config(1);
  config.partitions[0].access.qos = "two";
  config.partitions.push_back({.name = "open", .nodes = {"n1"}});
  World world = World::with_config(config);
  ChangeAccounts change = two_accounts();
  change.qos.push_back({.id = {}, .name = "two"});
  change.qos[0].max_submit_jobs_per_user = 2;
  REQUIRE(world.change_accounts(change).ok());
  const JobRequest open{.placement = {.partitions = {"open"}}};
  const JobRequest either{.placement = {.partitions = {"open", "main"}}};
  const JobId first = world.submit(either);
  const JobId held = world.submit({.hold = true});
  REQUIRE(world.submit_refused({}).detail.starts_with("QOSMaxSubmitJobPerUserLimit"));
  REQUIRE(world.submit_refused(either).code == ErrorCode::policy_violated);
  world.settle();
  REQUIRE(world.record(first).partition == "open");  // it counts there alone from now on
  const JobId last = world.submit({.hold = true});
  const JobId other = world.submit(open);
  UpdateJobs move{.filter = {.jobs = {{other, {}}}}, .members = {"placement.partitions"}};
  move.spec.placement.partitions = {"main"};
  world.settle();
  world.exit(other);
  world.settle();
  const JobId waiting = world.submit({.hold = true, .placement = {.partitions = {"open"}}});
  move.filter.jobs = {{waiting, {}}};
  REQUIRE(world.update(move).answers.front().error == ErrorCode::policy_violated);
  world.cancel({.jobs = {{last, {}}}});
  REQUIRE_FALSE(world.update(move).answers.front().error);
  UpdateJobs again{.filter = {.jobs = {{held, {}}}}, .action = JobAction::release};
  world.update(again);
  world.settle();
  world.exit(held);
  world.settle();
  world.submit({.hold = true});
  again.action = JobAction::requeue;
  REQUIRE(world.update(again).answers.front().error == ErrorCode::policy_violated);
}

TEST_CASE("runs from before there were accounts count once there are") {
  World world = World::with_config(enforcing_config(1));
  ClusterConfig config = story_config(1);
  world.configure(config);
  const JobId early = world.submit({.cpus = 2});
  world.settle();
  ChangeAccounts change = two_accounts();
  change.associations.back().limits.grp_tres = {{"cpu", 3}};
  REQUIRE(world.change_accounts(change).ok());
  world.configure(enforcing_config(1));
  REQUIRE(world.record(early).association == live_row(world, "a", "walter").id);
  REQUIRE(world.core.state.spec(early).account == "a");
  const JobId late = world.submit({.cpus = 2});
  world.settle();
  REQUIRE(wait_of(world, late).reason_limit == "AssocGrpCpuLimit");
  world.restart_controller();
}

TEST_CASE("names of accounts and QOS are found in any case of letters") {
  World world = enforcing_world();
  const JobId job = world.submit({.account = "A", .qos = "Normal"});
  REQUIRE(world.core.state.spec(job).account == "a");
  REQUIRE(world.core.state.spec(job).qos == "normal");
}

TEST_CASE("a partition whose QOS does not exist lets nobody start, and a QOS it names stays") {
  ClusterConfig config = enforcing_config(1);
  config.partitions[0].access.qos = "night";
  World world = World::with_config(config);
  REQUIRE(world.change_accounts(two_accounts()).ok());
  const JobId job = world.submit({});
  world.settle();
  REQUIRE(world.record(job).reason == Reason::InvalidQOS);
  ChangeAccounts night;
  night.qos.push_back({.id = {}, .name = "night"});
  REQUIRE(world.change_accounts(night).ok());
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  night.qos[0] = *find_qos(*world.core.state.accounts, "night");
  night.qos[0].deleted = true;
  REQUIRE(world.change_accounts(night).error().detail == "QOS night is the QoS= of partition main");
}

TEST_CASE("a limit that nothing enforces is taken from nobody") {
  World world = enforcing_world();
  ChangeAccounts change;
  change.associations = {live_row(world, "a", "walter")};
  change.associations[0].limits.grp_wall_min = 5;
  REQUIRE(world.change_accounts(change).error().code == ErrorCode::not_supported);
  change.associations = {live_row(world, "a", "walter")};
  change.associations[0].limits.grp_tres = {{"billing", 5}};
  REQUIRE(world.change_accounts(change).error().code == ErrorCode::not_supported);
}
