// actions.cpp: cancel, signal, hold, release, requeue and update, one answer for each job that was meant.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/handlers.h"
#include "daemon/core/select.h"

namespace sluice {
namespace {

ActionAnswer answer(const JobRecord& record, std::optional<Error> error = std::nullopt) {
  ActionAnswer line{record.id, shown_id(record), std::nullopt, {}};
  if (error) {
    line.error = error->code;
    line.detail = error->detail;
  }
  return line;
}

void answer_unknown(const std::vector<JobSelector>& unknown, ActionReply& reply) {
  for (const JobSelector& selector : unknown) {
    const std::string tasks = selector.tasks.empty() ? "" : "_" + to_text(selector.tasks);
    reply.answers.push_back({selector.job, fmt::format("{}{}", selector.job.value, tasks),
                             ErrorCode::invalid_job_id, {}});
  }
}

bool may_touch(const State& state, const Caller& caller, JobId id) {
  return caller.is_admin || state.spec(id).uid == caller.uid;
}

Error not_yours(const Caller& caller) {
  return {ErrorCode::access_denied, fmt::format("uid {} is not its owner", caller.uid)};
}

// The indices of a waiting array record that the filter names; nullopt: the whole record is meant.
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

// Cuts waiting tasks out of their array as records of their own, ended at once.
void cancel_tasks(State& state, JobId array_id, const IndexSet& tasks, const Cause& cause,
                  const Now& now, Effects& out) {
  for (const IndexRange& range : tasks.ranges)
    for (std::uint64_t i = range.first; i <= range.last; i += range.step) {
      const auto task = static_cast<std::uint32_t>(i);
      if (state.job(array_id).array->waiting.size() == 1) {
        state.dequeue(array_id);
        JobRecord& last = state.edit_job(array_id);
        last.array->waiting = {};
        last.array->task = task;
        state.arrays[array_id].records[task] = array_id;
        ++state.arrays[array_id].open;
        close_pending_job(state, array_id, Outcome::cancelled, cause, now, out);
        return;
      }
      JobRecord record = state.job(array_id);
      record.id = take_id(state);
      record.array->task = task;
      record.array->waiting = {};
      const JobId id = record.id;
      state.edit_job(array_id).array->waiting.erase(task);
      state.add_job(std::move(record), state.find_job(array_id)->spec);
      ++state.arrays[array_id].open;
      close_pending_job(state, id, Outcome::cancelled, cause, now, out);
    }
}

std::optional<Error> cancel_one(State& state, JobId id, const JobsCancelled& event, const Now& now,
                                Effects& out) {
  const JobState job_state = state.job(id).state;
  if (job_state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  const Cause cause{CauseKind::cancelled, event.caller.uid,
                    fmt::format("cancelled by uid {}", event.caller.uid)};
  if (job_state != JobState::pending) {
    end_run(state, id, cause, now, out);
    return std::nullopt;
  }
  const std::optional<IndexSet> named = named_tasks(state.job(id), event.request.filter);
  if (named && named->size() < state.job(id).array->waiting.size()) {
    if (state.ids_end.value - state.next_job.value < named->size())
      return Error{ErrorCode::job_limit_reached, "job ids are being reserved; try again"};
    cancel_tasks(state, id, *named, cause, now, out);
  } else {
    close_pending_job(state, id, Outcome::cancelled, cause, now, out);
  }
  return std::nullopt;
}

std::optional<Error> signal_one(const State& state, JobId id, const CancelJobs& request,
                                Effects& out) {
  const JobRecord& record = state.job(id);
  if (record.state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  if (record.state == JobState::pending)
    return Error{ErrorCode::job_not_pending, "it is pending; only a running job takes signals"};
  for (const RunPart& part : record.parts)
    if (part.state != PartState::over)
      out.send(part.node, SignalRun{{id, record.run}, *request.signal, request.batch_only});
  return std::nullopt;
}

}  // namespace

void on_jobs_cancelled(State& state, const JobsCancelled& event, const Now& now, Effects& out) {
  ActionReply reply;
  std::vector<JobSelector> unknown;
  for (JobId id : select_jobs(state, event.request.filter, unknown)) {
    // Without ids the filter means what can be cancelled.
    if (event.request.filter.jobs.empty() && state.job(id).state == JobState::ended) continue;
    ActionAnswer line = answer(state.job(id));
    std::optional<Error> error;
    if (!may_touch(state, event.caller, id)) error = not_yours(event.caller);
    else if (event.request.signal) error = signal_one(state, id, event.request, out);
    else error = cancel_one(state, id, event, now, out);
    if (error) {
      line.error = error->code;
      line.detail = error->detail;
    }
    reply.answers.push_back(std::move(line));
  }
  answer_unknown(unknown, reply);
  out.reply(event.from, reply);
}

// --- hold, release, requeue, update ------------------------------------------------------------
namespace {

std::optional<Error> set_hold(State& state, JobId id, Hold hold, const Now& now) {
  if (state.job(id).state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  if (state.job(id).state != JobState::pending)
    return Error{ErrorCode::job_not_pending, "it is running; requeuehold stops it and holds it"};
  state.dequeue(id);
  JobRecord& record = state.edit_job(id);
  record.hold = hold;
  record.priority = hold == Hold::none ? priority_of(record) : 0;
  if (hold == Hold::none) record.retries_by_node = 0;
  settle_pending(state, id, now);
  return std::nullopt;
}

std::optional<Error> release(State& state, JobId id, const Caller& caller, const Now& now) {
  if (state.job(id).hold == Hold::admin && !caller.is_admin)
    return Error{ErrorCode::access_denied, "it was held by an administrator"};
  return set_hold(state, id, Hold::none, now);
}

// A job that ended gets a new run; its last one goes to the history of runs.
void requeue_ended(State& state, JobId id, const Now& now) {
  const JobRecord& record = state.job(id);
  const bool is_rest = record.array && !record.array->task;
  state.jobs_live += is_rest ? record.array->waiting.size() : 1;
  if (record.array && record.array->task) ++state.arrays[record.array->array_id].open;
  const JobEnd end = *record.end;
  // Who asks for it again by hand no longer waits for others, which may be gone.
  state.edit_job(id).dependency = {};
  queue_again(state, id, end, now);
}

std::optional<Error> requeue(State& state, JobId id, const Caller& caller, bool hold,
                             const Now& now, Effects& out) {
  const JobRecord& record = state.job(id);
  if (record.state == JobState::pending)
    return Error{ErrorCode::job_not_pending, "it has not run since it was last queued"};
  if (!record.requeue)
    return Error{ErrorCode::requeue_disabled, "it was submitted with --no-requeue"};
  if (state.spec(id).batch.script_id.empty())
    return Error{ErrorCode::requeue_disabled, "its script is not known here"};
  if (hold) {
    JobRecord& held = state.edit_job(id);
    held.hold = caller.is_admin ? Hold::admin : Hold::user;
    held.priority = 0;
  }
  if (state.job(id).state == JobState::ended) requeue_ended(state, id, now);
  else
    end_run(state, id, {CauseKind::requeued, caller.uid,
                        fmt::format("requeued by uid {}", caller.uid)},
            now, out);
  return std::nullopt;
}

bool raises(const TimeLimit& asked, const std::optional<TimeLimit>& now) {
  if (!now || now->unlimited) return false;
  return asked.unlimited || asked.minutes > now->minutes;
}

std::optional<Error> check_update(const JobRecord& record, const UpdateJobs& request,
                                  const Caller& caller) {
  if (record.state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  const bool privileged = (request.time_limit && raises(*request.time_limit, record.time_limit)) ||
                          (request.priority && *request.priority > record.priority) ||
                          (request.nice && *request.nice < record.nice);
  if (privileged && !caller.is_admin)
    return Error{ErrorCode::access_denied, "only an administrator may raise this"};
  if (request.time_limit && record.state != JobState::pending)
    return Error{ErrorCode::job_not_pending, "the time limit of a running job cannot change yet"};
  if (request.requeue && *request.requeue != record.requeue && holds_resources(record.state))
    return Error{ErrorCode::job_not_pending,
                 "its run was started under the other rule; requeue can change while it is pending"};
  if (request.priority && record.hold != Hold::none && *request.priority > 0)
    return Error{ErrorCode::job_held, ""};
  if (request.array_max_running && !record.array)
    return Error{ErrorCode::invalid_argument, "it is not a job array"};
  return std::nullopt;
}

std::optional<Error> update(State& state, JobId id, const UpdateJobs& request, const Caller& caller,
                            const Now& now) {
  if (auto refused = check_update(state.job(id), request, caller)) return refused;
  const bool pending = state.job(id).state == JobState::pending;
  if (pending) state.dequeue(id);
  JobRecord& record = state.edit_job(id);
  if (request.time_limit)
    record.time_limit = request.time_limit->unlimited ? std::nullopt : request.time_limit;
  if (request.nice) {
    record.nice = *request.nice;
    if (record.hold == Hold::none) record.priority = priority_of(record);
  }
  if (request.priority) record.priority = *request.priority;
  if (request.requeue) record.requeue = *request.requeue;
  if (request.array_max_running) record.array->max_running = *request.array_max_running;
  if (pending) settle_pending(state, id, now);
  return std::nullopt;
}

std::optional<Error> act(State& state, JobId id, const JobsUpdated& event, const Now& now,
                         Effects& out) {
  const Caller& caller = event.caller;
  if (!may_touch(state, caller, id)) return not_yours(caller);
  switch (event.request.action) {
    case JobAction::hold:
      return set_hold(state, id, caller.is_admin ? Hold::admin : Hold::user, now);
    case JobAction::uhold: return set_hold(state, id, Hold::user, now);
    case JobAction::release: return release(state, id, caller, now);
    case JobAction::requeue: return requeue(state, id, caller, false, now, out);
    case JobAction::requeue_hold: return requeue(state, id, caller, true, now, out);
    case JobAction::update: return update(state, id, event.request, caller, now);
  }
  return std::nullopt;
}

}  // namespace

void on_jobs_updated(State& state, const JobsUpdated& event, const Now& now, Effects& out) {
  ActionReply reply;
  std::vector<JobSelector> unknown;
  for (JobId id : select_jobs(state, event.request.filter, unknown)) {
    const std::optional<Error> error = act(state, id, event, now, out);
    if (!error) audit(state, now, "job_updated", id, "", event.caller.uid, enum_name(event.request.action));
    reply.answers.push_back(answer(state.job(id), error));
  }
  answer_unknown(unknown, reply);
  out.reply(event.from, reply);
}

void on_job_awaited(State& state, const JobAwaited& event, Effects& out) {
  const JobId id = event.request.job;
  const JobEntry* entry = state.find_job(id);
  if (!entry) return out.refuse(event.from, {ErrorCode::invalid_job_id, fmt::format("{}", id.value)});
  const bool is_array = entry->record.array && entry->record.array->array_id == id;
  const auto tasks = state.arrays.find(id);
  const bool open = entry->record.state != JobState::ended ||
                    (is_array && tasks != state.arrays.end() && tasks->second.open > 0);
  if (open) state.waiters[id].push_back(event.from);
  else out.reply(event.from, WaitReply{*entry->record.end});
}

}  // namespace sluice
