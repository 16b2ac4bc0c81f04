// start.cpp: from a plan to launch orders. Every placement is checked again: the plan was made from an
// older view.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "common/model/path_pattern.h"
#include "daemon/core/handlers.h"
#include "daemon/core/job_environment.h"
#include "daemon/core/priority.h"
#include "daemon/sched/fit.h"

namespace sluice {
namespace {

// The shape of its class by which it was placed; none: the job waits by others by now.
std::optional<std::size_t> find_shape(const PendingClass& of, const Placement& placement) {
  const JobShapes& shapes = *of.shapes;
  const auto at = std::find_if(shapes.begin(), shapes.end(), [&](const JobShape& shape) {
    return shape.partition == placement.partition && shape.reservation == placement.reservation;
  });
  if (at == shapes.end()) return std::nullopt;
  return static_cast<std::size_t>(at - shapes.begin());
}

bool still_fits(const State& state, const JobShape& shape, const Placement& placement) {
  return state.has_licenses(shape.demand) &&
         std::all_of(placement.shares.begin(), placement.shares.end(), [&](const NodeShare& share) {
           auto at = state.node_ids.find(share.node);
           return at != state.node_ids.end() &&
                  can_take(shape, *state.node_views.find(at->second.value), share);
         });
}

bool may_start(const State& state, JobId id) {
  const JobEntry* entry = state.find_job(id);
  if (!entry || entry->class_id == 0) return false;
  const bool is_rest = entry->record.array && !entry->record.array->task;
  return state.tasks_startable(entry->record) > 0 && (!is_rest || state.next_job < state.ids_end);
}

void start(State& state, const Placement& placement, const Now& now, Effects& out) {
  JobId id = placement.job;
  const JobRecord& waiting = state.job(id);
  const bool is_array = waiting.array && !waiting.array->task;
  if (is_array) id = split_task(state, id, *waiting.array->waiting.front());
  state.dequeue(id);  // its place in the queue is by what changes now
  for (const PartitionChoice& choice : std::vector(state.job(id).choices)) {  // a copy: it is edited
    if (choice.partition != placement.partition) continue;
    state.recount_live(id, [&](JobRecord& record) { take_choice(record, choice); });
  }
  if (placement.time_limit) state.edit_job(id).time_limit = placement.time_limit;
  if (state.job(id).reservation != placement.reservation)
    state.edit_job(id).reservation = placement.reservation;
  place_job(state, id, {placement.shares, placement.exclusive}, now);
  ++state.totals.started;
  const Duration waited = now.wall - state.job(id).times.eligible;
  state.totals.wait_s.add(std::chrono::duration<double>(std::max(waited, Duration{})).count());
  audit(state, now, "run_placed", id, placement.shares.front().node, 0, "");
  send_orders(state, id, now, out);
  const std::optional<ArrayPlace>& array = state.job(id).array;
  if (array && array->max_running > 0) settle_array(state, array->array_id, now);
}

bool all_members_started(const JobRecord& record) {
  return std::all_of(record.parts.begin() + 1, record.parts.end(), [](const RunPart& part) {
    return part.state == PartState::started;
  });
}

// `names`: of limits, or "ALL", or "NONE".
bool names_limit(const std::vector<std::string>& names, const std::string& limit) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == "ALL" || name == limit; });
}

// What the job's own word says, or else the site's.
std::vector<ProcessLimit> limits_for_job(const BatchScript& batch, const ClusterConfig& config) {
  const auto is_wanted = [&](const ProcessLimit& limit) {
    if (!batch.propagate.empty()) return names_limit(batch.propagate, limit.name);
    const bool among =
        config.propagate_limits.empty() || names_limit(config.propagate_limits, limit.name);
    return among && !names_limit(config.propagate_limits_except, limit.name);
  };
  std::vector<ProcessLimit> limits;
  std::copy_if(batch.limits.begin(), batch.limits.end(), std::back_inserter(limits), is_wanted);
  return limits;
}

}  // namespace

void place_job(State& state, JobId id, const Allocation& allocation, const Now& now) {
  state.dequeue(id);
  JobRecord& record = state.edit_job(id);
  record.priority = priority_of(*state.ranking, record);  // what it started with stays
  state.recount_live(id, [](JobRecord& waiting) {
    ASSERT(advance(waiting.state, JobEvent::placed));
  });
  record.reason = Reason::None;
  record.reason_limit.clear();
  record.reason_detail.clear();
  record.special_exit = false;
  record.allocation = allocation;
  record.parts.clear();
  for (const NodeShare& share : allocation.shares)
    record.parts.push_back({.node = share.node, .exit = {}});
  record.times.started.reset();
  record.times.ended.reset();
  record.times.elapsed = {};
  record.usage = {};
  record.ending.reset();
  if (record.array) {
    ArrayTasks& tasks = state.arrays[record.array->array_id];
    ++tasks.running;
    tasks.pending.erase(*record.array->task);
  }
  state.hold_allocation(record, allocation, now);
  state.hold_licenses(record, now);
  state.hold_limits(record);
}

std::optional<std::uint32_t> time_limit_s(const JobRecord& record) {
  const std::optional<Duration> length = length_of(record.time_limit);
  if (!length) return std::nullopt;
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(*length).count());
}

