// plan.cpp: order and first fit. Pure. Reservations and backfill come into this place.
#include "daemon/sched/plan.h"

#include <algorithm>
#include <map>
#include <queue>

#include <fmt/format.h>

#include "daemon/sched/fit.h"

namespace sluice {
namespace {

// The next job of a class in the race for nodes.
struct Runner {
  std::size_t class_index;
  std::size_t head_index;
  std::uint32_t copies_left;
  std::uint64_t priority;
  JobId id;
};

struct GoesLater {
  bool operator()(const Runner& a, const Runner& b) const {
    if (a.priority != b.priority) return a.priority < b.priority;
    return a.id > b.id;
  }
};
using Race = std::priority_queue<Runner, std::vector<Runner>, GoesLater>;

void enter(Race& race, const View& view, std::size_t class_index, std::size_t head_index) {
  const PendingJob& job = view.classes[class_index].heads[head_index];
  race.push({class_index, head_index, job.copies, job.priority, job.id});
}

const PartitionView* find_partition(const View& view, const std::string& name) {
  for (const PartitionView& partition : *view.partitions)
    if (partition.name == name) return &partition;
  return nullptr;
}

std::string describe(const std::vector<FilterCount>& ruled_out, std::size_t nodes) {
  std::string text;
  for (const FilterCount& row : ruled_out)
    text += fmt::format("{}{} of {} nodes: {}", text.empty() ? "" : "; ", row.nodes, nodes,
                        row.filter);
  return text;
}

ClassWait wait_for_nodes(const ClassView& of, const PartitionView& partition, const Fit& fit,
                         JobId head) {
  ClassWait wait{.class_id = of.class_id, .head = head, .ruled_out = fit.ruled_out};
  std::uint32_t gone = 0;
  for (const FilterCount& row : fit.ruled_out)
    if (row.filter.rfind("not available", 0) == 0) gone = row.nodes;
  // When the job named nodes that are away, or nothing is up at all, no end of a job will help.
  const bool all_gone = gone == partition.nodes.size();
  if (all_gone || (gone > 0 && !of.shape->placement.nodelist.empty()))
    wait.reason = Reason::ReqNodeNotAvail;
  wait.detail = describe(fit.ruled_out, partition.nodes.size());
  if (wait.detail.empty())
    wait.detail = fmt::format("{} nodes can take tasks, not enough for {} nodes and {} tasks",
                              fit.usable, of.shape->demand.nodes_min, of.shape->demand.ntasks);
  return wait;
}

}  // namespace

Plan make_plan(const View& view, std::uint32_t placements_max) {
  Plan plan{.view_version = view.version};
  NodeUse use(view.nodes);
  Race race;
  for (std::size_t i = 0; i < view.classes.size(); ++i) enter(race, view, i, 0);
  std::map<std::string, bool> partition_waits;

  while (!race.empty()) {
    if (plan.placements.size() >= placements_max) {
      plan.cut = true;
      break;
    }
    Runner runner = race.top();
    race.pop();
    const ClassView& of = view.classes[runner.class_index];
    const PartitionView* partition = find_partition(view, of.shape->partition);
    if (!partition || !partition->up) {
      plan.waits.push_back({.class_id = of.class_id, .reason = Reason::PartitionDown,
                            .detail = fmt::format("partition {} is not up", of.shape->partition),
                            .head = runner.id, .ruled_out = {}});
      continue;
    }
    Fit fit = find_nodes(*of.shape, *partition, use);
    if (!fit.ok()) {
      ClassWait wait = wait_for_nodes(of, *partition, fit, runner.id);
      wait.first_of_partition = !std::exchange(partition_waits[partition->name], true);
      plan.waits.push_back(std::move(wait));
      continue;
    }
    for (std::size_t i = 0; i < fit.shares.size(); ++i)
      use.take(fit.nodes[i], fit.shares[i], of.shape->demand.exclusive);
    plan.placements.push_back({runner.id, std::move(fit.shares), of.shape->demand.exclusive});
    if (--runner.copies_left > 0) race.push(runner);
    else if (runner.head_index + 1 < of.heads.size())
      enter(race, view, runner.class_index, runner.head_index + 1);
    else plan.cut = plan.cut || of.cut;
  }
  return plan;
}

}  // namespace sluice
