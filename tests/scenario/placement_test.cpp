// placement_test.cpp: stories of the options that decide where a job fits, and whether.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "daemon/core/listing.h"
#include "tests/scenario/world.h"

using namespace sluice;

namespace {

// Two nodes each of "main" and "gpu"; the first of a pair has the feature "fast".
ClusterConfig two_partitions() {
  ClusterConfig config = story_config(4);
  config.partitions[0].nodes = {"n1", "n2"};
  config.partitions.push_back({.name = "gpu", .nodes = {"n3", "n4"}});
  for (std::size_t i = 0; i < 4; ++i) {
    config.nodes[i].features = {i % 2 == 0 ? "fast" : "slow", i < 2 ? "rack1" : "rack2"};
    config.nodes[i].shape.tmp_disk_mb = 1000 * (i + 1);
    if (i >= 2) config.nodes[i].shape.gres = {{"gpu", "a100", 4}};
  }
  return config;
}

// All four nodes in one partition.
ClusterConfig one_partition() {
  ClusterConfig config = two_partitions();
  config.partitions.pop_back();
  config.partitions[0].nodes = {"n1", "n2", "n3", "n4"};
  return config;
}

JobRequest with_constraint(std::string constraint, std::uint32_t nodes = 1) {
  JobRequest request{.nodes = nodes};
  request.placement.constraint = std::move(constraint);
  return request;
}

JobRequest asking(ResourceRequest asked) {
  if (!asked.mem_per_gpu_mb) asked.mem_per_cpu_mb = 100;
  return {.asked = std::move(asked)};
}

std::vector<std::string> nodes_of(const World& world, JobId job) {
  std::vector<std::string> names;
  for (const NodeShare& share : world.record(job).allocation.shares) names.push_back(share.node);
  return names;
}

using Names = std::vector<std::string>;

const ClassWait& wait_of(const World& world, JobId job) {
  const ClassWait* wait = world.core.state.waits.find(world.core.state.find_job(job)->class_id);
  REQUIRE(wait != nullptr);
  return *wait;
}

}  // namespace

TEST_CASE("a job with several partitions starts in the first that can take it") {
  World world = World::with_config(two_partitions());
  const JobId filler = world.submit({.nodes = 2, .ntasks = 8});
  world.settle();
  REQUIRE(world.record(filler).partition == "main");
  JobRequest both{.cpus = 4};
  both.placement.partitions = {"main", "gpu"};
  const JobId job = world.submit(both);
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).partition == "gpu");
  REQUIRE(nodes_of(world, job) == Names{"n3"});
}

TEST_CASE("while it waits in several partitions it is shown, found and explained in each") {
  World world = World::with_config(two_partitions());
  JobRequest both{.nodes = 2, .ntasks = 8};
  both.placement.partitions = {"main", "gpu"};
  const JobId first = world.submit(both);
  const JobId second = world.submit(both);
  const JobId third = world.submit(both);
  world.settle();
  REQUIRE(world.record(first).partition == "main");
  REQUIRE(world.record(second).partition == "gpu");
  REQUIRE(shown_partition(world.record(third)) == "main,gpu");
  REQUIRE(wait_of(world, third).detail ==
          "partition main: 2 of 2 nodes: free cpus; partition gpu: 2 of 2 nodes: free cpus");
  REQUIRE(world.cancel({.partitions = {"gpu"}}).answers.size() == 2);  // the second and the third
}

TEST_CASE("a job that is requeued is considered in all of its partitions again") {
  World world = World::with_config(two_partitions());
  JobRequest both{.nodes = 2, .ntasks = 8};
  both.placement.partitions = {"main", "gpu"};
  const JobId first = world.submit(both);
  const JobId second = world.submit(both);
  world.settle();
  REQUIRE(world.record(second).partition == "gpu");
  world.exit(first);
  world.update({.filter = {.jobs = {{second, {}}}}, .action = JobAction::requeue}, 0, true);
  world.settle();
  REQUIRE(world.record(second).run.value == 1);
  REQUIRE(world.record(second).partition == "main");
}

