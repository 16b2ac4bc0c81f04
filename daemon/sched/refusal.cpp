// refusal.cpp: see refusal.h.
#include "daemon/sched/refusal.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice {
namespace {

std::string describe(const std::vector<FilterCount>& ruled_out, std::size_t nodes) {
  std::string text;
  for (const FilterCount& row : ruled_out)
    text +=
        fmt::format("{}{} of {} nodes: {}", text.empty() ? "" : "; ", row.nodes, nodes, row.filter);
  return text;
}

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

}  // namespace

Refusal refuse_for_nodes(const JobShape& shape, const PartitionView& partition, const Fit& fit) {
  Refusal refusal{.shape = &shape, .detail = {}, .ruled_out = fit.ruled_out};
  std::uint32_t gone = 0;
  for (const FilterCount& row : fit.ruled_out)
    if (row.filter.rfind("not available", 0) == 0) gone = row.nodes;
  // When the job named nodes that are away, or nothing is up at all, no end of a job will help.
  const bool all_gone = gone == partition.nodes.size();
  if (all_gone || (gone > 0 && !shape.placement.nodelist.empty()))
    refusal.reason = Reason::ReqNodeNotAvail;
  if (fit.reserved > 0 && fit.usable + fit.reserved >= std::max(1U, shape.demand.nodes_min)) {
    refusal.reason = Reason::ReqNodeNotAvail;
    refusal.reservation = fit.reserved_by;
  }
  refusal.detail = describe(fit.ruled_out, partition.nodes.size());
  if (!fit.opens_later.empty()) {
    refusal.reason = Reason::Reservation;
    refusal.detail = fit.ruled_out.front().filter;
    return refusal;
  }
  // With nodes that the job names it matters only which of these are not there.
  const bool any_will_do = fit.usable > 0 && shape.placement.nodelist.empty();
  if (any_will_do || refusal.detail.empty())
    refusal.detail += fmt::format("{}{} nodes can take tasks, not enough for {}",
                                  refusal.detail.empty() ? "" : "; ", fit.usable, size_of(shape));
  return refusal;
}

ClassWait make_wait(const ClassView& of, JobId job, const std::vector<Refusal>& refusals) {
  ClassWait wait{.class_id = of.class_id,
                 .reason = refusals.front().reason,
                 .detail = {},
                 .head = job,
                 .ruled_out = {},
                 .reservation = {}};
  for (const Refusal& refusal : refusals) {
    const std::string prefix =
        refusals.size() == 1 ? "" : fmt::format("partition {}: ", refusal.shape->partition);
    wait.detail += (wait.detail.empty() ? "" : "; ") + prefix + refusal.detail;
    for (const FilterCount& row : refusal.ruled_out)
      wait.ruled_out.push_back({prefix + row.filter, row.nodes});
    if (refusal.reason == Reason::Resources) wait.reason = Reason::Resources;
    if (wait.reservation.empty()) wait.reservation = refusal.reservation;
  }
  return wait;
}

}  // namespace sluice
