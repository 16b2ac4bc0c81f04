// finder.cpp: see finder.h.
#include "daemon/sched/finder.h"

#include <algorithm>

namespace sluice {

bool Finder::is_for(const JobShape& shape) {
  const Demand& demand = shape.demand;
  return demand.nodes_max <= 1 && shape.placement.nodelist.empty() && demand.gpus.empty() &&
         demand.licenses.empty() &&
         std::all_of(demand.features.begin(), demand.features.end(),
                     [](const FeatureChoice& choice) { return choice.counts.empty(); });
}

Finder::Finder(const Timeline& timeline, const JobShape& shape, const PartitionView& partition)
    : timeline_(timeline),
      test_(shape),
      partition_(partition),
      length_(length_of(shape.time_limit)),
      order_(timeline.order_of(partition)),
      cancelled_seen_(timeline.cancelled().size()) {
  for (std::size_t i = 0; i < partition.nodes.size(); ++i)
    if (has_room_now(partition.nodes[i])) look_at(i, timeline.now());
}

// By what is held, without what is booked.
bool Finder::has_room_now(NodeId id) const {
  const NodeRoom& row = timeline_.row_of(id);
  const NodeTest::OfKind* kind = test_.known_kind(row.kind);
  if (!kind) kind = &test_.of_kind(timeline_.view_of(id), row.kind);
  return !kind->refusal && row.cpus_free >= kind->of_tasks_min.cpus &&
         row.mem_free_mb >= kind->of_tasks_min.mem_mb;
}

void Finder::look_at(std::size_t position, WallTime from) {
  if (const auto ready = timeline_.ready(partition_.nodes[position], test_, from, length_))
    entries_.push({*ready, position});
}

void Finder::look_at_cancelled() {
  const std::vector<NodeId>& cancelled = timeline_.cancelled();
  if (cancelled_seen_ < cancelled.size() && positions_.empty())
    for (std::size_t i = 0; i < partition_.nodes.size(); ++i) {
      const std::size_t id = partition_.nodes[i].value;
      if (id >= positions_.size()) positions_.resize(id + 1, 0);
      positions_[id] = i + 1;
    }
  for (; cancelled_seen_ < cancelled.size(); ++cancelled_seen_) {
    const std::size_t id = cancelled[cancelled_seen_].value;
    if (id < positions_.size() && positions_[id] > 0) look_at(positions_[id] - 1, timeline_.now());
  }
}

std::optional<Slot> Finder::earliest() {
  look_at_cancelled();
  while (true) {
    while (next_ < order_.size() && (entries_.empty() || order_[next_] < entries_.top())) {
      const NodeReturn& next = order_[next_++];
      if (!has_room_now(partition_.nodes[next.position])) look_at(next.position, next.at);
    }
    if (entries_.empty()) return std::nullopt;
    const Entry entry = entries_.top();
    const NodeId node = partition_.nodes[entry.position];
    const auto ready = timeline_.ready(node, test_, entry.at, length_);
    if (ready == entry.at) {
      const PartitionView alone{.name = partition_.name, .nodes = {node}};
      Fit fit = timeline_.fit_at(test_, alone, span_of(*ready, length_));
      // What is ready fits (a property test says so); were it not so, the others must still be
      // planned.
      if (fit.ok()) return Slot{*ready, std::move(fit)};
    }
    entries_.pop();
    if (ready && *ready > entry.at) entries_.push({*ready, entry.position});
  }
}

}  // namespace sluice
