// faults.cpp: THE table of what may go wrong, and how.
#include "tests/sim/faults.h"

#include <fmt/format.h>

namespace sluice::sim {

const std::vector<Faults::Kind>& Faults::kinds() {
  static const std::vector<Kind> table = {
      {"kill -9 of the controller", &Faults::kill_controller},
      {"kill -9 of the controller between effects", &Faults::kill_controller_midway},
      {"controller's power goes", &Faults::controller_loses_power},
      {"controller's power goes during a write", &Faults::controller_loses_power_midway},
      {"controller is stopped", &Faults::pause_controller},
      {"controller's disk stalls", &Faults::stall_disk},
      {"kill -9 of an agent", &Faults::kill_agent},
      {"kill -9 of an agent between effects", &Faults::kill_agent_midway},
      {"an agent is stopped", &Faults::pause_agent},
      {"an agent is reconfigured", &Faults::reconfigure_agent},
      {"kill -9 of a shepherd", &Faults::kill_shepherd},
      {"a shepherd is stopped", &Faults::pause_shepherd},
      {"agent and shepherds are stopped", &Faults::pause_agent_and_shepherds},
      {"a machine pauses", &Faults::pause_machine},
      {"a node is rebooted", &Faults::reboot_node},
      {"a node's power goes", &Faults::node_loses_power},
      {"a connection is reset", &Faults::reset_connection},
      {"a connection is reset again and again", &Faults::flap_connection},
      {"a node is cut off", &Faults::cut_node},
      {"one way is cut", &Faults::cut_one_way},
      {"the network is parted", &Faults::part_network},
      {"the network is slow", &Faults::slow_network},
      {"a wall clock jumps", &Faults::jump_clock},
      {"a spool is full", &Faults::fill_spool},
  };
  return table;
}

Faults::Faults(Stage& stage, SimController& controller, std::vector<std::unique_ptr<SimNode>>& nodes)
    : stage_(stage), controller_(controller), nodes_(nodes) {
  for (const Kind& kind : kinds())
    if (stage_.random.one_in(3)) chosen_.push_back(kind);
  mean_interval_ = stage_.random.skewed(seconds(2), seconds(30));
}

void Faults::begin(Duration end) {
  end_ = end;
  if (chosen_.empty()) return;
  stage_.timeline.after(stage_.random.between(Duration{0}, 2 * mean_interval_), [this] { strike(); });
}

void Faults::strike() {
  if (stage_.timeline.now() >= end_) return;
  const Kind& kind = chosen_[stage_.random.below(chosen_.size())];
  stage_.trace.line(fmt::format("-- {}", kind.name));
  (this->*kind.strike)();
  stage_.timeline.after(stage_.random.between(Duration{0}, 2 * mean_interval_), [this] { strike(); });
}

void Faults::undo_after(Duration time, Task undo) {
  const std::uint64_t number = next_undo_++;
  undos_.emplace(number, std::move(undo));
  stage_.timeline.after(time, [this, number] {
    if (auto due = undos_.extract(number)) due.mapped()();
  });
}

void Faults::heal_all() {
  end_ = Duration{0};
  while (!undos_.empty()) undos_.extract(undos_.begin()).mapped()();
  stage_.network.set_delay_max(ms(5));
  controller_.stall_disk(Duration{0});
  for (auto& node : nodes_) {
    node->fill_spool(Duration{0});
    node->boot();
    node->start_agent();
  }
  controller_.start();
}

SimNode& Faults::some_node() { return *nodes_[stage_.random.below(nodes_.size())]; }

// --- controller --------------------------------------------------------------------------------

void Faults::restart_controller_after(Duration time) {
  undo_after(time, [this] { controller_.start(); });
}

void Faults::kill_controller() {
  controller_.kill();
  restart_controller_after(some_time());
}

void Faults::kill_controller_midway() {
  controller_.kill_after_effects(1 + stage_.random.below(10));
  restart_controller_after(some_time());
}

void Faults::controller_loses_power() {
  controller_.lose_power();
  restart_controller_after(some_time());
}

void Faults::controller_loses_power_midway() {
  if (!controller_.lives()) return;
  controller_.cut_power_at(1 + stage_.random.below(40));
  restart_controller_after(some_time());
}

void Faults::pause_controller() {
  controller_.pause();
  undo_after(some_time(), [this] { controller_.resume(); });
}

void Faults::stall_disk() { controller_.stall_disk(stage_.timeline.now() + some_time()); }

// --- processes of nodes ------------------------------------------------------------------------

void Faults::kill_agent() {
  SimNode& node = some_node();
  node.kill_agent();
  undo_after(some_time(), [&node] { node.start_agent(); });
}

void Faults::kill_agent_midway() {
  SimNode& node = some_node();
  node.kill_agent_after_effects(1 + stage_.random.below(8));
  undo_after(some_time(), [&node] { node.start_agent(); });
}

void Faults::pause_agent() {
  SimNode& node = some_node();
  node.pause_agent();
  undo_after(some_time(), [&node] { node.resume_agent(); });
}

void Faults::reconfigure_agent() {
  SimNode& node = some_node();
  node.reconfigure_agent();
  if (stage_.random.one_in(3)) node.reconfigure_agent();  // before the answer
}

void Faults::kill_shepherd() {
  SimNode& node = some_node();
  if (node.is_paused()) return;
  if (SimShepherd* shepherd = node.some_shepherd()) shepherd->kill();
}

void Faults::pause_shepherd_of(SimNode& node, Duration time) {
  if (node.is_paused()) return;
  if (Task resume = node.pause_some_shepherd()) undo_after(time, std::move(resume));
}

void Faults::pause_shepherd() { pause_shepherd_of(some_node(), some_time()); }

void Faults::pause_agent_and_shepherds() {
  SimNode& node = some_node();
  const Duration time = some_time();
  node.pause_agent();
  undo_after(time, [&node] { node.resume_agent(); });
  for (int i = 0; i < 3; ++i) pause_shepherd_of(node, time);
}

// --- machines ----------------------------------------------------------------------------------

void Faults::pause_machine() {
  SimNode& node = some_node();
  node.pause_machine();
  undo_after(some_time(), [&node] { node.resume_machine(); });
}

void Faults::reboot_node() {
  SimNode& node = some_node();
  node.shut_down();
  undo_after(some_time(), [&node] { node.boot(); });
}

void Faults::node_loses_power() {
  SimNode& node = some_node();
  node.lose_power();
  undo_after(some_time(), [&node] { node.boot(); });
}

void Faults::jump_clock() {
  const Duration by = stage_.random.skewed(seconds(1), seconds(7200));
  const Duration signed_by = stage_.random.one_in(2) ? by : -by;
  if (stage_.random.one_in(2)) controller_.set_clock(signed_by);
  else
    some_node().jump_clock(signed_by);
}

void Faults::fill_spool() { some_node().fill_spool(stage_.timeline.now() + some_time()); }

// --- network -----------------------------------------------------------------------------------

void Faults::reset_connection() { some_node().reset_connection(); }

void Faults::flap_connection() {
  SimNode& node = some_node();
  for (int i = 0; i < 30; ++i)
    stage_.timeline.after(i * ms(static_cast<std::int64_t>(200 + stage_.random.below(3000))),
                          [&node] { node.reset_connection(); });
}

void Faults::cut(Host from, Host to, Duration time) {
  stage_.network.cut(from, to);
  undo_after(time, [this, from, to] { stage_.network.heal(from, to); });
}

void Faults::cut_node() {
  const Host host = 1 + stage_.random.below(nodes_.size());
  const Duration time = some_time();
  cut(0, host, time);
  cut(host, 0, time);
}

void Faults::cut_one_way() {
  const Host hosts = nodes_.size() + 1;
  const Host from = stage_.random.below(hosts);
  const Host to = stage_.random.below(hosts);
  if (from != to) cut(from, to, some_time());
}

void Faults::part_network() {
  const std::uint64_t side = stage_.random.number();
  const Duration time = some_time();
  const Host hosts = nodes_.size() + 1;
  for (Host a = 0; a < hosts; ++a)
    for (Host b = 0; b < hosts; ++b)
      if (((side >> a) & 1) != ((side >> b) & 1)) cut(a, b, time);
}

void Faults::slow_network() {
  stage_.network.set_delay_max(stage_.random.skewed(ms(20), seconds(15)));
  undo_after(some_time(), [this] { stage_.network.set_delay_max(ms(5)); });
}

}  // namespace sluice::sim
