// allocation.cpp: what each node has given out, as the planner sees it.
#include <algorithm>

#include "daemon/core/reservations.h"
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

WallTime expected_end(const State& state, const JobRecord& record, const Now& now) {
  const std::optional<Duration> length = length_of(record.time_limit);
  const WallTime by_limit =
      length ? record.times.started.value_or(now.wall) + *length : endless;
  return std::min(by_limit, end_of_reservation(state, record.reservation).value_or(endless));
}

void add_hold(NodeHolds& holds, NodeHold hold) {
  const auto at = std::upper_bound(
      holds.begin(), holds.end(), hold.until,
      [](WallTime until, const NodeHold& other) { return until < other.until; });
  holds.insert(at, std::move(hold));
}

NodeHold take_hold(NodeHolds& holds, JobId job) {
  const auto at = std::find_if(holds.begin(), holds.end(),
                               [&](const NodeHold& hold) { return hold.job == job; });
  ASSERT(at != holds.end());
  NodeHold taken = std::move(*at);
  holds.erase(at);
  return taken;
}

NodeHold make_hold(const State& state, const JobRecord& record, const NodeShare& share, bool exclusive,
                   const Now& now) {
  return {.job = record.id,
          .until = expected_end(state, record, now),
          .cpus = share.cpus,
          .mem_mb = share.mem_mb,
          .gres = share.gres,
          .exclusive = exclusive,
          .exclusive_uid = record.demand.exclusive_uid,
          .reservation = record.reservation};
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

void State::hold_allocation(const JobRecord& record, const Allocation& allocation,
                            const Now& now) {
  for (const NodeShare& share : allocation.shares) {
    const NodeId id = node_id(share.node);
    if (!holds.find(id.value)) holds.put(id.value, {});
    add_hold(holds.edit(id.value), make_hold(*this, record, share, allocation.exclusive, now));
    NodeView& view = node_views.edit(id.value);
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
  const NodeId id = node_id(share.node);
  take_hold(holds.edit(id.value), record.id);
  NodeView& view = node_views.edit(id.value);
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

void State::expect_end(const JobRecord& record, const Now& now) {
  const WallTime until = expected_end(*this, record, now);
  for (const NodeShare& share : record.allocation.shares) {
    const auto here = runs_on_node.find(share.node);
    if (here == runs_on_node.end() || !here->second.contains(record.id)) continue;  // given back
    NodeHolds& of_node = holds.edit(node_id(share.node).value);
    NodeHold hold = take_hold(of_node, record.id);
    hold.until = until;
    add_hold(of_node, std::move(hold));
  }
  if (auto held = license_holds.find(record.id); held != license_holds.end())
    held->second.until = until;
  ++version;
}

bool State::has_licenses(const Demand& demand) const {
  return std::all_of(demand.licenses.begin(), demand.licenses.end(), [&](const auto& want) {
    const std::uint64_t used = count_of(licenses_used, want.name);
    return used + want.count <= count_of(config->licenses, want.name);
  });
}

void State::hold_licenses(const JobRecord& record, const Now& now) {
  if (record.demand.licenses.empty()) return;
  add_licenses(licenses_used, record.demand.licenses);
  license_holds[record.id] = {expected_end(*this, record, now), record.demand.licenses,
                               record.reservation};
  ++version;
}

void State::free_licenses(const JobRecord& record) {
  if (record.demand.licenses.empty()) return;
  subtract_licenses(licenses_used, record.demand.licenses);
  license_holds.erase(record.id);
  plan_wanted = true;
  ++version;
}

}  // namespace sluice
