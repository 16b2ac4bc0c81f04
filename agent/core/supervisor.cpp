// supervisor.cpp: connection, registration, heartbeats and what is found at start.
#include "agent/core/supervisor.h"
#include "common/base/assert.h"

#include <algorithm>
#include <utility>

namespace sluice::agent {
namespace {

// Half-open connections look alive: this many heartbeats without an answer, and no fewer seconds than
// a message may take, end one.
constexpr std::size_t unanswered_heartbeats_max = 3;

PartState part_state(RunPhase phase, bool started) {
  if (phase == RunPhase::over) return PartState::over;
  return started ? PartState::started : PartState::accepted;
}

}  // namespace

Supervisor::Supervisor(Self self, const Now& start)
    : self_(std::move(self)), last_answer_(start.steady) {}

void Supervisor::on(const Event& event, const Now& now, Effects& out) {
  std::visit([&](const auto& content) { handle(content, now, out); }, event);
}

void Supervisor::handle(const Connected& event, const Now& now, Effects& out) {
  connected_ = true;
  welcome_ = false;
  register_again_.reset();
  register_node(event.vitals, now, out);
}

void Supervisor::register_node(const NodeVitals& vitals, const Now& now, Effects& out) {
  registered_ = false;
  heartbeats_unanswered_.clear();
  nonce_ = nonce_echoed_ = 0;  // nonces are of a registration: an earlier one may come again
  register_sent_ = now.steady;
  RegisterNode message;
  message.name = self_.node;
  message.identity = self_.identity;
  message.shape = self_.shape;
  message.pretended = self_.pretended;
  message.login = self_.login;
  message.runs = reports();
  message.vitals = vitals;
  out.send(std::move(message));
  for (auto& [id, run] : runs_)
    if (run.record) run.record_sent = now.steady;
}

// An acceptance answers the registration that was sent last: two must never be out at once, or the
// lease would be counted from a moment that the controller has not seen.
void Supervisor::handle(const Reconfigured& event, const Now& now, Effects& out) {
  self_ = event.self;
  if (!connected_) return;
  if (registered_) register_node(event.vitals, now, out);
  else register_again_ = event.vitals;
}

void Supervisor::handle(const Disconnected&, const Now&, Effects&) {
  connected_ = false;
  registered_ = false;
  welcome_ = false;
  register_again_.reset();
  heartbeats_unanswered_.clear();
  blobs_.forget_partial();
  // An order that still waits for its script was never acknowledged, and nothing of it is here.
  std::erase_if(runs_, [](const auto& entry) { return entry.second.phase == RunPhase::fetching; });
}

void Supervisor::handle(const NodeAccepted& event, const Now& now, Effects& out) {
  if (!connected_) return out.add(Ignored{"acceptance without a connection"});
  registered_ = true;
  welcome_ = true;
  accepted_ = event;
  out.add(Remember{event});
  fenced_ = event.leases;
  // The acceptance answers the registration as a reply answers a heartbeat.
  if (fenced_) set_lease(register_sent_ + lease_length(), now, out);
  else set_lease(std::nullopt, now, out);
  spawn_waiting(now, out);
  out.add(ArmTimer{TimerKind::heartbeat, {}, now.steady});
  if (fenced_) out.add(ArmTimer{TimerKind::witness_round, {}, now.steady + lease_length() / 8});
  if (const auto vitals = std::exchange(register_again_, std::nullopt))
    register_node(*vitals, now, out);
}

void Supervisor::handle(const HeartbeatDue& event, const Now& now, Effects& out) {
  if (!registered_) return;  // the next acceptance arms the timer again
  check_connection(now, out);
  out.send(Heartbeat{nonce_, event.vitals});
  heartbeats_unanswered_.push_back(now.steady);
  if (nonce_ != nonce_echoed_) {
    nonce_echoed_ = nonce_;
    last_answer_ = now.steady;
  }
  resend_records(now, out);
  const auto interval = std::chrono::milliseconds{accepted_->timeouts.heartbeat_ms};
  out.add(ArmTimer{TimerKind::heartbeat, {}, now.steady + interval});
}

void Supervisor::check_connection(const Now& now, Effects& out) {
  if (heartbeats_unanswered_.size() < unanswered_heartbeats_max) return;
  const auto patience = std::chrono::seconds{2 * accepted_->timeouts.message_timeout_s};
  if (now.steady - heartbeats_unanswered_.front() > patience) out.add(CloseConnection{});
}

void Supervisor::handle(const RunFound& event, const Now& now, Effects& out) {
  const RunId id = event.order.id;
  Run& run = add_run(event.order);
  run.started_wall = event.started_wall;
  switch (event.as) {
    case FoundAs::alive:
      run.phase = RunPhase::tended;
      return;
    case FoundAs::shepherd_lost:
      run.phase = RunPhase::cleaning;
      return out.add(KillRemains{id});
    case FoundAs::never_started:
      return end_untended(id, run,
                          record_of(id, run,
                                    {CauseKind::supervisor_lost, {},
                                     "the agent ended between taking the order and starting it"},
                                    true, now),
                          now, out);
    case FoundAs::rebooted:
      return end_untended(id, run,
                          record_of(id, run,
                                    {CauseKind::node_rebooted, {},
                                     "node " + self_.node + " was started anew while the job ran"},
                                    true, now),
                          now, out);
    case FoundAs::finished:
      ASSERT(event.record.has_value());
      return finish(id, run, *event.record, now, out);
  }
}

Supervisor::Run& Supervisor::add_run(const LaunchOrder& order) {
  Run& run = runs_[order.id];
  run.leased = order.leased;
  run.report.id = order.id;
  run.report.role = order.role;
  run.report.uid = order.uid;
  run.report.gid = order.gid;
  run.report.user = order.user;
  run.report.job_name = order.job_name;
  run.report.partition = order.partition;
  run.report.share = order.share;
  run.report.work_dir = order.work_dir;
  run.report.time_limit_s = order.time_limit_s;
  return run;
}

bool Supervisor::has_run_of(std::uint32_t uid) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const auto& entry) {
    return entry.second.report.uid == uid && entry.second.phase != RunPhase::over;
  });
}

std::optional<RunPhase> Supervisor::phase_of(RunId id) const {
  const auto at = runs_.find(id);
  if (at == runs_.end()) return std::nullopt;
  return at->second.phase;
}

std::vector<RunReport> Supervisor::reports() const {
  std::vector<RunReport> all;
  for (const auto& [id, run] : runs_) {
    const bool is_in_spool = run.phase != RunPhase::fetching && run.phase != RunPhase::spooling;
    if (!is_in_spool) continue;
    RunReport report = run.report;
    report.id = id;
    // not a transition: a copy for the report
    report.state = part_state(run.phase, run.started_wall.has_value());
    report.started_wall = run.started_wall.value_or(WallTime{});
    report.exit = run.record;
    all.push_back(std::move(report));
  }
  return all;
}

}  // namespace sluice::agent
