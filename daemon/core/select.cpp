// select.cpp: filters over jobs.
#include "daemon/core/select.h"

#include <algorithm>

namespace sluice {
namespace {

template <class T>
bool allows(const std::vector<T>& list, const T& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

// One that waits is in every partition of its list.
bool in_one_of(const std::vector<std::string>& partitions, const JobRecord& record) {
  if (record.state != JobState::pending || record.choices.empty())
    return allows(partitions, record.partition);
  return std::any_of(
      record.choices.begin(), record.choices.end(),
      [&](const PartitionChoice& choice) { return allows(partitions, choice.partition); });
}

bool on_one_of(const Allocation& allocation, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return true;
  return std::any_of(allocation.shares.begin(), allocation.shares.end(), [&](const NodeShare& share) {
    return std::find(nodes.begin(), nodes.end(), share.node) != nodes.end();
  });
}

// The one it runs in, or where it waits those it asks for.
bool in_reservation(const std::vector<std::string>& reservations, const JobEntry& entry) {
  if (reservations.empty() || !entry.record.reservation.empty())
    return allows(reservations, entry.record.reservation);
  const std::vector<std::string>& asked = entry.spec->placement.reservations;
  return std::any_of(asked.begin(), asked.end(),
                     [&](const std::string& name) { return allows(reservations, name); });
}

bool state_allowed(const JobRecord& record, const std::vector<std::string>& states) {
  if (states.empty() || allows(states, std::string("ALL"))) return true;
  return allows(states, std::string(state_word(record.state, record.end, record.special_exit)));
}

bool means(const JobSelector& selector, const JobRecord& record) {
  if (selector.tasks.empty())
    return record.id == selector.job ||
           (record.array && record.array->array_id == selector.job);
  if (!record.array || record.array->array_id != selector.job) return false;
  if (record.array->task) return selector.tasks.contains(*record.array->task);
  return record.array->waiting.shares_with(selector.tasks);
}

// The records a selector can mean, without a walk over all jobs.
std::vector<JobId> candidates(const State& state, const JobSelector& selector) {
  std::vector<JobId> ids;
  if (state.find_job(selector.job)) ids.push_back(selector.job);
  if (auto array = state.arrays.find(selector.job); array != state.arrays.end())
    for (const auto& [task, id] : array->second.records) ids.push_back(id);
  return ids;
}

}  // namespace

bool matches(const JobEntry& entry, const JobFilter& filter) {
  const JobSpec& spec = *entry.spec;
  if (!filter.jobs.empty() &&
      std::none_of(filter.jobs.begin(), filter.jobs.end(),
                   [&](const JobSelector& selector) { return means(selector, entry.record); }))
    return false;
  return allows(filter.uids, spec.uid) && state_allowed(entry.record, filter.states) &&
         in_one_of(filter.partitions, entry.record) && allows(filter.names, spec.name) &&
         allows(filter.accounts, spec.account) && allows(filter.qos, spec.qos) &&
         allows(filter.wckeys, spec.wckey) && allows(filter.gids, spec.gid) &&
         on_one_of(entry.record.allocation, filter.nodes) &&
         in_reservation(filter.reservations, entry);
}

std::vector<JobId> select_jobs(const State& state, const JobFilter& filter,
                               std::vector<JobSelector>& unknown) {
  std::vector<JobId> selected;
  if (filter.jobs.empty()) {
    state.jobs.for_each([&](std::uint32_t id, const JobEntry& entry) {
      if (matches(entry, filter)) selected.push_back(JobId{id});
      return true;
    });
    return selected;
  }
  for (const JobSelector& selector : filter.jobs) {
    bool exists = false;
    for (JobId id : candidates(state, selector)) {
      const JobEntry& entry = *state.find_job(id);
      exists = exists || means(selector, entry.record);
      if (matches(entry, filter) && means(selector, entry.record)) selected.push_back(id);
    }
    if (!exists) unknown.push_back(selector);
  }
  std::sort(selected.begin(), selected.end());
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  return selected;
}

}  // namespace sluice