TEST_CASE("a time limit changed by hand holds in whichever partition the job starts") {
  World world = World::with_config(two_partitions());
  world.submit({.nodes = 2, .ntasks = 8});
  JobRequest both{.hold = true, .time_limit_min = 15};
  both.placement.partitions = {"main", "gpu"};
  const JobId job = world.submit(both);
  world.update({.filter = {.jobs = {{job, {}}}}, .time_limit = TimeLimit{false, 5}});
  world.update({.filter = {.jobs = {{job, {}}}}, .action = JobAction::release});
  world.settle();
  REQUIRE(world.record(job).partition == "gpu");
  REQUIRE(world.record(job).time_limit == TimeLimit{false, 5});
}

TEST_CASE("every partition of a list must be able to take the job, or with the rule off, one") {
  ClusterConfig config = two_partitions();
  JobRequest both;
  both.placement.partitions = {"main", "gpu"};
  both.asked = ResourceRequest{.mem_per_cpu_mb = 100, .gres_per_node = {{"gpu", "", 1}}};
  REQUIRE(World::with_config(config).submit_refused(both).detail ==
          "no node of partition main has gpu (there are: none)");
  config.enforce_part_limits = false;
  World lenient = World::with_config(config);
  const JobId job = lenient.submit(both);
  lenient.settle();
  REQUIRE(lenient.record(job).partition == "gpu");
}

TEST_CASE("a bad name in a list of partitions is told") {
  World world = World::with_config(two_partitions());
  JobRequest request;
  request.placement.partitions = {"main", "gpus"};
  REQUIRE(world.submit_refused(request).detail == "gpus, did you mean gpu? (known: main, gpu)");
}

TEST_CASE("licences are held while a job runs; who lacks them waits with the numbers") {
  ClusterConfig config = story_config(2);
  config.licenses = {{"lica", 10}, {"licb", 1}};
  World world = World::with_config(config);
  const JobId first = world.submit(asking({.licenses = "lica:8"}));
  const JobId second = world.submit(asking({.licenses = "lica:8,licb"}));
  const JobId third = world.submit(asking({.licenses = "lica:2"}));
  world.settle();
  REQUIRE(world.state_of(first) == JobState::running);
  REQUIRE(world.state_of(third) == JobState::running);
  REQUIRE(wait_of(world, second).reason == Reason::Licenses);
  REQUIRE(wait_of(world, second).detail == "licence lica: 8 asked, 2 of 10 free");
  world.restart_controller();
  world.exit(first);
  world.settle();
  REQUIRE(world.state_of(second) == JobState::running);
  REQUIRE(world.core.state.licenses_used == std::vector<LicenseCount>{{"lica", 10}, {"licb", 1}});
}

TEST_CASE("licences the site does not have are refused with what it has") {
  ClusterConfig config = story_config(1);
  config.licenses = {{"lica", 10}};
  World world = World::with_config(config);
  REQUIRE(
      world.submit_refused(asking({.licenses = "none:1"})) ==
      Error{ErrorCode::invalid_license, "none is no licence of this site (there are: lica:10)"});
  REQUIRE(world.submit_refused(asking({.licenses = "lica:99"})).detail ==
          "lica: 99 asked, the site has 10");
}

TEST_CASE("a constraint picks the nodes that meet it") {
  World world = World::with_config(one_partition());
  const JobId both = world.submit(with_constraint("(fast|slow)&rack2", 2));
  const JobId slow = world.submit(with_constraint("slow"));
  world.settle();
  REQUIRE(nodes_of(world, both) == Names{"n3", "n4"});
  REQUIRE(nodes_of(world, slow) == Names{"n2"});
}

TEST_CASE("a bracket gives all nodes of a job the same choice") {
  World world = World::with_config(one_partition());
  const JobId filler = world.submit({.cpus = 4});  // n1
  const JobId racked = world.submit(with_constraint("[rack1|rack2]", 2));
  world.settle();
  REQUIRE(nodes_of(world, filler) == Names{"n1"});
  REQUIRE(nodes_of(world, racked) == Names{"n3", "n4"});
}

