// invariants.cpp: every index against the tables it follows from. Slow; for tests and the simulation.
#include <algorithm>

#include "daemon/core/dependency.h"
#include "daemon/core/priority.h"
#include "daemon/core/state.h"
#include "daemon/sched/fit.h"

namespace sluice {
namespace {

void check_record(const State& state, const JobEntry& entry) {
  const JobRecord& record = entry.record;
  ASSERT(record.id.value > 0 && record.id.value < job_id_end && record.id < state.next_job);
  ASSERT(entry.spec != nullptr);
  ASSERT((record.state == JobState::ended) == record.end.has_value());
  ASSERT(record.parts.size() == record.allocation.shares.size());
  if (holds_resources(record.state)) ASSERT(!record.allocation.empty());
  if (record.state == JobState::pending) ASSERT(record.allocation.empty());
  if (entry.class_id != 0) {
    ASSERT(record.state == JobState::pending && record.hold == Hold::none);
    const QueueGroup group{record.priority_asked, record.nice, record.association, record.qos};
    ASSERT(state.classes.at(entry.class_id)
               .groups.at(group)
               .contains({queued_since(*state.ranking, record), record.id}));
  }
  if (record.state == JobState::pending && record.reason == Reason::BeginTime)
    ASSERT(state.look_again_at.contains({*record.times.begin, record.id}));
  if (record.array && record.array->task)
    ASSERT(state.arrays.at(record.array->array_id).records.at(*record.array->task) == record.id);
}

void check_twins(const State& state) {
  std::size_t open = 0;
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (entry.record.state == JobState::ended) return true;
    ++open;
    ASSERT(state.by_name.at(twins_of(*entry.spec)).open.contains(entry.record.id));
    return true;
  });
  std::size_t indexed = 0;
  for (const auto& [name, twins] : state.by_name) indexed += twins.open.size();
  ASSERT(indexed == open);
}

void check_users(const State& state) {
  std::size_t indexed = 0;
  state.jobs_of_user.for_each([&](std::uint32_t uid, const IdSet& ids) {
    ASSERT(!ids.empty());
    ids.for_each([&](std::uint32_t id) {
      ++indexed;
      ASSERT(state.spec(JobId{id}).uid == uid);
      return true;
    });
    return true;
  });
  ASSERT(indexed == state.jobs.size());
}

void check_nodes(const State& state) {
  std::map<std::string, NodeView> sums;
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    if (!holds_resources(record.state)) return true;
    for (std::size_t i = 0; i < record.parts.size(); ++i) {
      if (record.parts[i].state == PartState::over) continue;
      const NodeShare& share = record.allocation.shares[i];
      if (!state.node_ids.contains(share.node)) continue;
      NodeView& sum = sums[share.node];
      sum.cpus_used += share.cpus;
      sum.mem_used_mb += share.mem_mb;
      ++sum.jobs;
      ASSERT(state.runs_on_node.at(share.node).contains(record.id));
    }
    return true;
  });
  state.node_views.for_each([&](std::uint32_t, const NodeView& view) {
    const NodeView& sum = sums[view.name];
    ASSERT(view.cpus_used == sum.cpus_used && view.mem_used_mb == sum.mem_used_mb);
    ASSERT(view.jobs == sum.jobs);
    return true;
  });
  state.node_views.for_each([&](std::uint32_t id, const NodeView& view) {
    static const NodeHolds nothing;
    const NodeHolds* found = state.holds.find(id);
    const NodeHolds& holds = found ? *found : nothing;
    ASSERT(holds.size() == view.jobs);
    ASSERT(std::is_sorted(holds.begin(), holds.end(), [](const NodeHold& a, const NodeHold& b) {
      return a.until < b.until;
    }));
    std::uint64_t cpus = 0;
    for (const NodeHold& hold : holds) cpus += hold.cpus;
    ASSERT(cpus == view.cpus_used);
    return true;
  });
}

void check_licenses(const State& state) {
  std::vector<LicenseCount> held;
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (holds_resources(entry.record.state)) add_licenses(held, entry.record.demand.licenses);
    return true;
  });
  ASSERT(held.size() == state.licenses_used.size());
  for (const LicenseCount& license : held)
    ASSERT(count_of(state.licenses_used, license.name) == license.count);
}

void check_arrays(const State& state) {
  for (const auto& [array_id, tasks] : state.arrays) {
    std::uint32_t running = 0;
    std::uint32_t open = 0;
    std::uint32_t bad = 0;
    for (const auto& [task, id] : tasks.records) {
      const JobRecord& record = state.job(id);
      running += holds_resources(record.state) ? 1 : 0;
      open += record.state != JobState::ended ? 1 : 0;
      bad += record.end && record.end->outcome != Outcome::completed ? 1 : 0;
      ASSERT(tasks.pending.contains(task) == (record.state == JobState::pending));
    }
    ASSERT(tasks.running == running && tasks.open == open && tasks.bad == bad);
  }
}

void check_limits(const State& state) {
  LimitLedger held;
  LimitLedger submitted;
  std::size_t runs = 0;
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    if (record.state == JobState::ended) return true;
    submitted.add(*state.limit_rules, state.submit_subjects(record), task_count(record), {});
    const LimitSubject subject = state.limit_subject(record);
    if (!holds_resources(record.state) || subject == LimitSubject{}) return true;
    ++runs;
    held.add(*state.limit_rules, {subject}, 1,
             amounts_of(record.allocation.shares, record.demand.licenses, {}).total);
    return true;
  });
  ASSERT(runs == state.limit_holds.size());
  ASSERT(held == state.limits_held && submitted == state.limits_submitted);
}

}  // namespace

void check_invariants(const State& state) {
  std::size_t queued = 0;
  std::uint64_t live = 0;
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    check_record(state, entry);
    queued += entry.class_id != 0 ? 1 : 0;
    const JobRecord& record = entry.record;
    if (record.state != JobState::ended)
      live += task_count(record);
    return true;
  });
  std::size_t in_classes = 0;
  for (const auto& [id, pending] : state.classes) {
    ASSERT(!pending.groups.empty());
    for (const auto& [group, places] : pending.groups) {
      ASSERT(!places.empty());
      in_classes += places.size();
    }
  }
  ASSERT(queued == in_classes);
  ASSERT(live == state.jobs_live);
  ASSERT(state.next_job <= state.ids_end || state.ids_asked || state.jobs.empty());
  check_nodes(state);
  check_licenses(state);
  check_arrays(state);
  check_twins(state);
  check_users(state);
  check_limits(state);
}

}  // namespace sluice
