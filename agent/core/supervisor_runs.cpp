// supervisor_runs.cpp: the life of a run on this node, from the order to the committed exit record.
#include <utility>

#include "agent/core/supervisor.h"
#include "common/base/assert.h"

namespace sluice::agent {
namespace {

// A shepherd needs a moment after the last KILL: to reap, to write, to leave.
constexpr std::uint32_t kill_margin_s = 15;
// Runs that are over are remembered so that a late order is not taken.
constexpr std::size_t past_max = 4096;

std::string to_text(RunId id) {
  return "job " + std::to_string(id.job.value) + " run " + std::to_string(id.run.value);
}

}  // namespace

Supervisor::Run* Supervisor::find(RunId id) {
  const auto at = runs_.find(id);
  return at == runs_.end() ? nullptr : &at->second;
}

// --- taking an order ---------------------------------------------------------------------------

void Supervisor::handle(const LaunchRun& event, const Now& now, Effects& out) {
  const RunId id = event.order.id;
  if (Run* known = find(id)) return repeat_answer(id, *known, now, out);
  if (past_.contains(id))
    return out.send(RunRefused{id, ErrorCode::job_finished, to_text(id) + " is over here", false});
  Run& run = add_run(event.order);
  run.order = event.order;
  fetch_or_spool(id, run, out);
}

void Supervisor::repeat_answer(RunId id, Run& run, const Now& now, Effects& out) {
  switch (run.phase) {
    case RunPhase::fetching:
    case RunPhase::spooling:
      return;  // the answer comes when the order lies in the spool
    case RunPhase::waiting:
    case RunPhase::cleaning:
      return out.send(RunAccepted{id});
    case RunPhase::tended:
      out.send(RunAccepted{id});
      if (run.started_wall) out.send(RunStarted{id, *run.started_wall});
      return;
    case RunPhase::over:
      return send_record(run, now, out);
  }
}

void Supervisor::fetch_or_spool(RunId id, Run& run, Effects& out) {
  LaunchOrder& order = *run.order;
  bool complete = true;
  const auto fill = [&](const std::string& content_id, std::string& bytes) {
    if (!bytes.empty() || content_id.empty()) return;
    if (const std::string* found = blobs_.find(content_id)) {
      bytes = *found;
      return;
    }
    complete = false;
    if (const auto question = blobs_.want(content_id)) out.send(*question);
  };
  fill(order.script_id, order.script);
  fill(order.environment_id, order.environment);
  if (!complete) return;
  run.phase = RunPhase::spooling;
  const std::uint32_t kill_wait_s = accepted_ ? accepted_->timeouts.kill_wait_s : 30;
  SpoolOrder effect{std::move(order), kill_wait_s};
  run.order.reset();
  effect.order.id = id;
  out.add(std::move(effect));
}

void Supervisor::handle(const BlobChunk& event, const Now&, Effects& out) {
  const BlobCache::Progress progress = blobs_.take(event);
  if (progress.next) return out.send(*progress.next);
  if (!progress.complete && !progress.failed)
    return out.add(Ignored{"a chunk nobody waits for: " + event.content_id});
  const std::map<RunId, Run>& runs = runs_;
  std::vector<RunId> waiting;
  for (const auto& [id, run] : runs) {
    if (run.phase != RunPhase::fetching) continue;
    if (run.order->script_id == event.content_id || run.order->environment_id == event.content_id)
      waiting.push_back(id);
  }
  for (RunId id : waiting) {
    if (progress.complete) {
      fetch_or_spool(id, *find(id), out);
      continue;
    }
    runs_.erase(id);
    out.send(RunRefused{id, ErrorCode::protocol_error,
                        "content " + event.content_id + " did not come whole", true});
  }
}

void Supervisor::handle(const OrderSpooled& event, const Now& now, Effects& out) {
  Run* run = find(event.id);
  if (!run || run->phase != RunPhase::spooling)
    return out.add(Ignored{"spooled again: " + to_text(event.id)});
  run->phase = RunPhase::waiting;
  out.send(RunAccepted{event.id});
  if (run->limit_changed) out.add(TellTimeLimit{{event.id, run->report.time_limit_s}});
  if (!run->killed) return spawn_if_leased(event.id, *run, now, out);
  end_untended(event.id, *run, record_of(event.id, *run, run->killed->cause, false, now), now, out);
}

void Supervisor::handle(const OrderNotSpooled& event, const Now&, Effects& out) {
  Run* run = find(event.id);
  if (!run || run->phase != RunPhase::spooling)
    return out.add(Ignored{"not spooled: " + to_text(event.id)});
  runs_.erase(event.id);
  remember_over(event.id);
  out.send(RunRefused{event.id, event.code, event.detail, event.node_fault});
}

// --- under a shepherd --------------------------------------------------------------------------

void Supervisor::spawn_if_leased(RunId id, Run& run, const Now& now, Effects& out) {
  if (run.leased && !lease_is_valid(now)) return;
  run.phase = RunPhase::tended;
  out.add(SpawnShepherd{id});
}

void Supervisor::spawn_waiting(const Now& now, Effects& out) {
  for (auto& [id, run] : runs_)
    if (run.phase == RunPhase::waiting) spawn_if_leased(id, run, now, out);
}

void Supervisor::handle(const ShepherdNotSpawned& event, const Now& now, Effects& out) {
  Run* run = find(event.id);
  if (!run || run->phase != RunPhase::tended)
    return out.add(Ignored{"not spawned: " + to_text(event.id)});
  ExitRecord record = record_of(event.id, *run,
                                {CauseKind::node_fault, {},
                                 "no shepherd could be started on " + self_.node + ": " +
                                     event.detail},
                                true, now);
  end_untended(event.id, *run, std::move(record), now, out);
}

void Supervisor::handle(const ScriptStarted& event, const Now&, Effects& out) {
  Run* run = find(event.id);
  if (!run || run->phase != RunPhase::tended || run->started_wall)
    return out.add(Ignored{"started: " + to_text(event.id)});
  run->started_wall = event.started_wall;
  out.send(RunStarted{event.id, event.started_wall});
}

void Supervisor::handle(const ShepherdGone& event, const Now& now, Effects& out) {
  Run* run = find(event.id);
  if (!run || run->phase != RunPhase::tended)
    return out.add(Ignored{"shepherd gone: " + to_text(event.id)});
  if (event.record) return finish(event.id, *run, *event.record, now, out);
  run->phase = RunPhase::cleaning;
  out.add(KillRemains{event.id});
}

void Supervisor::handle(const RemainsKilled& event, const Now& now, Effects& out) {
  Run* run = find(event.id);
  if (!run || run->phase != RunPhase::cleaning)
    return out.add(Ignored{"remains killed: " + to_text(event.id)});
  const Cause lost{CauseKind::supervisor_lost,
                   {},
                   "the shepherd of " + to_text(event.id) + " on " + self_.node +
                       " ended without a word; what it kept was killed"};
  ExitRecord record = record_of(event.id, *run, run->killed ? run->killed->cause : lost,
                                !run->killed.has_value(), now);
  record.status.signal = 9;
  record.usage = event.usage;
  end_untended(event.id, *run, std::move(record), now, out);
}

// --- orders to a run ---------------------------------------------------------------------------

void Supervisor::handle(const KillRun& event, const Now& now, Effects& out) {
  Run* run = find(event.id);
  if (!run) {
    // Never seen, or long forgotten: the answer also is the tombstone that stops a late order.
    Run& tombstone = runs_[event.id];
    tombstone.in_spool = false;
    const Cause unknown{CauseKind::supervisor_lost,
                        {},
                        "node " + self_.node + " has nothing of " + to_text(event.id)};
    return finish(event.id, tombstone, record_of(event.id, tombstone, unknown, true, now), now,
                  out);
  }
  const bool first = !run->killed.has_value();
  if (first) run->killed = event;
  switch (run->phase) {
    case RunPhase::fetching:
      run->in_spool = false;
      run->order.reset();
      return finish(event.id, *run, record_of(event.id, *run, event.cause, false, now), now, out);
    case RunPhase::spooling:
    case RunPhase::cleaning:
      return;  // the end comes with the answer that is awaited
    case RunPhase::waiting:
      return end_untended(event.id, *run, record_of(event.id, *run, event.cause, false, now), now,
                          out);
    case RunPhase::tended:
      out.add(TellKill{event});
      if (first)
        out.add(ArmTimer{TimerKind::kill_overdue, event.id,
                         now.steady + std::chrono::seconds{event.kill_wait_s + kill_margin_s}});
      return;
    case RunPhase::over:
      return send_record(*run, now, out);
  }
}

void Supervisor::handle(const KillOverdue& event, const Now&, Effects& out) {
  const Run* run = find(event.id);
  if (run && run->phase == RunPhase::tended) out.add(KillShepherd{event.id});
}

void Supervisor::handle(const SignalRun& event, const Now&, Effects& out) {
  const Run* run = find(event.id);
  if (!run || run->phase != RunPhase::tended)
    return out.add(Ignored{"signal for " + to_text(event.id)});
  out.add(TellSignal{event});
}

void Supervisor::handle(const SetTimeLimit& event, const Now&, Effects& out) {
  Run* run = find(event.id);
  if (!run || run->phase == RunPhase::cleaning || run->phase == RunPhase::over)
    return out.add(Ignored{"time limit for " + to_text(event.id)});
  run->report.time_limit_s = event.time_limit_s;
  if (run->phase == RunPhase::fetching) run->order->time_limit_s = event.time_limit_s;
  else if (run->phase == RunPhase::spooling) run->limit_changed = true;
  else out.add(TellTimeLimit{event});
}

// --- the end -----------------------------------------------------------------------------------

ExitRecord Supervisor::record_of(RunId id, const Run& run, Cause cause, bool node_fault,
                                 const Now& now) const {
  ExitRecord record;
  record.id = id;
  record.node = self_.node;
  record.script_started = run.started_wall.has_value();
  record.cause = std::move(cause);
  record.node_fault = node_fault;
  record.started_wall = run.started_wall.value_or(now.wall);
  record.ended_wall = now.wall;
  if (run.started_wall && now.wall > *run.started_wall)
    record.elapsed = now.wall - *run.started_wall;
  return record;
}

void Supervisor::end_untended(RunId id, Run& run, ExitRecord record, const Now& now,
                              Effects& out) {
  out.add(WriteExit{record});
  finish(id, run, std::move(record), now, out);
}

void Supervisor::finish(RunId id, Run& run, ExitRecord record, const Now& now, Effects& out) {
  ASSERT(record.id == id);
  run.phase = RunPhase::over;
  run.record = std::move(record);
  send_record(run, now, out);
}

void Supervisor::send_record(Run& run, const Now& now, Effects& out) {
  if (!connected_) return;  // the next registration carries it
  run.record_sent = now.steady;
  out.send(RunExited{*run.record});
}

void Supervisor::resend_records(const Now& now, Effects& out) {
  const auto patience = std::chrono::seconds{accepted_->timeouts.message_timeout_s};
  for (auto& [id, run] : runs_)
    if (run.record && run.record_sent && now.steady - *run.record_sent > patience)
      send_record(run, now, out);
}

void Supervisor::handle(const ExitCommitted& event, const Now&, Effects& out) {
  const Run* run = find(event.id);
  if (!run || run->phase != RunPhase::over)
    return out.add(Ignored{"exit committed: " + to_text(event.id)});
  if (run->in_spool) out.add(RemoveRun{event.id});
  runs_.erase(event.id);
  remember_over(event.id);
}

void Supervisor::remember_over(RunId id) {
  if (!past_.insert(id).second) return;
  past_order_.push_back(id);
  if (past_order_.size() <= past_max) return;
  past_.erase(past_order_.front());
  past_order_.pop_front();
}

}  // namespace sluice::agent