TEST_CASE("counted features are met among the nodes of the job") {
  World world = World::with_config(one_partition());
  const JobId mixed = world.submit(with_constraint("rack2*1&slow*1", 2));
  world.settle();
  REQUIRE(nodes_of(world, mixed) == Names{"n4", "n1"});  // n4 serves both counts
  JobRequest without_nodes = asking({});
  without_nodes.placement.constraint = "fast*2";
  const JobId counted = world.submit(without_nodes);
  world.settle();
  REQUIRE(nodes_of(world, counted) == Names{"n1", "n3"});
}

TEST_CASE("a constraint that no node could meet is refused with what there is") {
  World world = World::with_config(one_partition());
  REQUIRE(world.submit_refused(with_constraint("quick")).detail ==
          "no node of partition main meets quick (features there: fast, rack1, slow, rack2)");
  REQUIRE(world.submit_refused(with_constraint("fast*3", 3)).detail ==
          "partition main has 2 of 3 nodes that fast*3 asks for");
  REQUIRE(world.submit_refused(with_constraint("fast*2", 1)).detail ==
          "--constraint=fast*2 asks for 2 nodes, --nodes allows 1");
}

TEST_CASE("temporary disk and cpus of the node are demanded of each node") {
  World world = World::with_config(one_partition());
  const JobId roomy = world.submit(asking({.tmp_per_node_mb = 3500}));
  const JobId wide = world.submit(asking({.cpus_per_node_min = 3}));
  world.settle();
  REQUIRE(nodes_of(world, roomy) == Names{"n4"});
  REQUIRE(world.record(wide).allocation.shares.front().cpus == 3);
  REQUIRE(world.submit_refused(asking({.tmp_per_node_mb = 5000})).detail ==
          "tmp_mb=5000 on one node exceeds every node (largest: 4000)");
  REQUIRE(world.submit_refused(asking({.cpus_per_node_min = 9})).detail ==
          "cpus=9 on one node exceeds every node (largest: 4)");
}

TEST_CASE("GPUs of the whole job are dealt out over its nodes") {
  World world = World::with_config(one_partition());
  const JobId job =
      world.submit(asking({.nodes_min = 2, .nodes_max = 2, .gpus = {{"gpu", "", 6}}}));
  world.settle();
  const auto& shares = world.record(job).allocation.shares;
  REQUIRE(nodes_of(world, job) == Names{"n3", "n4"});
  REQUIRE(shares[0].gres == std::vector<GresCount>{{"gpu", "a100", 3}});
  REQUIRE(shares[1].gres == std::vector<GresCount>{{"gpu", "a100", 3}});
  const JobId waiting = world.submit(asking({.gpus = {{"gpu", "", 4}}}));
  world.settle();
  REQUIRE(world.state_of(waiting) == JobState::pending);
  REQUIRE(wait_of(world, waiting).reason == Reason::Resources);
  world.exit(job);
  REQUIRE(nodes_of(world, waiting) == Names{"n3"});
}

TEST_CASE("GPUs by task, and cpus and memory by GPU, are counted") {
  World world = World::with_config(one_partition());
  const JobId by_task = world.submit(asking({.ntasks = 3, .gpus_per_task = {{"gpu", "", 1}}}));
  const JobId by_gpu = world.submit(
      asking({.cpus_per_gpu = 2, .mem_per_gpu_mb = 512, .gpus = {{"gpu", "a100", 2}}}));
  world.settle();
  REQUIRE(world.record(by_task).allocation.shares.front().gres ==
          std::vector<GresCount>{{"gpu", "a100", 3}});
  const NodeShare& share = world.record(by_gpu).allocation.shares.front();
  REQUIRE(share.node == "n4");
  REQUIRE(share.cpus == 4);
  REQUIRE(share.mem_mb == 1024);
}

TEST_CASE("tasks by GPU give the tasks, or the GPUs") {
  World world = World::with_config(one_partition());
  const JobId tasks = world.submit(asking({.ntasks_per_gpu = 2, .gpus = {{"gpu", "", 2}}}));
  const JobId gpus = world.submit(asking({.ntasks = 4, .ntasks_per_gpu = 2}));
  world.settle();
  REQUIRE(world.record(tasks).allocation.shares.front().tasks == 4);
  REQUIRE(world.record(gpus).allocation.shares.front().gres ==
          std::vector<GresCount>{{"gpu", "a100", 2}});
}

