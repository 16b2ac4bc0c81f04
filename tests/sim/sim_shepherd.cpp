// sim_shepherd.cpp: see sim_shepherd.h.
#include "tests/sim/sim_shepherd.h"

#include <fmt/format.h>

namespace sluice::sim {
namespace {

constexpr Duration unfenced_look_interval = seconds(5);

}  // namespace

bool Machine::lease_lapsed(Duration grace) const {
  if (stage.breaks.no_lease || lease_until == SteadyTime::max()) return false;
  return now().steady >= lease_until + grace;
}

SimShepherd::SimShepherd(Machine& machine, RunId id, Hooks hooks)
    : machine_(machine),
      id_(id),
      hooks_(std::move(hooks)),
      role_(machine.spool.at(id).order.role),
      leased_(machine.spool.at(id).order.leased),
      process_(machine.stage.timeline, machine.stage.random),
      script_(machine.stage.timeline, machine.stage.random) {
  process_.start();
  obeys_term_ = !machine_.stage.random.one_in(4);
  process_.after(machine_.stage.random.skewed(ms(1), ms(50)), [this] { begin(); });
}

SimShepherd::~SimShepherd() {
  if (script_alive_) machine_.stage.ledger.on_part_gone(id_, machine_.name);
  process_.die();
  script_.die();
}

// --- start -------------------------------------------------------------------------------------

void SimShepherd::begin() {
  SpoolRun& run = machine_.spool.at(id_);
  if (run.taken) {
    process_.die();
    return hooks_.on_gone(id_);
  }
  run.taken = true;
  take_kill_order();
  if (ending_) return leave();
  process_.after(machine_.stage.random.skewed(ms(1), ms(20)), [this] { start_script(); });
}

// It looks at the lease at the last moment: it may have been stopped for long.
void SimShepherd::start_script() {
  if (leased_ && machine_.lease_lapsed()) {
    ending_ = Cause{CauseKind::lease_lapsed, {}, "the lease lapsed before the script"};
    return leave();
  }
  if (ending_) return leave();
  Stage& stage = machine_.stage;
  stage.trace.line(fmt::format("script {}.{} starts on {}", id_.job.value, id_.run.value, machine_.name));
  script_.start();
  script_alive_ = true;
  stage.ledger.on_part_alive(id_, machine_.name, role_);
  if (role_ == PartRole::batch_host) {
    const ExitStatus status{stage.random.one_in(5) ? 1U : 0U, 0};
    script_.after(stage.random.skewed(ms(5), seconds(60)), [this, status] { end_script(status, true); });
  }
  note_start();
}

void SimShepherd::note_start() {
  started_ = machine_.now();
  SpoolRun& run = machine_.spool.at(id_);
  run.started_wall = started_->wall;
  hooks_.on_started(id_, started_->wall);
  on_time_limit();
  if (leased_) on_lease_time();
}

void SimShepherd::on_time_limit() {
  const SpoolRun& run = machine_.spool.at(id_);
  if (!run.order.time_limit_s || ending_ || !started_) return;
  const Duration left = started_->steady + seconds(*run.order.time_limit_s) - machine_.now().steady;
  if (left > Duration{0}) return process_.after(left, [this] { on_time_limit(); });
  begin_ending({CauseKind::time_limit, {}, "time limit"}, seconds(run.kill_wait_s));
}

void SimShepherd::look_for_time_limit() {
  process_.receive([this] { on_time_limit(); });
}

void SimShepherd::on_lease_time() {
  if (!script_alive_) return;
  if (machine_.lease_lapsed()) {
    machine_.stage.trace.line(fmt::format("lease of {}.{} lapsed on {}", id_.job.value, id_.run.value,
                                          machine_.name));
    return begin_ending({CauseKind::lease_lapsed, {}, "the lease lapsed"}, Duration{0});
  }
  Duration look = unfenced_look_interval;
  if (machine_.lease_until != SteadyTime::max())
    look = std::max(ms(1), machine_.lease_until - machine_.now().steady);
  process_.after(look, [this] { on_lease_time(); });
}

// --- end ---------------------------------------------------------------------------------------

void SimShepherd::look_for_kill_order() {
  process_.receive([this] { take_kill_order(); });
}

void SimShepherd::take_kill_order() {
  const auto& kill_order = machine_.spool.at(id_).kill;
  if (!kill_order || ending_) return;
  begin_ending(kill_order->cause, seconds(kill_order->kill_wait_s));
}

void SimShepherd::begin_ending(Cause cause, Duration grace) {
  if (!ending_) ending_ = std::move(cause);
  if (!script_alive_) return;
  if (grace == Duration{0} || role_ == PartRole::member) return end_script({0, 9}, false);
  if (obeys_term_)
    script_.after(machine_.stage.random.skewed(ms(1), seconds(2)), [this] { end_script({0, 15}, false); });
  process_.after(grace, [this] { end_script({0, 9}, false); });
}

void SimShepherd::end_script(ExitStatus status, bool by_itself) {
  if (!script_alive_) return;
  script_alive_ = false;
  script_.die();
  status_ = status;
  machine_.stage.ledger.on_part_gone(id_, machine_.name);
  if (by_itself) machine_.stage.ledger.on_script_ended(id_, status);
  process_.receive([this] { on_script_ended(); });
}

void SimShepherd::kill_script() {
  end_script({0, 9}, role_ == PartRole::batch_host);
}

void SimShepherd::on_script_ended() {
  // The lease may have lapsed while it was stopped: then someone else killed the script for it.
  if (!ending_ && status_->signal == 9 && leased_ && machine_.lease_lapsed())
    ending_ = Cause{CauseKind::lease_lapsed, {}, "the lease lapsed"};
  leave();
}

void SimShepherd::leave() {
  if (!process_.lives()) return;
  const Now now = machine_.now();
  ExitRecord record;
  record.id = id_;
  record.node = machine_.name;
  record.script_started = started_.has_value();
  if (status_) record.status = *status_;
  if (ending_) record.cause = *ending_;
  record.started_wall = started_ ? started_->wall : now.wall;
  record.ended_wall = now.wall;
  if (started_) record.elapsed = now.steady - started_->steady;
  machine_.spool.at(id_).exit = record;
  process_.die();
  hooks_.on_gone(id_);
}

void SimShepherd::kill() {
  if (!process_.lives()) return;
  process_.die();
  hooks_.on_gone(id_);
}

// --- the machine -------------------------------------------------------------------------------

void SimShepherd::pause_machine() {
  process_.pause();
  script_.pause();
  if (script_alive_) machine_.stage.ledger.on_part_paused(id_, machine_.name);
}

// Boot time goes on while a machine is paused: what is due at waking is done first.
void SimShepherd::resume_machine() {
  if (script_alive_ && leased_ && machine_.lease_lapsed()) kill_script();
  if (script_alive_) machine_.stage.ledger.on_part_goes_on(id_, machine_.name, role_);
  script_.resume();
  process_.resume();
}

}  // namespace sluice::sim
