// arrays.cpp: waiting tasks become records of their own. The array's own record keeps the rest, and
// becomes that of its last task.
#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"

namespace sluice {

JobId split_task(State& state, JobId array_id, std::uint32_t task) {
  if (state.job(array_id).array->waiting.size() == 1) {
    state.dequeue(array_id);
    JobRecord& last = state.edit_job(array_id);
    last.array->waiting = {};
    last.array->task = task;
    ArrayTasks& tasks = state.arrays[array_id];
    tasks.records[task] = array_id;
    tasks.pending.insert(task);
    ++tasks.open;
    return array_id;
  }
  JobRecord record = state.job(array_id);
  record.id = take_id(state);
  record.array->task = task;
  record.array->waiting = {};
  const JobId id = record.id;
  JobRecord& rest = state.edit_job(array_id);
  rest.array->waiting.erase(task);
  rest.times.forecast.reset();  // it was that of the first to start
  state.add_job(std::move(record), state.find_job(array_id)->spec);
  index_dependency(state, id);
  ArrayTasks& tasks = state.arrays[array_id];
  tasks.pending.insert(task);
  ++tasks.open;
  return id;
}

void settle_array(State& state, JobId array_id, const Now& now) {
  const auto tasks = state.arrays.find(array_id);
  if (tasks == state.arrays.end()) return;
  std::vector<JobId> waiting;
  for (std::uint32_t task : tasks->second.pending)
    waiting.push_back(tasks->second.records.at(task));
  const JobEntry* master = state.find_job(array_id);
  if (master && master->record.state == JobState::pending && !master->record.array->task)
    waiting.push_back(array_id);
  for (JobId id : waiting) {
    state.touch_queued(id);
    const JobEntry& entry = *state.find_job(id);
    const bool limited = state.tasks_startable(entry.record) == 0;
    if (limited ? entry.class_id != 0 : entry.record.reason == Reason::JobArrayTaskLimit)
      settle_pending(state, id, now);
  }
}

namespace {

// The waiting tasks of the record that the filter names; nullopt: all of it is meant.
std::optional<IndexSet> named_tasks(const JobRecord& record, const JobFilter& filter) {
  if (!record.array || record.array->task || filter.jobs.empty()) return std::nullopt;
  IndexSet named;
  for (const JobSelector& selector : filter.jobs) {
    if (selector.job != record.array->array_id) continue;
    if (selector.tasks.empty()) return std::nullopt;
    named.insert(record.array->waiting.common_with(selector.tasks));
  }
  return named;
}

}  // namespace

Result<std::vector<JobId>> split_named_tasks(State& state, JobId id, const JobFilter& filter) {
  const std::optional<IndexSet> named = named_tasks(state.job(id), filter);
  if (!named || named->size() == state.job(id).array->waiting.size()) return std::vector{id};
  if (state.ids_end.value - state.next_job.value < named->size())
    return Error{ErrorCode::job_limit_reached, "job ids are being reserved; try again"};
  std::vector<JobId> tasks;
  for (const IndexRange& range : named->ranges)
    for (std::uint64_t i = range.first; i <= range.last; i += range.step)
      tasks.push_back(split_task(state, id, static_cast<std::uint32_t>(i)));
  return tasks;
}

}  // namespace sluice