TEST_CASE("GPU options that contradict each other are refused with both numbers") {
  World world = World::with_config(one_partition());
  const auto refusal = [&](ResourceRequest asked) {
    return world.submit_refused(asking(std::move(asked))).detail;
  };
  REQUIRE(refusal({.gres_per_node = {{"gpu", "", 3}}, .gpus = {{"gpu", "", 4}}}) ==
          "--gpus=4 is no multiple of --gpus-per-node=3");
  REQUIRE(refusal({.gres_per_node = {{"gpu", "", 4}}, .gpus = {{"gpu", "", 2}}}) ==
          "Failed to ensure --gpus >= --gres=gpu/--gpus-per-node >= --gpus-per-socket");
  REQUIRE(refusal({.ntasks = 3, .gpus = {{"gpu", "", 4}}, .gpus_per_task = {{"gpu", "", 1}}}) ==
          "--gpus=4 and --gpus-per-task=1 make 4 tasks, 3 are asked for");
  REQUIRE(refusal({.cpus_per_task = 2, .cpus_per_gpu = 1, .gpus = {{"gpu", "", 1}}}) ==
          "--cpus-per-gpu is mutually exclusive with --cpus-per-task");
  REQUIRE(refusal({.ntasks = 4, .ntasks_per_gpu = 0}) == "--ntasks-per-gpu=0: one at least");
  REQUIRE(refusal({.mem_per_gpu_mb = 100}) == "--mem-per-gpu needs a number of GPUs (--gpus)");
  REQUIRE(refusal({.nodes_min = 2, .nodes_max = 2, .gpus = {{"gpu", "", 1}}}) ==
          "--gpus=1 are fewer than one for each of 2 nodes");
  REQUIRE(refusal({.gres_per_node = {{"gpu", "nosuch", 1}}}) ==
          "no node of partition main has gpu:nosuch (there are: gpu:a100)");
  REQUIRE(refusal({.gres_per_node = {{"gpu", "", 5}}}) ==
          "gres gpu:5 on one node exceeds every node (largest: 4)");
}

TEST_CASE("GPUs by socket are so many on each node, of nodes with so many sockets") {
  ClusterConfig config = one_partition();
  config.nodes[3].shape.sockets = 2;
  config.nodes[3].shape.cores_per_socket = 2;
  World world = World::with_config(config);
  const std::vector<GresCount> one = {{"gpu", "", 1}};
  const JobId job = world.submit(asking({.sockets_per_node = 2, .gpus_per_socket = one}));
  world.settle();
  REQUIRE(nodes_of(world, job) == Names{"n4"});
  REQUIRE(world.record(job).allocation.shares.front().gres ==
          std::vector<GresCount>{{"gpu", "a100", 2}});
  const auto refusal = [&](ResourceRequest asked) {
    asked.gpus_per_socket = one;
    return world.submit_refused(asking(std::move(asked))).detail;
  };
  REQUIRE(refusal({}) == "--gpus-per-socket option requires --sockets-per-node specification");
  REQUIRE(refusal({.sockets_per_node = 2, .gpus = one}) ==
          "Failed to ensure --gpus >= --gres=gpu/--gpus-per-node >= --gpus-per-socket");
  REQUIRE(refusal({.sockets_per_node = 2, .gres_per_node = {{"gpu", "", 3}}}) ==
          "--gpus-per-socket=1 and --sockets-per-node=2 make 2 on a node, --gpus-per-node=3");
  REQUIRE(refusal({.sockets_per_node = 3}).find("1 of 4 nodes") != std::string::npos);
}

TEST_CASE("tasks are counted by sockets and cores where these are known") {
  ClusterConfig config = story_config(1, {.cpus = 8});
  REQUIRE(World::with_config(config)
              .submit_refused(asking({.ntasks = 2, .ntasks_per_socket = 1}))
              .detail.find("sockets and cores not known") != std::string::npos);
  config.nodes[0].shape.sockets = 2;
  config.nodes[0].shape.cores_per_socket = 2;
  config.nodes[0].shape.threads_per_core = 2;
  World world = World::with_config(config);
  REQUIRE(world.submit_refused(asking({.ntasks = 3, .ntasks_per_socket = 1})).code ==
          ErrorCode::never_fits);
  const JobId by_core = world.submit(asking({.ntasks = 3, .ntasks_per_core = 1}));
  const JobId by_socket = world.submit(asking({.ntasks = 2, .ntasks_per_socket = 1}));
  world.settle();
  REQUIRE(world.record(by_core).allocation.shares.front().cpus == 6);
  REQUIRE(world.record(by_socket).allocation.shares.front().cpus == 2);
}

