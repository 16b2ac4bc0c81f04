// simulation.cpp: see simulation.h.
#include "tests/sim/simulation.h"

#include <fmt/format.h>

namespace sluice::sim {
namespace {

constexpr Duration rest_limit = seconds(3600);  // all that can end has ended long before
constexpr Duration look_interval = seconds(5);

}  // namespace

Simulation::Simulation(std::uint64_t seed, const Breaks& breaks)
    : stage_(seed, breaks),
      controller_(stage_),
      clients_(stage_, controller_),
      faults_(stage_, controller_, nodes_) {
  Host host = 1;
  for (const NodeConfig& node : stage_.config->nodes)
    nodes_.push_back(std::make_unique<SimNode>(stage_, controller_, node.name, host++));
  for (auto& node : nodes_) node->set_peers(&nodes_);
}

void Simulation::run() {
  const Duration end = stage_.random.between(seconds(40), seconds(200));
  controller_.start();
  for (auto& node : nodes_) node->boot();
  faults_.begin(end);
  act_until(end);
  while (stage_.timeline.now() < end && stage_.timeline.step()) ++steps_;
  stage_.trace.line("-- all faults are healed");
  faults_.heal_all();
  come_to_rest();
}

// Bursts and pauses.
void Simulation::act_until(Duration end) {
  const std::uint64_t actions = 5 + stage_.random.below(50);
  for (std::uint64_t i = 0; i < actions; ++i)
    stage_.timeline.after(stage_.random.between(ms(500), end), [this] { clients_.act(); });
}

void Simulation::come_to_rest() {
  const Duration start = stage_.timeline.now();
  Duration look_at = start + look_interval;
  Duration set_right_at = start;
  while (stage_.timeline.step()) {
    ++steps_;
    const Duration now = stage_.timeline.now();
    if (now < look_at) continue;
    look_at = now + look_interval;
    if (is_at_rest()) return controller_.check_at_rest();
    if (now - start > rest_limit) break;
    // What was under way at the healing may still strike, a process that was to die later.
    faults_.heal_all();
    if (now < set_right_at) continue;
    set_right_at = now + seconds(60);
    clients_.set_things_right();
  }
  throw Violation{"the system does not come to rest: " + what_is_left()};
}

bool Simulation::all_ended() const {
  bool ended = true;
  controller_.state().jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    ended = ended && entry.record.state == JobState::ended;
    return ended;
  });
  return ended;
}

bool Simulation::is_at_rest() const {
  if (!controller_.is_settled() || !all_ended() || stage_.ledger.anything_alive()) return false;
  for (const auto& node : nodes_)
    if (!node->is_at_rest()) return false;
  return true;
}

std::string Simulation::what_is_left() const {
  std::string text;
  if (!controller_.lives()) return "no controller";
  controller_.state().jobs.for_each([&](std::uint32_t id, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    if (record.state == JobState::ended) return true;
    text += fmt::format("\n  job {} run {} {} {} ({})", id, record.run.value, enum_name(record.state),
                        enum_name(record.reason), record.reason_detail);
    for (const RunPart& part : record.parts)
      text += fmt::format(" {}:{}", part.node, enum_name(part.state));
    return true;
  });
  for (const auto& node : nodes_)
    text += fmt::format("\n  {}, for the controller {}", node->description(),
                        enum_name(controller_.state().find_node(node->name())->record.state));
  return text;
}

}  // namespace sluice::sim
