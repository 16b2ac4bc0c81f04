// allocation.cpp: what each node has given out, as the planner sees it.
#include <algorithm>

#include "daemon/core/state.h"
#include "daemon/sched/fit.h"

namespace sluice {
namespace {

Availability availability_of(const NodeRecord& record) {
  switch (record.state) {
    case NodeState::unknown: return Availability::unknown;
    case NodeState::lost: return Availability::lost;
    case NodeState::down: return Availability::down;
    case NodeState::up: break;
  }
  return record.drain ? Availability::drained : Availability::available;
}

}  // namespace

void State::refresh_node_view(NodeId id) {
  const NodeRecord& record = nodes.find(id.value)->record;
  NodeView& view = node_views.edit(id.value);
  view.shape = record.shape;
  view.features = record.features;
  view.weight = record.weight;
  view.availability = availability_of(record);
  plan_wanted = true;
  ++version;
}

void State::hold_allocation(const JobRecord& record, const Allocation& allocation) {
  for (const NodeShare& share : allocation.shares) {
    NodeView& view = node_views.edit(node_id(share.node).value);
    view.cpus_used += share.cpus;
    view.mem_used_mb += share.mem_mb;
    add_gres(view.gres_used, share.gres);
    ++view.jobs;
    view.exclusive = view.exclusive || allocation.exclusive;
    if (record.demand.exclusive_uid) view.exclusive_uid = record.demand.exclusive_uid;
    runs_on_node[share.node].insert(record.id);
  }
  ++version;
}

void State::free_share(const JobRecord& record, const NodeShare& share) {
  std::set<JobId>& here = runs_on_node[share.node];
  if (here.erase(record.id) == 0) return;  // freed before: the part ended earlier than the run
  NodeView& view = node_views.edit(node_id(share.node).value);
  ASSERT(view.cpus_used >= share.cpus && view.mem_used_mb >= share.mem_mb && view.jobs > 0);
  view.cpus_used -= share.cpus;
  view.mem_used_mb -= share.mem_mb;
  subtract_gres(view.gres_used, share.gres);
  --view.jobs;
  if (view.jobs == 0) {
    view.exclusive = false;
    view.exclusive_uid.reset();
  }
  plan_wanted = true;
  ++version;
}

bool State::has_licenses(const Demand& demand) const {
  return std::all_of(demand.licenses.begin(), demand.licenses.end(), [&](const auto& want) {
    const std::uint64_t used = count_of(licenses_used, want.name);
    return used + want.count <= count_of(config->licenses, want.name);
  });
}

void State::hold_licenses(const JobRecord& record) {
  add_licenses(licenses_used, record.demand.licenses);
  if (!record.demand.licenses.empty()) ++version;
}

void State::free_licenses(const JobRecord& record) {
  subtract_licenses(licenses_used, record.demand.licenses);
  if (record.demand.licenses.empty()) return;
  plan_wanted = true;
  ++version;
}

}  // namespace sluice
