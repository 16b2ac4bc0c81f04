// sim_node_effects.cpp: the supervisor's orders, carried out on a machine that is not there.
#include <fmt/format.h>

#include "tests/sim/sim_node.h"

namespace sluice::sim {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

constexpr Duration guards_grace = seconds(2);
constexpr Duration sync_delay = seconds(2);

}  // namespace

void SimNode::carry_out(const agent::Effect& effect) {
  std::visit(
      Overloaded{
          [&](const agent::SendToController& e) { send(e.message); },
          [&](const agent::CloseConnection&) {
            const ConnectionRef connection = connection_;
            if (!connection) return;
            stage_.network.close(connection, 0);
            agent_.receive([this, connection] { on_disconnected(connection); });
          },
          [&](const agent::SpoolOrder& e) { spool_order(e); },
          [&](const agent::SpawnShepherd& e) { spawn_shepherd(e.id); },
          [&](const agent::WriteExit& e) { write_exit(e.record); },
          [&](const agent::TellKill& e) { tell_kill(e.order); },
          [&](const agent::TellSignal&) {},
          [&](const agent::TellTimeLimit& e) { tell_time_limit(e.order); },
          [&](const agent::KillShepherd& e) {
            if (auto at = shepherds_.find(e.id); at != shepherds_.end()) at->second->kill();
          },
          [&](const agent::KillRemains& e) { kill_remains(e.id); },
          [&](const agent::RemoveRun& e) { remove_run(e.id); },
          [&](const agent::SetLease& e) { set_lease(e.until); },
          [&](const agent::AskWitnesses& e) { ask_witnesses(e); },
          [&](const agent::Remember& e) { remembered_ = e.accepted; },
          [&](const agent::ArmTimer& e) { arm_timer(e); },
          [&](const agent::Ignored& e) { stage_.trace.line(name() + " ignores " + e.what); },
      },
      effect);
}

void SimNode::send(const agent::MessageToController& message) {
  const ConnectionRef connection = connection_;
  if (!connection || !connected_) return;
  if (const auto* exited = std::get_if<RunExited>(&message))
    stage_.trace.line(fmt::format("{} says {}.{} is over: {}", name(), exited->record.id.job.value,
                                  exited->record.id.run.value, enum_name(exited->record.cause.kind)));
  stage_.network.send(connection, 0, [this, id = connection->id, message] {
    controller_.from_node(id, message);
  });
}

// --- runs --------------------------------------------------------------------------------------

void SimNode::spool_order(const agent::SpoolOrder& effect) {
  agent_.after(stage_.random.skewed(Duration{100}, ms(20)), [this, effect] {
    const RunId id = effect.order.id;
    if (stage_.timeline.now() < spool_full_until_)
      return feed(agent::OrderNotSpooled{id, ErrorCode::io_error, "the spool is full", true});
    SpoolRun run;
    run.order = effect.order;
    run.kill_wait_s = effect.kill_wait_s;
    run.boot = machine_.boot;
    run.written = stage_.timeline.now();
    machine_.spool[id] = std::move(run);
    feed(agent::OrderSpooled{id});
  });
}

void SimNode::spawn_shepherd(RunId id) {
  if (stage_.random.one_in(300))
    return agent_.receive([this, id] { feed(agent::ShepherdNotSpawned{id, "no process"}); });
  SimShepherd::Hooks hooks;
  hooks.on_started = [this](RunId run, WallTime at) {
    agent_.receive([this, run, at] { feed(agent::ScriptStarted{run, at}); });
  };
  hooks.on_gone = [this](RunId run) { on_shepherd_gone(run); };
  shepherds_[id] = std::make_unique<SimShepherd>(machine_, id, std::move(hooks));
}

void SimNode::write_exit(const ExitRecord& record) {
  const auto run = machine_.spool.find(record.id);
  if (run == machine_.spool.end()) return;
  run->second.taken = true;
  run->second.exit = record;
  sync_later(record.id);
}

