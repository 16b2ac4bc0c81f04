// finish.cpp: a run is over: it decides the job's end, or puts the job back into the queue.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"
#include "daemon/core/priority.h"

namespace sluice {
namespace {

constexpr std::uint32_t node_retries_max = 5;
constexpr std::size_t node_faults_max = 3;

// What follows from the cause of an end; `by_node`: not the user's doing.
struct CauseRule {
  CauseKind kind;
  Outcome outcome;
  bool by_node;
};
constexpr CauseRule cause_rules[] = {
    {CauseKind::cancelled, Outcome::cancelled, false},
    {CauseKind::time_limit, Outcome::timeout, false},
    {CauseKind::out_of_memory, Outcome::out_of_memory, false},
    {CauseKind::requeued, Outcome::cancelled, false},
    {CauseKind::lease_lapsed, Outcome::node_fail, true},
    {CauseKind::supervisor_lost, Outcome::node_fail, true},
    {CauseKind::node_lost, Outcome::node_fail, true},
    {CauseKind::node_rebooted, Outcome::node_fail, true},
    {CauseKind::node_fault, Outcome::node_fail, true},
    {CauseKind::gang_part_missing, Outcome::node_fail, true},
    {CauseKind::node_set_down, Outcome::node_fail, true},
    {CauseKind::launch_failed, Outcome::failed, false},
    {CauseKind::dependency_never_satisfied, Outcome::cancelled, false},
    {CauseKind::deadline_passed, Outcome::deadline, false},
    {CauseKind::preempted, Outcome::preempted, false},
};

const CauseRule* rule_of(CauseKind kind) {
  for (const CauseRule& rule : cause_rules)
    if (rule.kind == kind) return &rule;
  return nullptr;
}

Cause deciding_cause(const JobRecord& record) {
  const ExitRecord& exit = *record.parts.front().exit;
  if (exit.cause.kind != CauseKind::none) return exit.cause;
  if (record.ending && record.ending->kind != CauseKind::none) return *record.ending;
  return {};
}

JobEnd decide_end(const JobRecord& record) {
  JobEnd end;
  end.status = record.parts.front().exit->status;
  end.cause = deciding_cause(record);
  if (const CauseRule* rule = rule_of(end.cause.kind)) end.outcome = rule->outcome;
  else
    end.outcome = end.status == ExitStatus{} ? Outcome::completed : Outcome::failed;
  return end;
}

// RequeueExit, RequeueExitHold: the script left with a code that the site wants run again.
bool left_with(const IndexSet& codes, const JobRecord& record, const JobEnd& end) {
  return record.requeue && end.cause.kind == CauseKind::none && end.status.signal == 0 &&
         codes.contains(end.status.code);
}

bool runs_again(const JobRecord& record, const JobEnd& end, const EndConfig& config) {
  if (end.cause.kind == CauseKind::requeued) return true;
  if (left_with(config.requeue_exit, record, end) ||
      left_with(config.requeue_exit_hold, record, end))
    return true;
  const CauseRule* rule = rule_of(end.cause.kind);
  if (!rule || !rule->by_node) return false;
  // A script that never began has done nothing that a second run could do twice.
  const ExitRecord& exit = *record.parts.front().exit;
  const bool never_began = !exit.script_started && end.cause.kind == CauseKind::node_fault;
  return record.requeue || never_began;
}

// Different jobs failing by a node's fault set the node aside; a good end clears the count.
void blame_nodes(State& state, const JobRecord& record, const Now& now) {
  for (const RunPart& part : record.parts) {
    if (!state.find_node(part.node) || !part.exit) continue;
    const std::vector<JobId>& before = state.find_node(part.node)->record.faulted_jobs;
    if (!part.exit->node_fault) {
      if (!before.empty() && part.exit->script_started)
        state.edit_node(part.node).faulted_jobs.clear();
      continue;
    }
    if (std::find(before.begin(), before.end(), record.id) != before.end()) continue;
    NodeRecord& node = state.edit_node(part.node);
    node.faulted_jobs.push_back(record.id);
    if (node.faulted_jobs.size() < node_faults_max || node.drain) continue;
    node.drain = true;
    node.reason = fmt::format("{} jobs in a row failed by this node's fault; last: {}",
                              node.faulted_jobs.size(), part.exit->cause.text);
    node.reason_at = now.wall;
    audit(state, now, "node_drained", record.id, part.node, 0, node.reason);
    state.refresh_node_view(state.node_id(part.node));
  }
}

void answer_waiters(State& state, JobId id, const JobEnd& end, Effects& out) {
  auto waiting = state.waiters.find(id);
  if (waiting == state.waiters.end()) return;
  for (const RequestRef& ref : waiting->second) out.reply(ref, WaitReply{end});
  state.waiters.erase(waiting);
}

// The end an awaiter of a whole array is told: that of the task with the highest exit code.
JobEnd worst_end(const State& state, const ArrayTasks& tasks, const JobEnd& last) {
  JobEnd worst = last;
  for (const auto& [task, id] : tasks.records)
    if (const auto& end = state.job(id).end; end && end->status.code > worst.status.code) worst = *end;
  return worst;
}

bool array_is_over(const State& state, JobId array_id) {
  auto tasks = state.arrays.find(array_id);
  if (tasks != state.arrays.end() && tasks->second.open > 0) return false;
  const JobEntry* master = state.find_job(array_id);
  return !master || master->record.state == JobState::ended;
}

// What others wait for in this end: jobs that depend on it, commands that wait for its array.
void tell_end(State& state, JobId id, const Now& now, Effects& out) {
  const JobEnd end = *state.job(id).end;
  const std::string twins = twins_of(state.spec(id));
  const std::optional<ArrayPlace> array = state.job(id).array;
  const auto task = array && array->array_id == id ? array->task : std::nullopt;
  settle_dependents(state, id, task, now, out);
  if (array && array->array_id != id)
    settle_dependents(state, array->array_id, array->task, now, out);
  settle_singletons(state, twins, now, out);
  if (!array || !array_is_over(state, array->array_id)) return;
  const auto tasks = state.arrays.find(array->array_id);
  answer_waiters(state, array->array_id,
                 tasks == state.arrays.end() ? end : worst_end(state, tasks->second, end), out);
}

// One end may bring about others, and these yet others: a chain of any length is told link by link,
// not call within call.
void after_end(State& state, JobId id, const Now& now, Effects& out) {
  state.by_name[twins_of(state.spec(id))].open.erase(id);
  const Duration age = std::chrono::seconds{state.config->timeouts.min_job_age_s};
  state.retire_at.emplace(now.steady + age, id);
  mail_end(state, id, out);
  answer_waiters(state, id, *state.job(id).end, out);
  state.ends_to_tell.push_back(id);
  if (state.ends_to_tell.size() > 1) return;
  for (std::size_t i = 0; i < state.ends_to_tell.size(); ++i)
    tell_end(state, state.ends_to_tell[i], now, out);
  state.ends_to_tell.clear();
}

// A task that ended makes room for the next one of its array.
void release_throttle(State& state, JobId id, const Now& now) {
  const JobRecord& record = state.job(id);
  if (record.array && record.array->max_running > 0)
    settle_array(state, record.array->array_id, now);
}

}  // namespace

namespace {

void hold_after(JobRecord& record, Hold hold) {
  record.hold = hold;
  record.priority = 0;
}

// Whose doing it was that the job runs again is counted apart; too often, and it is held.
void count_requeue(JobRecord& record, const JobEnd& end, const EndConfig& config) {
  const CauseRule* rule = rule_of(end.cause.kind);
  if (rule && rule->by_node) ++record.retries_by_node;
  if (record.retries_by_node > node_retries_max && record.hold == Hold::none)
    hold_after(record, Hold::admin);
  const bool is_held = left_with(config.requeue_exit_hold, record, end);
  if (!is_held && !left_with(config.requeue_exit, record, end)) return;
  ++record.retries_by_exit;
  if (is_held) {
    record.special_exit = true;
    hold_after(record, Hold::user);
  } else if (record.retries_by_exit > config.requeue_max && record.hold == Hold::none) {
    hold_after(record, Hold::admin);
  }
}

}  // namespace

void queue_again(State& state, JobId id, const JobEnd& end, const Now& now, Effects& out) {
  JobRecord& record = state.edit_job(id);
  state.extra.runs.push_back(
      {{id, record.run}, record.times, record.allocation, end, record.usage});
  state.recount_live(id, [](JobRecord& again) {
    ASSERT(advance(again.state, JobEvent::requeued));
    if (!again.choices.empty()) take_choice(again, again.choices.front());
  });
  count_requeue(record, end, state.config->ends);
  ++record.run.value;
  record.times.elapsed_before += record.times.elapsed;
  record.times.elapsed = {};
  record.times.started.reset();
  record.times.ended.reset();
  record.allocation = {};
  record.reservation.clear();
  record.parts.clear();
  record.end.reset();
  record.ending.reset();
  record.reason = Reason::None;
  if (record.array && record.array->task)
    state.arrays[record.array->array_id].pending.insert(*record.array->task);
  ++state.totals.requeued[end.cause.kind];
  audit(state, now, "job_requeued", id, "", end.cause.uid.value_or(0), end.cause.text);
  mail_job(state, id, MailType::REQUEUE, out);
  settle_pending(state, id, now);
}

void finish_run(State& state, JobId id, const Now& now, Effects& out) {
  const JobEnd end = decide_end(state.job(id));
  blame_nodes(state, state.job(id), now);
  JobRecord& record = state.edit_job(id);
  record.times.ended = record.parts.front().exit->ended_wall;
  if (record.array) --state.arrays[record.array->array_id].running;
  state.free_licenses(record);
  count_run(state, record, record.times, record.allocation, now);
  state.free_limits(id);
  if (runs_again(record, end, state.config->ends)) {
    queue_again(state, id, end, now, out);
    return release_throttle(state, id, now);
  }
  ASSERT(advance(record.state, JobEvent::run_over));
  record.end = end;
  record.ending.reset();
  if (record.array) {
    ArrayTasks& tasks = state.arrays[record.array->array_id];
    --tasks.open;
    if (end.outcome != Outcome::completed) ++tasks.bad;
  }
  state.count_live(record, -1);
  ++state.totals.ended[end.outcome];
  audit(state, now, "job_ended", id, "", end.cause.uid.value_or(0), enum_name(end.outcome));
  release_throttle(state, id, now);
  after_end(state, id, now, out);
}

namespace {
Reason reason_of_close(CauseKind kind) {
  if (kind == CauseKind::dependency_never_satisfied) return Reason::DependencyNeverSatisfied;
  return kind == CauseKind::deadline_passed ? Reason::DeadLine : Reason::None;
}
}  // namespace

void close_pending_job(State& state, JobId id, Outcome outcome, const Cause& cause, const Now& now,
                       Effects& out) {
  state.dequeue(id);
  state.plan_wanted = true;  // others may have been kept waiting for it
  JobRecord& record = state.edit_job(id);
  const std::uint64_t jobs = task_count(record);
  state.count_live(record, -static_cast<std::int64_t>(jobs));
  ASSERT(advance(record.state, JobEvent::closed));
  record.end = JobEnd{outcome, {}, cause};
  record.times.ended = now.wall;
  record.reason = reason_of_close(cause.kind);
  record.reason_detail = cause.text;
  state.totals.ended[outcome] += jobs;
  if (record.array && record.array->task) {
    ArrayTasks& tasks = state.arrays[record.array->array_id];
    --tasks.open;
    ++tasks.bad;  // what never ran did not complete
    tasks.pending.erase(*record.array->task);
  }
  audit(state, now, "job_ended", id, "", cause.uid.value_or(0), enum_name(outcome));
  after_end(state, id, now, out);
}

void retire_due(State& state, const Now& now) {
  const Duration again = std::chrono::seconds{state.config->timeouts.min_job_age_s};
  while (!state.retire_at.empty() && state.retire_at.begin()->first <= now.steady) {
    const JobId id = state.retire_at.begin()->second;
    state.retire_at.erase(state.retire_at.begin());
    const JobEntry* entry = state.find_job(id);
    if (!entry || entry->record.state != JobState::ended) continue;  // it was requeued since
    if (entry->record.array && !array_is_over(state, entry->record.array->array_id))
      state.retire_at.emplace(now.steady + std::max<Duration>(again, std::chrono::seconds{1}), id);
    else
      state.retire_job(id);
  }
}

}  // namespace sluice
