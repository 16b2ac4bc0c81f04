// faults.h: what goes wrong in a run, by chance. Each run has its own mixture of kinds, because all at once
// hides what a few would show. Everything is healed by its own end or by heal_all().
#pragma once

#include <memory>
#include <map>
#include <string>
#include <vector>

#include "tests/sim/sim_node.h"

namespace sluice::sim {

class Faults {
 public:
  Faults(Stage& stage, SimController& controller, std::vector<std::unique_ptr<SimNode>>& nodes);

  // Strikes again and again until `end`.
  void begin(Duration end);
  void heal_all();

 private:
  using Strike = void (Faults::*)();
  struct Kind {
    const char* name;
    Strike strike;
  };
  static const std::vector<Kind>& kinds();

  void kill_controller();
  void kill_controller_midway();
  void controller_loses_power();
  void controller_loses_power_midway();
  void pause_controller();
  void stall_disk();
  void kill_agent();
  void kill_agent_midway();
  void pause_agent();
  void reconfigure_agent();
  void kill_shepherd();
  void pause_shepherd();
  void pause_agent_and_shepherds();
  void pause_machine();
  void reboot_node();
  void node_loses_power();
  void reset_connection();
  void flap_connection();
  void cut_node();
  void cut_one_way();
  void part_network();
  void slow_network();
  void jump_clock();
  void fill_spool();

  SimNode& some_node();
  Duration some_time() { return stage_.random.skewed(ms(100), seconds(90)); }
  // Undone after `time`, or by heal_all().
  void undo_after(Duration time, Task undo);
  void cut(Host from, Host to, Duration time);
  void restart_controller_after(Duration time);
  void pause_shepherd_of(SimNode& node, Duration time);
  void strike();

  Stage& stage_;
  SimController& controller_;
  std::vector<std::unique_ptr<SimNode>>& nodes_;
  std::vector<Kind> chosen_;
  Duration mean_interval_{};
  Duration end_{};
  std::map<std::uint64_t, Task> undos_;  // by number: the order must follow from the seed
  std::uint64_t next_undo_ = 1;
};

}  // namespace sluice::sim
