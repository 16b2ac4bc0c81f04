// fake_node.cpp: effects answered at once.
#include "agent/fake/fake_node.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sluice::agent {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

constexpr std::uint32_t term_signal = 15;

Event timer_event(TimerKind kind, RunId run, const Now& now) {
  switch (kind) {
    case TimerKind::heartbeat: {
      NodeVitals vitals;
      vitals.measured = now.wall;
      return HeartbeatDue{vitals};
    }
    case TimerKind::kill_overdue: return KillOverdue{run};
    case TimerKind::witness_round: return WitnessRoundDue{};
  }
  return WitnessRoundDue{};
}

}  // namespace

std::uint32_t seconds_of_script(const std::string& script) {
  std::uint64_t seconds = 0;
  for (std::size_t at = 0; at < script.size();) {
    const std::size_t end = std::min(script.find('\n', at), script.size());
    const std::string line = script.substr(at, end - at);
    if (line.starts_with("sleep ")) seconds += std::strtoul(line.c_str() + 6, nullptr, 10);
    at = end + 1;
  }
  constexpr std::uint64_t longest = 366ULL * 24 * 3600;
  return static_cast<std::uint32_t>(std::min(seconds, longest));
}

FakeNode::FakeNode(Self self, Outside outside, const Now& start)
    : supervisor_(self, start), name_(self.node), outside_(std::move(outside)) {}

void FakeNode::on(Event event, const Now& now) {
  events_.push_back(std::move(event));
  drain(now);
}

void FakeNode::drain(const Now& now) {
  while (!events_.empty()) {
    const Event event = std::move(events_.front());
    events_.pop_front();
    Effects effects;
    supervisor_.on(event, now, effects);
    for (Effect& effect : effects.take()) carry_out(effect, now);
  }
}

std::optional<SteadyTime> FakeNode::next_due() const {
  std::optional<SteadyTime> next;
  for (const auto& [timer, at] : timers_) next = next ? std::min(*next, at) : at;
  if (!ends_.empty())
    next = next ? std::min(*next, ends_.begin()->first) : ends_.begin()->first;
  return next;
}

void FakeNode::pass(const Now& now) {
  while (!ends_.empty() && ends_.begin()->first <= now.steady) {
    events_.emplace_back(std::move(ends_.begin()->second));
    ends_.erase(ends_.begin());
  }
  std::erase_if(timers_, [&](const auto& timer) {
    if (timer.second > now.steady) return false;
    events_.push_back(timer_event(timer.first.first, timer.first.second, now));
    return true;
  });
  drain(now);
}

void FakeNode::carry_out(Effect& effect, const Now& now) {
  std::visit(
      Overloaded{
          [&](SendToController& order) { outside_.send(order.message); },
          [&](CloseConnection&) { outside_.close_connection(); },
          [&](SpoolOrder& order) {
            FakeRun& run = runs_[order.order.id];
            run.seconds = seconds_of_script(order.order.script);
            run.is_member = order.order.role == PartRole::member;
            events_.emplace_back(OrderSpooled{order.order.id});
          },
          [&](SpawnShepherd& order) { start(order.id, now); },
          [&](TellKill& order) {
            end(order.order.id, {0, term_signal}, std::move(order.order.cause), now);
          },
          [&](KillShepherd& order) { end(order.id, {0, term_signal}, {}, now); },
          [&](KillRemains& order) { events_.emplace_back(RemainsKilled{order.id, {}}); },
          [&](RemoveRun& order) { runs_.erase(order.id); },
          [&](ArmTimer& order) { timers_[{order.kind, order.run}] = order.at; },
          // There is no machine that these would change.
          [](WriteExit&) {}, [](TellSignal&) {}, [](TellTimeLimit&) {}, [](SetLease&) {}, [](AskWitnesses&) {},
          [](Remember&) {}, [](Ignored&) {}},
      effect);
}

void FakeNode::start(RunId id, const Now& now) {
  FakeRun& run = runs_[id];
  run.started = now.steady;
  run.started_wall = now.wall;
  events_.emplace_back(ScriptStarted{id, now.wall});
  if (run.is_member) return;
  if (run.seconds == 0) return end(id, {}, {}, now);
  ExitRecord record;
  record.id = id;
  record.node = name_;
  record.script_started = true;
  record.started_wall = now.wall;
  record.elapsed = std::chrono::seconds{run.seconds};
  record.ended_wall = now.wall + record.elapsed;
  ends_.emplace(now.steady + record.elapsed, ShepherdGone{id, std::move(record)});
}

void FakeNode::end(RunId id, ExitStatus status, Cause cause, const Now& now) {
  const FakeRun& run = runs_[id];
  ExitRecord record;
  record.id = id;
  record.node = name_;
  record.script_started = true;
  record.status = status;
  record.cause = std::move(cause);
  record.started_wall = run.started_wall;
  record.ended_wall = now.wall;
  record.elapsed = now.steady - run.started;
  events_.emplace_back(ShepherdGone{id, std::move(record)});
}

}  // namespace sluice::agent