void SimNode::sync_later(RunId id) {
  agent_.after(sync_delay, [this, id] {
    const auto run = machine_.spool.find(id);
    if (run != machine_.spool.end() && run->second.exit) run->second.exit_synced = true;
  });
}

void SimNode::tell_kill(const KillRun& order) {
  const auto run = machine_.spool.find(order.id);
  if (run == machine_.spool.end()) return;
  if (!run->second.kill) run->second.kill = order;
  if (auto at = shepherds_.find(order.id); at != shepherds_.end()) at->second->look_for_kill_order();
}

void SimNode::tell_time_limit(const SetTimeLimit& order) {
  const auto run = machine_.spool.find(order.id);
  if (run == machine_.spool.end()) return;
  run->second.order.time_limit_s = order.time_limit_s;
  if (auto at = shepherds_.find(order.id); at != shepherds_.end()) at->second->look_for_time_limit();
}

void SimNode::kill_remains(RunId id) {
  agent_.after(stage_.random.skewed(ms(1), ms(500)), [this, id] {
    if (auto at = shepherds_.find(id); at != shepherds_.end()) at->second->kill_script();
    feed(agent::RemainsKilled{id, {}});
  });
}

void SimNode::remove_run(RunId id) {
  const auto run = machine_.spool.find(id);
  if (run == machine_.spool.end()) return;
  if (auto at = shepherds_.find(id); at != shepherds_.end() && at->second->script_lives())
    throw Violation{fmt::format("{} forgets run {}.{} while its script lives", name(), id.job.value,
                                id.run.value)};
  removed_.push_back({run->second, stage_.timeline.now()});
  machine_.spool.erase(run);
  shepherds_.erase(id);
}

// --- leases ------------------------------------------------------------------------------------

void SimNode::set_lease(std::optional<SteadyTime> until) {
  machine_.lease_until = until.value_or(SteadyTime::max());
  if (until)
    guard_.after(*until + guards_grace - machine_.now().steady, [this] { guard_leases(); });
}

// It acts when a shepherd did not in time, and looks again while runs are left.
void SimNode::guard_leases() {
  if (!machine_.lease_lapsed(guards_grace)) return;
  bool any_left = false;
  for (auto& [id, shepherd] : shepherds_) {
    if (!shepherd->is_leased()) continue;
    any_left = any_left || shepherd->lives();
    if (shepherd->script_lives()) shepherd->kill_script();
  }
  if (any_left) guard_.after(seconds(5), [this] { guard_leases(); });
}

void SimNode::ask_witnesses(const agent::AskWitnesses& effect) {
  for (const Witness& witness : supervisor_->accepted()->witnesses)
    for (const auto& peer : *peers_) {
      if (peer.get() == this || peer->name() != witness.node) continue;
      SimNode* asked = peer.get();
      stage_.network.datagram(machine_.host, asked->machine_.host, [this, asked, round = effect.round] {
        asked->answer_witness(*this, round);
      });
    }
}

void SimNode::answer_witness(SimNode& asker, std::uint64_t round) {
  agent_.receive([this, &asker, round] {
    const agent::WitnessAnswered word{name(), supervisor_->witness_list(), round,
                                      supervisor_->silent_for(machine_.now())};
    stage_.network.datagram(machine_.host, asker.machine_.host, [&asker, word] {
      asker.agent_.receive([&asker, word] { asker.feed(word); });
    });
  });
}

void SimNode::arm_timer(const agent::ArmTimer& effect) {
  const std::pair key{effect.kind, effect.run};
  const std::uint64_t number = next_timer_++;
  timers_[key] = number;
  agent_.after(std::max(Duration{0}, effect.at - machine_.now().steady), [this, key, number] {
    if (timers_[key] != number) return;
    switch (key.first) {
      case agent::TimerKind::heartbeat: return feed(agent::HeartbeatDue{});
      case agent::TimerKind::kill_overdue: return feed(agent::KillOverdue{key.second});
      case agent::TimerKind::witness_round: return feed(agent::WitnessRoundDue{});
    }
  });
}

}  // namespace sluice::sim
