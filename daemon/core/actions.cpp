// actions.cpp: cancel, signal, hold, release, requeue and update, one answer for each job that was meant.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "daemon/core/change.h"
#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"
#include "daemon/core/priority.h"
#include "daemon/core/select.h"

namespace sluice {
namespace {

ActionAnswer answer(const JobRecord& record, std::optional<Error> error = std::nullopt) {
  ActionAnswer line{record.id, shown_id(record.id, record.array), std::nullopt, {}};
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

// The array that a filter means as a whole by this record, {} for a filter without ids; none: the
// record itself is named.
std::optional<JobId> meant_within(const JobRecord& record, const JobFilter& filter) {
  if (filter.jobs.empty()) return JobId{};
  if (!record.array) return std::nullopt;
  for (const JobSelector& selector : filter.jobs)
    if (selector.tasks.empty() && selector.job == record.array->array_id) return selector.job;
  return std::nullopt;
}

// An array, and a filter without ids, mean what the action can do something to. Where that is
// nothing, all is meant, so that the answers say why.
template <class Fits>
std::vector<JobId> select_fitting(const State& state, const JobFilter& filter,
                                  std::vector<JobSelector>& unknown, Fits fits) {
  std::vector<JobId> selected = select_jobs(state, filter, unknown);
  std::set<std::optional<JobId>> fitting;
  for (JobId id : selected)
    if (fits(state.job(id).state)) fitting.insert(meant_within(state.job(id), filter));
  std::erase_if(selected, [&](JobId id) {
    const std::optional<JobId> within = meant_within(state.job(id), filter);
    return within && !fits(state.job(id).state) && fitting.contains(within);
  });
  return selected;
}

std::optional<Error> cancel_one(State& state, JobId id, const JobsCancelled& event, const Now& now,
                                Effects& out,
                                std::optional<std::uint32_t> kill_wait_s = std::nullopt) {
  const JobState job_state = state.job(id).state;
  if (job_state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  const Cause cause{CauseKind::cancelled, event.caller.uid,
                    fmt::format("cancelled by uid {}", event.caller.uid)};
  if (job_state != JobState::pending) {
    end_run(state, id, cause, now, out, kill_wait_s);
    return std::nullopt;
  }
  const std::vector<JobId> meant = TRY(split_named_tasks(state, id, event.request.filter));
  for (JobId task : meant) close_pending_job(state, task, Outcome::cancelled, cause, now, out);
  return std::nullopt;
}

constexpr std::uint32_t kill_signal = 9;

SignalReach reach_of(const CancelJobs& request) {
  if (request.full) return SignalReach::all;
  return request.batch_only ? SignalReach::script : SignalReach::children;
}

// Whose processes are all killed is cancelled. That is said first: it is the cause of the deaths.
// The signal itself is for a job that was ending with more patience.
bool ends_job(const CancelJobs& request) {
  return *request.signal == kill_signal && reach_of(request) != SignalReach::script;
}

// A job that waits has no processes: what kills them all ends it, other signals find nobody.
std::optional<Error> signal_one(State& state, JobId id, const JobsCancelled& event, const Now& now,
                                Effects& out) {
  const CancelJobs& request = event.request;
  const JobState job_state = state.job(id).state;
  if (job_state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  if (job_state == JobState::pending && *request.signal != kill_signal)
    return Error{ErrorCode::job_not_alterable, "it is pending; only a running job takes signals"};
  if (job_state == JobState::pending || ends_job(request))
    if (auto refused = cancel_one(state, id, event, now, out, 0)) return refused;
  const SignalReach reach = ends_job(request) ? SignalReach::all : reach_of(request);
  const JobRecord& record = state.job(id);
  for (const RunPart& part : record.parts)
    if (part.state != PartState::over)
      out.send(part.node, SignalRun{{id, record.run}, *request.signal, reach});
  return std::nullopt;
}

}  // namespace

void on_jobs_cancelled(State& state, const JobsCancelled& event, const Now& now, Effects& out) {
  ActionReply reply;
  std::vector<JobSelector> unknown;
  const bool reaches_processes = event.request.signal && *event.request.signal != kill_signal;
  const auto fits = [&](JobState job_state) {
    return reaches_processes ? holds_resources(job_state) : job_state != JobState::ended;
  };
  for (JobId id : select_fitting(state, event.request.filter, unknown, fits)) {
    // Without ids the filter means what can be cancelled.
    if (event.request.filter.jobs.empty() && state.job(id).state == JobState::ended) continue;
    ActionAnswer line = answer(state.job(id));
    std::optional<Error> error;
    if (!may_touch(state, event.caller, id)) error = not_yours(event.caller);
    else if (event.request.signal) error = signal_one(state, id, event, now, out);
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

bool fits(JobAction action, JobState state) {
  switch (action) {
    case JobAction::hold:
    case JobAction::uhold:
    case JobAction::release:
      return state == JobState::pending;
    case JobAction::requeue:
    case JobAction::requeue_hold:
      return state != JobState::pending;
    case JobAction::update:
      return state != JobState::ended;
  }
  return true;
}

// --- may it be done?

std::optional<Error> check_hold(const JobRecord& record, JobAction action, const Caller& caller) {
  if (record.state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  if (record.state != JobState::pending)
    return Error{ErrorCode::job_not_pending, "it is running; requeuehold stops it and holds it"};
  if (action == JobAction::release && record.hold == Hold::admin && !caller.is_admin)
    return Error{ErrorCode::access_denied, "it was held by an administrator"};
  return std::nullopt;
}

std::optional<Error> check_requeue(const State& state, const JobRecord& record,
                                   const JobSpec& spec) {
  if (record.state == JobState::pending)
    return Error{ErrorCode::job_pending, "it has not run since it was last queued"};
  if (!record.requeue)
    return Error{ErrorCode::requeue_disabled, "it was submitted with --no-requeue"};
  if (spec.batch.script_id.empty())
    return Error{ErrorCode::requeue_disabled, "its script is not known here"};
  if (record.state != JobState::ended) return std::nullopt;
  // It counts as submitted again.
  std::vector<PartitionChoice> choices;
  for (Standing& standing : standings_of(*state.config, record))
    choices.push_back(std::move(standing.choice));
  if (const auto checked = check_submit_limits(state, nullptr, choices, task_count(record));
      !checked)
    return checked.error();
  return std::nullopt;
}

bool raises(const TimeLimit& asked, const std::optional<TimeLimit>& now) {
  if (!now || now->unlimited) return false;
  return asked.unlimited || length_of(asked) > length_of(now);
}

std::optional<Error> check_update(const State& state, const JobRecord& record,
                                  const UpdateJobs& request, const Caller& caller) {
  if (record.state == JobState::ended) return Error{ErrorCode::job_finished, ""};
  const bool privileged = (request.time_limit && raises(*request.time_limit, record.time_limit)) ||
                          (request.priority && *request.priority > shown_priority(*state.ranking, record)) ||
                          (request.nice && *request.nice < record.nice);
  if (privileged && !caller.is_admin)
    return Error{ErrorCode::access_denied, "only an administrator may raise this"};
  if (request.time_limit && record.state == JobState::completing)
    return Error{ErrorCode::job_finished, "it is ending"};
  if (request.requeue && *request.requeue != record.requeue && holds_resources(record.state))
    return Error{ErrorCode::job_not_pending,
                 "its run was started under the other rule; requeue can change while it is pending"};
  if (request.priority && record.hold != Hold::none && *request.priority > 0)
    return Error{ErrorCode::job_held, ""};
  if (request.array_max_running && !record.array)
    return Error{ErrorCode::invalid_argument, "it is not a job array"};
  return std::nullopt;
}

std::optional<Error> check_action(const State& state, JobId id, const JobsUpdated& event,
                                  const Now& now) {
  if (!may_touch(state, event.caller, id)) return not_yours(event.caller);
  const JobRecord& record = state.job(id);
  const JobAction action = event.request.action;
  switch (action) {
    case JobAction::hold:
    case JobAction::uhold:
    case JobAction::release:
      return check_hold(record, action, event.caller);
    case JobAction::requeue:
    case JobAction::requeue_hold:
      return check_requeue(state, record, state.spec(id));
    case JobAction::update:
      if (auto refused = check_update(state, record, event.request, event.caller)) return refused;
      if (const auto planned = plan_change(state, id, event, now); !planned) return planned.error();
  }
  return std::nullopt;
}

// --- it is done

void set_hold(State& state, JobId id, Hold hold, const Now& now) {
  state.dequeue(id);
  JobRecord& record = state.edit_job(id);
  record.hold = hold;
  record.priority = priority_of(*state.ranking, record);
  if (hold == Hold::none) {
    record.retries_by_node = 0;
    record.retries_by_exit = 0;
    record.special_exit = false;
  }
  settle_pending(state, id, now);
}

// A job that ended gets a new run; its last one goes to the history of runs.
void requeue_ended(State& state, JobId id, const Now& now, Effects& out) {
  const JobRecord& record = state.job(id);
  state.by_name[twins_of(state.spec(id))].open.insert(id);
  state.count_live(record, static_cast<std::int64_t>(task_count(record)));
  const JobEnd end = *record.end;
  if (record.array && record.array->task) {
    ArrayTasks& tasks = state.arrays[record.array->array_id];
    ++tasks.open;
    if (end.outcome != Outcome::completed) --tasks.bad;
  }
  // Who asks for it again by hand no longer waits for others, which may be gone.
  state.edit_job(id).dependency = {};
  queue_again(state, id, end, now, out);
}

void requeue(State& state, JobId id, const JobsUpdated& event, std::optional<Hold> hold,
             const Now& now, Effects& out) {
  const Caller& caller = event.caller;
  if (hold) {
    JobRecord& held = state.edit_job(id);
    held.hold = *hold;
    held.priority = 0;
    held.special_exit = event.request.special_exit;
  }
  if (state.job(id).state == JobState::ended) return requeue_ended(state, id, now, out);
  end_run(state, id,
          {CauseKind::requeued, caller.uid, fmt::format("requeued by uid {}", caller.uid)}, now,
          out);
}

// A node that is away now is told when it registers again; one whose order has not left is told by
// it.
void send_time_limit(const State& state, JobId id, Effects& out) {
  const JobRecord& record = state.job(id);
  for (const RunPart& part : record.parts)
    if (part.state != PartState::over && part.ordered_at != WallTime{})
      out.send(part.node, SetTimeLimit{{id, record.run}, time_limit_s(record)});
}

void update(State& state, JobId id, const UpdateJobs& request, Hold hold, const Now& now,
            Effects& out) {
  const bool pending = state.job(id).state == JobState::pending;
  if (pending) state.dequeue(id);
  JobRecord& record = state.edit_job(id);
  if (request.time_limit)
    record.time_limit = request.time_limit->unlimited ? std::nullopt : request.time_limit;
  if (request.nice) {
    record.nice = *request.nice;
  }
  if (request.priority) {
    record.priority_asked = *request.priority > 0 ? request.priority : std::nullopt;
    if (!pending) record.priority = *request.priority;
    else if (*request.priority == 0) record.hold = hold;  // as Slurm means it
  }
  if (pending) record.priority = priority_of(*state.ranking, record);
  if (request.requeue) record.requeue = *request.requeue;
  if (request.array_max_running) record.array->max_running = *request.array_max_running;
  if (pending) settle_pending(state, id, now);
  else if (request.time_limit) {
    state.expect_end(record, now);
    state.plan_wanted = true;
    send_time_limit(state, id, out);
    schedule_limit_mails(state, id, now);
  }
}

void act(State& state, JobId id, const JobsUpdated& event, const Now& now, Effects& out) {
  const Caller& caller = event.caller;
  const Hold hold = caller.is_admin ? Hold::admin : Hold::user;
  switch (event.request.action) {
    case JobAction::hold:
      return set_hold(state, id, hold, now);
    case JobAction::uhold: return set_hold(state, id, Hold::user, now);
    case JobAction::release:
      return set_hold(state, id, Hold::none, now);
    case JobAction::requeue:
      return requeue(state, id, event, std::nullopt, now, out);
    case JobAction::requeue_hold:
      return requeue(state, id, event, hold, now, out);
    case JobAction::update:
      if (!event.request.members.empty())
        if (const auto planned = plan_change(state, id, event, now))
          apply_change(state, id, *planned, event, now, out);
      if (state.job(id).state != JobState::ended) update(state, id, event.request, hold, now, out);
      return;
  }
}

// All that the filter means by this record, or why it cannot be.
Result<std::vector<JobId>> act_on(State& state, JobId id, const JobsUpdated& event, const Now& now,
                                  Effects& out) {
  if (auto refused = check_action(state, id, event, now)) return *refused;
  std::vector<JobId> meant{id};
  if (state.job(id).state == JobState::pending)
    meant = TRY(split_named_tasks(state, id, event.request.filter));
  for (JobId task : meant) {
    act(state, task, event, now, out);
    audit(state, now, "job_updated", task, "", event.caller.uid, enum_name(event.request.action));
  }
  return meant;
}

}  // namespace

void on_jobs_updated(State& state, const JobsUpdated& event, const Now& now, Effects& out) {
  ActionReply reply;
  std::vector<JobSelector> unknown;
  const auto can_be_meant = [&](JobState job_state) {
    return fits(event.request.action, job_state);
  };
  for (JobId id : select_fitting(state, event.request.filter, unknown, can_be_meant)) {
    const std::optional<JobEnd>& end = state.job(id).end;
    if (event.request.incomplete && end && end->outcome == Outcome::completed) continue;
    const Result<std::vector<JobId>> done = act_on(state, id, event, now, out);
    if (!done) reply.answers.push_back(answer(state.job(id), done.error()));
    else
      for (JobId task : *done) reply.answers.push_back(answer(state.job(task)));
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
