// plan_pass.cpp: what one pass of the planner costs, by nodes, classes and jobs that wait: the first
// one, one that keeps what was promised, and a quick one. Prints milliseconds; judges nothing.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "daemon/sched/plan.h"

namespace {

using namespace sluice;

struct Size {
  std::uint32_t nodes;
  std::uint32_t classes;
  std::uint32_t heads;  // of a class
};

// Every node is full, by runs that end one after the other; a tenth of the classes want two nodes.
View make_view(const Size& size) {
  View view;
  view.now = WallTime{std::chrono::hours{1000}};
  PartitionView partition{.name = "main"};
  for (std::uint32_t id = 1; id <= size.nodes; ++id) {
    NodeView node;
    node.name = fmt::format("n{}", id);
    node.shape.cpus = 64;
    node.shape.mem_mb = 256'000;
    node.availability = Availability::available;
    node.cpus_used = 64;
    node.jobs = 4;
    NodeHolds holds;
    for (std::uint32_t i = 0; i < 4; ++i)
      holds.push_back({.job = JobId{id},
                       .until = view.now + std::chrono::minutes{1 + (id * 7 + i * 90) % 600},
                       .cpus = 16});
    std::sort(holds.begin(), holds.end(),
              [](const NodeHold& a, const NodeHold& b) { return a.until < b.until; });
    view.nodes.put(id, node);
    view.holds.put(id, holds);
    partition.nodes.push_back(NodeId{id});
  }
  view.partitions = std::make_shared<const std::vector<PartitionView>>(1, partition);
  for (std::uint32_t i = 0; i < size.classes; ++i) {
    JobShape shape;
    shape.partition = "main";
    shape.demand.cpus_per_task = 1 + i % 32;
    shape.demand.mem_per_node_mb = 100 + i;
    shape.demand.nodes_min = shape.demand.nodes_max = shape.demand.ntasks = i % 10 == 9 ? 2 : 1;
    shape.time_limit = TimeLimit{.minutes = 10 + i % 200};
    ClassView of{.class_id = i + 1, .shapes = std::make_shared<const JobShapes>(1, shape), .heads = {}};
    std::vector<PendingJob> heads;
    for (std::uint32_t head = 0; head < size.heads; ++head)  // in turn with the other classes
      heads.push_back({JobId{1 + i + head * size.classes}, 1000, 1, view.now});
    of.heads = SharedList<PendingJob>(std::move(heads));
    view.classes.push_back(std::move(of));
  }
  return view;
}

template <class Make>
double milliseconds(Make&& make) {
  const auto from = std::chrono::steady_clock::now();
  make();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace

int main() {
  fmt::print("{:>7} {:>8} {:>8} {:>12} {:>12} {:>10}\n", "nodes", "classes", "jobs", "first ms",
             "kept ms", "quick ms");
  for (const Size& size : {Size{2, 1, 1000}, Size{100, 10, 100}, Size{1000, 1, 1000},
                           Size{1000, 100, 10}, Size{10'000, 1, 1000}, Size{10'000, 100, 100},
                           Size{10'000, 1000, 100}}) {
    View view = make_view(size);
    Plan plan;
    const double first = milliseconds([&] { plan = make_plan(view); });
    view.promises = std::make_shared<const Promises>(plan.promises);
    const double kept = milliseconds([&] { plan = make_plan(view); });
    const double quick = milliseconds([&] { plan = make_quick_plan(view); });
    fmt::print("{:>7} {:>8} {:>8} {:>12.1f} {:>12.1f} {:>10.2f}\n", size.nodes, size.classes,
               size.classes * size.heads, first, kept, quick);
  }
  return 0;
}
