// plan_promise_test.cpp: what was promised, where the pass has no turn for whom it was promised to.
#include <catch2/catch.hpp>

#include "daemon/sched/plan.h"

using namespace sluice;
using std::chrono::minutes;

namespace {

const WallTime start{minutes{1000}};

JobShape shape_on(const char* node, std::uint32_t cpus, std::uint32_t limit_min) {
  JobShape shape{.partition = "main", .time_limit = TimeLimit{.minutes = limit_min}};
  shape.demand.cpus_per_task = cpus;
  if (*node) shape.placement.nodelist = {node};
  return shape;
}

void add_node(View& view, std::uint32_t id, const std::string& name, std::uint32_t cpus_used,
              minutes until) {
  NodeView node{.name = name, .availability = Availability::available, .cpus_used = cpus_used};
  node.shape.cpus = 4;
  node.shape.mem_mb = 4000;
  node.jobs = 1;
  view.nodes.put(id, node);
  view.holds.put(id, NodeHolds{{.job = JobId{90 + id}, .until = start + until, .cpus = cpus_used}});
}

void add_class(View& view, const JobShape& shape, std::vector<PendingJob> heads) {
  view.classes.push_back({.class_id = static_cast<std::uint32_t>(view.classes.size() + 1),
                          .shapes = std::make_shared<const JobShapes>(JobShapes{shape}),
                          .heads = std::move(heads)});
}

}  // namespace

// One planned start more than the site wants is not made: so the class of `before` is left without
// its turn, and with it `promised`, which is behind it in the class.
TEST_CASE("a promise binds also when no turn comes to the job that has it", "[plan]") {
  View view{.now = start};
  view.rules.backfill = Backfill::guarantee;
  view.rules.planned_max = 1;
  add_node(view, 1, "n1", 2, minutes{60});
  add_node(view, 2, "n2", 4, minutes{30});
  view.partitions = std::make_shared<const std::vector<PartitionView>>(
      std::vector<PartitionView>{{.name = "main", .nodes = {NodeId{1}, NodeId{2}}}});
  const JobId first{1}, before{2}, promised{3}, last{4};
  add_class(view, shape_on("n2", 4, 10), {{first, 40, 1, start}});
  add_class(view, shape_on("n1", 4, 60), {{before, 30, 1, start}, {promised, 20, 1, start}});
  add_class(view, shape_on("n1", 2, 120), {{last, 10, 1, start}});
  const Promise promise{.job = promised,
                        .partition = "main",
                        .start = start + minutes{60},
                        .nodes = {NodeId{1}},
                        .shares = {{.node = "n1", .cpus = 4, .mem_mb = 0}}};
  view.promises = std::make_shared<const Promises>(Promises{promise});
  const Plan plan = make_plan(view);
  REQUIRE(plan.placements.empty());
  REQUIRE(plan.promises.size() == 2);
  REQUIRE(plan.promises[0].job == first);
  REQUIRE(plan.promises[1] == promise);
}

TEST_CASE("a quick plan takes no node from who waits in another partition", "[plan]") {
  View view{.now = start};
  add_node(view, 1, "n1", 2, minutes{60});
  add_node(view, 2, "n2", 2, minutes{60});
  view.partitions = std::make_shared<const std::vector<PartitionView>>(
      std::vector<PartitionView>{{.name = "main", .nodes = {NodeId{1}}, .pool = 1},
                                 {.name = "beside", .nodes = {NodeId{1}}, .pool = 1},
                                 {.name = "apart", .nodes = {NodeId{2}}, .pool = 3}});
  const auto small_in = [](const char* partition) {
    JobShape shape = shape_on("", 2, 120);
    shape.partition = partition;
    return shape;
  };
  add_class(view, shape_on("", 4, 10), {{JobId{1}, 40, 1, start}});
  add_class(view, small_in("beside"), {{JobId{2}, 30, 1, start}});
  add_class(view, small_in("apart"), {{JobId{3}, 20, 1, start}});
  const Plan quick = make_quick_plan(view);
  REQUIRE(quick.placements.size() == 1);
  REQUIRE(quick.placements[0].job == JobId{3});
  JobShape licensed = shape_on("", 4, 10);
  licensed.demand.licenses = {{"matlab", 1}};
  view.licenses = {{"matlab", 1}};
  view.classes.clear();
  add_class(view, licensed, {{JobId{1}, 40, 1, start}});
  add_class(view, small_in("apart"), {{JobId{3}, 20, 1, start}});
  REQUIRE(make_quick_plan(view).placements.empty());
}
