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

// A job that one of its partitions could not start.
struct Refusal {
  const JobShape* shape = nullptr;
  Reason reason = Reason::Resources;
  std::string detail;
  std::vector<FilterCount> ruled_out;
};

// "2 nodes and 8 tasks": what the nodes have to hold together.
std::string size_of(const JobShape& shape) {
  const Demand& demand = shape.demand;
  std::string text = fmt::format("{} nodes and {} tasks", demand.nodes_min, demand.ntasks);
  for (const GresCount& kind : demand.gpus)
    text += fmt::format(" and {} of {}{}{}", kind.count, kind.name, kind.type.empty() ? "" : ":",
                        kind.type);
  const bool is_met_together = demand.features.size() > 1 ||
                               (!demand.features.empty() && !demand.features[0].counts.empty());
  if (is_met_together)
    text += " that meet " + shown_constraint(shape.placement.constraint) + " together";
  return text;
}

Refusal refuse_for_nodes(const JobShape& shape, const PartitionView& partition, const Fit& fit) {
  Refusal refusal{.shape = &shape, .detail = {}, .ruled_out = fit.ruled_out};
  std::uint32_t gone = 0;
  for (const FilterCount& row : fit.ruled_out)
    if (row.filter.rfind("not available", 0) == 0) gone = row.nodes;
  // When the job named nodes that are away, or nothing is up at all, no end of a job will help.
  const bool all_gone = gone == partition.nodes.size();
  if (all_gone || (gone > 0 && !shape.placement.nodelist.empty()))
    refusal.reason = Reason::ReqNodeNotAvail;
  refusal.detail = describe(fit.ruled_out, partition.nodes.size());
  // With nodes that the job names it matters only which of these are not there.
  const bool any_will_do = fit.usable > 0 && shape.placement.nodelist.empty();
  if (any_will_do || refusal.detail.empty())
    refusal.detail += fmt::format("{}{} nodes can take tasks, not enough for {}",
                                  refusal.detail.empty() ? "" : "; ", fit.usable, size_of(shape));
  return refusal;
}

// The licences that are short, with numbers; empty: all are there.
std::string licenses_short(const View& view, const std::vector<LicenseCount>& used,
                           const Demand& demand) {
  std::string text;
  for (const LicenseCount& want : demand.licenses) {
    const std::uint32_t total = count_of(view.licenses, want.name);
    const std::uint32_t taken = count_of(used, want.name);
    const std::uint32_t free = total > taken ? total - taken : 0;
    if (want.count > free)
      text += fmt::format("{}licence {}: {} asked, {} of {} free", text.empty() ? "" : "; ",
                          want.name, want.count, free, total);
  }
  return text;
}

// One pass over the queue: what it has given out so far, and what it decided.
class Pass {
 public:
  explicit Pass(const View& view)
      : view_(view), use_(view.nodes), licenses_used_(view.licenses_used) {
    plan.view_version = view.version;
  }

  // By the first of its shapes that fits; else the class waits.
  bool place(const ClassView& of, JobId job) {
    std::vector<Refusal> refusals;
    for (const JobShape& shape : *of.shapes) {
      const PartitionView* partition = find_partition(view_, shape.partition);
      if (!partition || !partition->up) {
        refusals.push_back({&shape,
                            Reason::PartitionDown,
                            fmt::format("partition {} is not up", shape.partition),
                            {}});
        continue;
      }
      Fit fit = find_nodes(shape, *partition, use_);
      const std::string short_of = licenses_short(view_, licenses_used_, shape.demand);
      if (fit.ok() && short_of.empty()) {
        take(shape, job, std::move(fit));
        return true;
      }
      Refusal refusal = fit.ok() ? Refusal{.shape = &shape, .detail = {}, .ruled_out = {}}
                                 : refuse_for_nodes(shape, *partition, fit);
      if (!short_of.empty()) {
        refusal.reason = Reason::Licenses;
        refusal.detail = short_of + (refusal.detail.empty() ? "" : "; " + refusal.detail);
      }
      refusals.push_back(std::move(refusal));
    }
    plan.waits.push_back(make_wait(of, job, std::move(refusals)));
    return false;
  }

  Plan plan;

 private:
  void take(const JobShape& shape, JobId job, Fit fit) {
    for (std::size_t i = 0; i < fit.shares.size(); ++i)
      use_.take(fit.nodes[i], fit.shares[i], shape.demand);
    add_licenses(licenses_used_, shape.demand.licenses);
    plan.placements.push_back(
        {job, shape.partition, std::move(fit.shares), shape.demand.exclusive});
  }

  // Of a list of partitions each says its own; the reason is that of the one that is nearest.
  ClassWait make_wait(const ClassView& of, JobId job, std::vector<Refusal> refusals) {
    ClassWait wait{.class_id = of.class_id,
                   .reason = refusals.front().reason,
                   .detail = {},
                   .head = job,
                   .ruled_out = {}};
    for (Refusal& refusal : refusals) {
      const std::string prefix =
          refusals.size() == 1 ? "" : fmt::format("partition {}: ", refusal.shape->partition);
      wait.detail += (wait.detail.empty() ? "" : "; ") + prefix + refusal.detail;
      for (FilterCount& row : refusal.ruled_out)
        wait.ruled_out.push_back({prefix + row.filter, row.nodes});
      if (refusal.reason != Reason::Resources) continue;
      wait.reason = Reason::Resources;
      if (!std::exchange(partition_waits_[refusal.shape->partition], true))
        wait.first_of_partition = true;
    }
    return wait;
  }

  const View& view_;
  NodeUse use_;
  std::vector<LicenseCount> licenses_used_;
  std::map<std::string, bool> partition_waits_;
};

}  // namespace

Plan make_plan(const View& view, std::uint32_t placements_max) {
  Pass pass(view);
  Race race;
  for (std::size_t i = 0; i < view.classes.size(); ++i) enter(race, view, i, 0);
  while (!race.empty()) {
    if (pass.plan.placements.size() >= placements_max) {
      pass.plan.cut = true;
      break;
    }
    Runner runner = race.top();
    race.pop();
    const ClassView& of = view.classes[runner.class_index];
    if (!pass.place(of, runner.id)) continue;
    if (--runner.copies_left > 0) race.push(runner);
    else if (runner.head_index + 1 < of.heads.size())
      enter(race, view, runner.class_index, runner.head_index + 1);
    else pass.plan.cut = pass.plan.cut || of.cut;
  }
  return std::move(pass.plan);
}

}  // namespace sluice