TEST_CASE("a node held for one user lets in only jobs of the user that say the same") {
  World world = World::with_config(story_config(2));
  const ResourceRequest for_user{.mem_per_cpu_mb = 100, .sharing = Sharing::user};
  const JobId mine = world.submit({.uid = 1000, .asked = for_user});
  const JobId also_mine = world.submit({.uid = 1000, .asked = for_user});
  const JobId others = world.submit({.uid = 1001});
  const JobId third = world.submit({.uid = 1002, .asked = for_user});
  world.settle();
  REQUIRE(world.node_of(mine) == "n1");
  REQUIRE(world.node_of(also_mine) == "n1");
  REQUIRE(world.node_of(others) == "n2");
  REQUIRE(wait_of(world, third).detail == "2 of 2 nodes: held for one user, or used by others");
  world.restart_controller();
  world.exit(others);
  world.settle();
  REQUIRE(world.node_of(third) == "n2");
  world.exit(mine);
  world.exit(also_mine);
  const JobId late = world.submit({.uid = 1001});
  world.settle();
  REQUIRE(world.node_of(late) == "n1");
}

TEST_CASE("a least time limit above the limit is refused") {
  World world = World::with_nodes(1);
  JobRequest request{.time_limit_min = 5};
  request.time_min = TimeLimit{false, 10};
  REQUIRE(world.submit_refused(request) ==
          Error{ErrorCode::time_min_invalid, "--time-min=10 min exceeds the time limit 5 min"});
  request.time_limit_min = 10;
  world.submit(request);
}

TEST_CASE("who named a node that is away is told which, and why") {
  World world = World::with_nodes(2);
  world.update_node("n1", NodeAction::drain, "test");
  JobRequest request;
  request.placement.nodelist = {"n1"};
  const JobId job = world.submit(request);
  world.settle();
  REQUIRE(wait_of(world, job).reason == Reason::ReqNodeNotAvail);
  REQUIRE(wait_of(world, job).detail.ends_with("; n1 is drained: test"));
  request.placement.nodelist = {"n2"};
  world.update_node("n2", NodeAction::down, "fan");
  const JobId other = world.submit(request);
  world.settle();
  REQUIRE(wait_of(world, other).detail.find("; n2 is down since ") != std::string::npos);
  REQUIRE(wait_of(world, other).detail.ends_with("Z: fan"));
  REQUIRE(world.submit_refused({.placement = {.nodelist = {"n3"}}}).detail ==
          "node n3 is not in partition main (it has: n[1-2])");
}

TEST_CASE("partitions that have nodes in common, by others too, are one pool") {
  ClusterConfig config = story_config(5);
  config.partitions[0].nodes = {"n1", "n2"};
  config.partitions.push_back({.name = "b", .nodes = {"n3"}});
  config.partitions.push_back({.name = "c", .nodes = {"n4"}});
  config.partitions.push_back({.name = "both", .nodes = {"n2", "n3"}});
  const World world = World::with_config(config);
  const std::vector<PartitionView>& views = *world.core.state.partitions;
  REQUIRE(views[0].pool == views[1].pool);
  REQUIRE(views[0].pool == views[3].pool);
  REQUIRE(views[0].pool != views[2].pool);
}

TEST_CASE("priorities that change reach the plan, also of more jobs than one view sorts") {
  World world = World::with_nodes(1, {.cpus = 1, .mem_mb = 8000});
  const JobId running = world.submit({});
  world.settle();
  std::vector<JobId> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(world.submit({}));
  UpdateJobs raise{.filter = {.jobs = {{waiting[2], {}}}}, .action = JobAction::update};
  raise.priority = 4'294'500'000;
  REQUIRE_FALSE(world.update(raise, 0, true).answers.front().error);
  world.exit(running);
  world.settle();
  REQUIRE(world.state_of(waiting[2]) == JobState::running);
}
