// ledger.cpp: see ledger.h.
#include "tests/sim/ledger.h"

#include <fmt/format.h>

#include "daemon/core/state.h"
#include "daemon/store/store.h"

namespace sluice::sim {
namespace {

std::string shown(const RunId& id) { return fmt::format("{}.{}", id.job.value, id.run.value); }

}  // namespace

// --- what was seen -----------------------------------------------------------------------------

void Ledger::on_accepted(const std::string& key, JobId job, std::uint64_t tasks) {
  const auto [known, is_new] = job_of_key_.emplace(key, job);
  // A repeat that comes after the job has left the queue is a new job: keys last as long as records.
  if (!is_new && known->second != job && !seen_ended_.contains(known->second))
    throw Violation{fmt::format("key {} was answered with job {} and with job {}", key,
                                known->second.value, job.value)};
  const auto [owner, is_first] = key_of_job_.emplace(job, key);
  if (!is_first && owner->second != key)
    throw Violation{fmt::format("id {} was given to {} and to {}", job.value, owner->second, key)};
  if (tasks > 0) tasks_of_array_[job] = tasks;
}

void Ledger::on_part_alive(const RunId& id, const std::string& node, PartRole role) {
  if (!started_.emplace(id, node).second)
    throw Violation{fmt::format("run {} was started twice on {}", shown(id), node)};
  on_part_goes_on(id, node, role);
}

void Ledger::on_part_goes_on(const RunId& id, const std::string& node, PartRole role) {
  Alive& alive = alive_[id.job];
  if (!alive.nodes.empty() && alive.run != id.run)
    throw Violation{fmt::format("two runs of job {} overlap: {} lives on {} while {} lives on {}",
                                id.job.value, alive.run.value, alive.nodes.begin()->first,
                                id.run.value, node)};
  for (const auto& [other, other_role] : alive.nodes)
    if (role == PartRole::batch_host && other_role == PartRole::batch_host)
      throw Violation{fmt::format("run {} lives on {} and on {}", shown(id), other, node)};
  alive.run = id.run;
  alive.nodes[node] = role;
}

void Ledger::on_part_gone(const RunId& id, const std::string& node) {
  auto alive = alive_.find(id.job);
  if (alive == alive_.end() || alive->second.run != id.run) return;
  alive->second.nodes.erase(node);
  if (alive->second.nodes.empty()) alive_.erase(alive);
}

// --- what the controller says ------------------------------------------------------------------

void Ledger::check_state(const State& state) {
  check_invariants(state);
  for (const auto& [job, key] : key_of_job_) {
    const JobEntry* entry = state.find_job(job);
    if (!entry) {
      if (!seen_ended_.contains(job))
        throw Violation{fmt::format("accepted job {} ({}) is lost", job.value, key)};
      continue;
    }
    if (entry->spec->name != key)
      throw Violation{fmt::format("job {} was accepted as {} and is now {}", job.value, key,
                                  entry->spec->name)};
    if (entry->record.state == JobState::ended) seen_ended_.insert(job);
  }
}

void Ledger::check_nothing_lost(const State& state, HistoryReader& history) const {
  for (const auto& [job, key] : key_of_job_) {
    if (state.find_job(job)) continue;
    const auto row = history.find_job(job);
    if (!row || !*row || (*row)->spec->name != key || !(*row)->job->end)
      throw Violation{fmt::format("accepted job {} ({}) is in no table", job.value, key)};
  }
}

void Ledger::check_end(const JobRecord& record) const {
  const RunId id{record.id, record.run};
  if (record.state != JobState::ended || !record.end)
    throw Violation{fmt::format("job {} has not ended: {}", shown(id), enum_name(record.state))};
  const JobEnd& end = *record.end;
  if (end.cause.kind != CauseKind::none) return;
  const auto seen = ends_.find(id);
  if (seen == ends_.end())
    throw Violation{fmt::format("job {} is {} without a cause, and its script never ended",
                                shown(id), enum_name(end.outcome))};
  if (seen->second != end.status)
    throw Violation{fmt::format("job {} ended with code {}, its record says {}", shown(id),
                                seen->second.code, end.status.code)};
}

void Ledger::check_ends(const State& state, HistoryReader& history) const {
  check_nothing_lost(state, history);
  std::map<JobId, std::uint64_t> tasks;
  std::map<JobId, std::uint32_t> earlier_runs;
  std::map<JobId, std::uint32_t> last_run;
  const auto take = [&](const HistoryRow& row) {
    const JobRecord& record = *row.job;
    if (row.run) {
      ++earlier_runs[record.id];
      return true;
    }
    check_end(record);
    // A task of an array that was requeued before it was split off begins at the array's run.
    if (!record.array) last_run[record.id] = record.run.value;
    else
      tasks[record.array->array_id] += record.array->task ? 1 : record.array->waiting.size();
    return true;
  };
  if (const auto read = history.query({}, true, take); !read)
    throw Violation{"history cannot be read: " + to_text(read.error())};
  for (const auto& [job, run] : last_run)
    if (earlier_runs[job] != run)
      throw Violation{fmt::format("job {} is at run {}, history has {} before it", job.value, run,
                                  earlier_runs[job])};
  for (const auto& [array, count] : tasks_of_array_)
    if (tasks[array] != count)
      throw Violation{fmt::format("array {} was accepted with {} tasks and has {}", array.value, count,
                                  tasks[array])};
}

}  // namespace sluice::sim