LaunchOrder make_order(const JobRecord& record, const JobSpec& spec, std::size_t share_index,
                       const ClusterConfig& config) {
  LaunchOrder order;
  order.id = {record.id, record.run};
  order.role = share_index == 0 ? PartRole::batch_host : PartRole::member;
  order.uid = spec.uid;
  order.gid = spec.gid;
  order.user = spec.user;
  order.job_name = spec.name;
  order.partition = record.partition;
  order.share = record.allocation.shares[share_index];
  order.work_dir = spec.batch.work_dir;
  order.umask = spec.batch.umask;
  order.leased = record.requeue;
  order.time_limit_s = time_limit_s(record);
  order.signal = spec.start.signal;
  if (order.role == PartRole::member) return order;
  order.script_id = spec.batch.script_id;
  order.environment_id = spec.batch.environment_id;
  order.arguments = spec.batch.arguments;
  order.output_path = output_path(record, spec);
  order.error_path = error_path(record, spec);
  order.input_path = input_path(record, spec);
  // A run after the first one must not wipe what the earlier one wrote.
  order.append = spec.stdio_files.append || record.run.value > 0;
  order.limits = limits_for_job(spec.batch, config);
  order.job_environment = job_environment(record, spec, share_index, config);
  return order;
}

void send_orders(State& state, JobId id, const Now& now, Effects& out) {
  const JobEntry& entry = *state.find_job(id);
  const bool members_ready = all_members_started(entry.record);
  std::vector<std::size_t> to_send;
  for (std::size_t i = 0; i < entry.record.parts.size(); ++i) {
    const RunPart& part = entry.record.parts[i];
    const bool goes_now = i > 0 || members_ready;
    if (goes_now && part.state == PartState::ordered && part.ordered_at == WallTime{})
      to_send.push_back(i);
  }
  for (std::size_t i : to_send) {
    const JobEntry& current = *state.find_job(id);
    out.list.push_back(SendLaunch{current.record.parts[i].node,
                                  make_order(current.record, *current.spec, i, *state.config)});
    RunPart& part = state.edit_job(id).parts[i];
    part.ordered_at = now.wall;
    state.unacknowledged[{id, part.node}] = now.steady;
  }
}

namespace {

// What was planned to start by then and did not, because what it waits for runs longer than it may,
// is planned again.
void keep_promises(State& state, const Promises& promises, const Now& now) {
  state.plan_again_at.reset();
  for (const Promise& promise : promises)
    if (promise.start > now.wall)
      state.plan_again_at = std::min(state.plan_again_at.value_or(endless), promise.start);
  if (promises != *state.promises) state.promises = std::make_shared<const Promises>(promises);
}

// The first that each job is told, to be held against its start; of an array its first task's.
void note_forecasts(State& state, const Promises& promises, const Now& now) {
  JobId last;
  for (const Promise& promise : promises) {
    if (std::exchange(last, promise.job) == promise.job) continue;
    const JobEntry* entry = state.find_job(promise.job);
    if (!entry || entry->record.state != JobState::pending || entry->record.times.forecast)
      continue;
    if (state.arrays.contains(promise.job)) continue;
    state.edit_job(promise.job).times.forecast = Forecast{promise.start, now.wall};
  }
}

}  // namespace

namespace {

// Then none of its class is tried by this shape until something else is held.
bool refused_by_limit(const State& state, PendingClass& of, std::size_t shape,
                      const Placement& placement) {
  if (of.limits.empty()) return false;
  ShapeLimits& limits = of.limits[shape];
  auto hit = limit_of_start(state, limits, (*of.shapes)[shape], placement);
  if (!hit) return false;
  limits.refused = std::move(hit);
  limits.refused_at = state.limits_version;
  return true;
}

// Classes that limits keep out of the planner's view.
void tell_limits(State& state) {
  if (!state.limit_rules->in_force) return;
  for (const auto& [class_id, pending] : state.classes) {
    const auto hit = limit_of_class(state, pending);
    if (!hit) continue;
    const ClassWait* known = state.waits.find(class_id);
    if (known && known->limit == hit->word && known->detail == hit->detail) continue;
    state.waits.put(class_id, wait_for_limit(class_id, pending.groups.begin()->second.begin()->second, *hit));
  }
}

}  // namespace

void on_plan_ready(State& state, const PlanReady& event, const Now& now, Effects& out) {
  if (event.plan.view_version < state.reservations_version) {  // it knows other windows
    state.plan_wanted = true;
    return;
  }
  bool stale = false;
  keep_promises(state, event.plan.promises, now);
  note_forecasts(state, event.plan.promises, now);
  for (const Placement& placement : event.plan.placements) {
    if (!may_start(state, placement.job)) continue;
    if (state.starts_held_until) {
      const JobEntry& entry = *state.find_job(placement.job);
      state.waits.put(entry.class_id, held_start(state, entry, now));
      continue;
    }
    PendingClass& of = state.classes.at(state.find_job(placement.job)->class_id);
    const std::optional<std::size_t> shape = find_shape(of, placement);
    if (!shape || !still_fits(state, (*of.shapes)[*shape], placement)) {
      stale = true;
      continue;
    }
    if (refused_by_limit(state, of, *shape, placement)) {
      stale = true;
      continue;
    }
    start(state, placement, now, out);
  }
  for (ClassWait wait : event.plan.waits) {
    if (!state.classes.contains(wait.class_id)) continue;
    tell_nodes_away(state, wait, now);
    state.waits.put(wait.class_id, std::move(wait));
  }
  tell_limits(state);
  if (stale || event.plan.cut) state.plan_wanted = true;
}

}  // namespace sluice
