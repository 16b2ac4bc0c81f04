// runs.cpp: what agents say of the parts of a run, and orders to end them. News of a run that is no
// longer the present one, or of a part already over, is late: it is audited and otherwise ignored.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"

namespace sluice {
namespace {

// The index of the node's part in the job's present run.
std::optional<std::size_t> find_part(const State& state, const RunId& id, const std::string& node) {
  const JobEntry* entry = state.find_job(id.job);
  if (!entry || entry->record.run != id.run || !holds_resources(entry->record.state))
    return std::nullopt;
  for (std::size_t i = 0; i < entry->record.parts.size(); ++i)
    if (entry->record.parts[i].node == node) return i;
  return std::nullopt;
}

void ignore(State& state, const Now& now, const char* what, const RunId& id,
            const std::string& node) {
  audit(state, now, "news_ignored", id.job, node, 0, fmt::format("{} of run {}", what, id.run.value));
}

bool is_over(const RunPart& part) { return part.state == PartState::over; }

// Jobs that wait for the start of this one; and mails.
void after_start(State& state, JobId id, const Now& now, Effects& out) {
  mail_job(state, id, MailType::BEGIN, out);
  schedule_limit_mails(state, id, now);
  settle_dependents(state, id, std::nullopt, now, out);
  const std::optional<ArrayPlace> array = state.job(id).array;
  if (array && array->array_id != id)
    settle_dependents(state, array->array_id, array->task, now, out);
}

void start_job_if_all_started(State& state, JobId id, WallTime started, const Now& now,
                              Effects& out) {
  const JobRecord& record = state.job(id);
  if (!has_transition(job_transitions, record.state, JobEvent::started)) return;
  if (!std::all_of(record.parts.begin(), record.parts.end(), [](const RunPart& part) {
        return part.state == PartState::started || part.state == PartState::over;
      }))
    return;
  JobRecord& edited = state.edit_job(id);
  ASSERT(advance(edited.state, JobEvent::started));
  edited.times.started = started;
  state.expect_end(edited, now);
  audit(state, now, "run_started", id, edited.parts.front().node, 0, "");
  after_start(state, id, now, out);
}

}  // namespace

void on_run_accepted(State& state, const RunAcceptedByNode& event, const Now& now, Effects&) {
  const RunId& id = event.message.id;
  const auto part = find_part(state, id, event.node);
  if (!part) return ignore(state, now, "acceptance", id, event.node);
  state.unacknowledged.erase({id.job, event.node});
  if (state.job(id.job).parts[*part].state == PartState::ordered)
    advance(state.edit_job(id.job).parts[*part].state, PartEvent::accepted);
}

void on_run_started(State& state, const RunStartedOnNode& event, const Now& now, Effects& out) {
  const RunId& id = event.message.id;
  const auto part = find_part(state, id, event.node);
  if (!part) return ignore(state, now, "start", id, event.node);
  state.unacknowledged.erase({id.job, event.node});
  const PartState before = state.job(id.job).parts[*part].state;
  if (before == PartState::started || before == PartState::over) return;
  advance(state.edit_job(id.job).parts[*part].state, PartEvent::started);
  start_job_if_all_started(state, id.job, event.message.started_wall, now, out);
  send_orders(state, id.job, now, out);
}

void on_run_refused(State& state, const RunRefusedByNode& event, const Now& now, Effects& out) {
  ExitRecord record;
  record.id = event.message.id;
  record.node = event.node;
  record.node_fault = event.message.node_fault;
  record.cause = {event.message.node_fault ? CauseKind::node_fault : CauseKind::launch_failed,
                  std::nullopt, to_text(Error{event.message.code, event.message.detail})};
  record.ended_wall = now.wall;
  close_part(state, record.id.job, event.node, record, now, out);
}

void on_run_exited(State& state, const RunExitedOnNode& event, const Now& now, Effects& out) {
  const ExitRecord& record = event.message.record;
  const auto part = find_part(state, record.id, event.node);
  // Committed before, or never ours: either way the node may forget it now.
  if (!part || is_over(state.job(record.id.job).parts[*part]))
    ignore(state, now, "exit", record.id, event.node);
  else
    close_part(state, record.id.job, event.node, record, now, out);
  out.send(event.node, ExitCommitted{record.id});
}

void close_part(State& state, JobId id, const std::string& node, const ExitRecord& exit,
                const Now& now, Effects& out) {
  const auto index = find_part(state, exit.id, node);
  if (!index || is_over(state.job(id).parts[*index])) return;
  state.unacknowledged.erase({id, node});
  JobRecord& record = state.edit_job(id);
  RunPart& part = record.parts[*index];
  ASSERT(advance(part.state, PartEvent::exited));
  part.exit = exit;
  if (*index == 0) {
    record.usage = exit.usage;
    // Of a part that is lost nobody measured it; what its node once told stays.
    if (exit.script_started && exit.started_wall != WallTime{})
      record.times.started = exit.started_wall;
    record.times.elapsed = exit.elapsed;
  }
  state.free_share(record, record.allocation.shares[*index]);
  if (std::all_of(record.parts.begin(), record.parts.end(), is_over))
    return finish_run(state, id, now, out);
  // The script's end, or the loss of a member, ends the other parts.
  const Cause cause = exit.cause.kind != CauseKind::none ? exit.cause : Cause{};
  end_run(state, id, *index == 0 ? cause
                                 : Cause{CauseKind::gang_part_missing, std::nullopt,
                                         fmt::format("part on {} ended first", node)},
          now, out);
}

void close_lost_part(State& state, JobId id, const std::string& node, const Cause& cause,
                     const Now& now, Effects& out) {
  ExitRecord exit;
  exit.id = {id, state.job(id).run};
  exit.node = node;
  exit.script_started = true;
  exit.ended_wall = now.wall;
  exit.cause = cause;
  close_part(state, id, node, exit, now, out);
}

void end_run(State& state, JobId id, const Cause& cause, const Now& now, Effects& out,
             std::optional<std::uint32_t> kill_wait_s) {
  JobRecord& record = state.edit_job(id);
  ASSERT(holds_resources(record.state));
  if (record.state != JobState::completing) ASSERT(advance(record.state, JobEvent::ending));
  if (!record.ending) record.ending = cause;
  const KillRun order{
      {id, record.run}, *record.ending, kill_wait_s.value_or(state.config->timeouts.kill_wait_s)};
  std::vector<std::string> never_sent;
  for (const RunPart& part : record.parts) {
    if (is_over(part)) continue;
    if (part.ordered_at == WallTime{}) never_sent.push_back(part.node);
    else out.send(part.node, order);
  }
  for (const std::string& node : never_sent) {
    ExitRecord exit;
    exit.id = order.id;
    exit.node = node;
    exit.cause = order.cause;
    exit.ended_wall = now.wall;
    close_part(state, id, node, exit, now, out);
  }
}

void check_launches(State& state, const Now& now, Effects& out) {
  // An order that a node does not acknowledge goes elsewhere; but the node must say that nothing of it
  // runs before the job may start again: end_run() waits for that word.
  const Duration patience = std::chrono::seconds{state.config->timeouts.launch_timeout_s};
  std::vector<std::pair<JobId, std::string>> late;
  for (const auto& [order, since] : state.unacknowledged)
    if (now.steady - since > patience) late.push_back(order);
  for (const auto& [id, node] : late) {
    state.unacknowledged.erase({id, node});
    const JobEntry* entry = state.find_job(id);
    if (!entry || entry->record.state != JobState::starting) continue;
    end_run(state, id, {CauseKind::node_fault, std::nullopt,
                        fmt::format("node {} did not acknowledge the launch within {} s", node,
                                    state.config->timeouts.launch_timeout_s)},
            now, out);
  }
}

}  // namespace sluice
