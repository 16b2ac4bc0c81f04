// sim_node.h: a node: its machine, the real supervisor as its agent, shepherds, the lease guard, and the
// agent's wire to the controller. Carries the supervisor's effects out as agent/exec does.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/supervisor.h"
#include "tests/sim/sim_controller.h"
#include "tests/sim/sim_shepherd.h"

namespace sluice::sim {

class SimNode {
 public:
  SimNode(Stage& stage, SimController& controller, std::string name, Host host);

  void set_peers(const std::vector<std::unique_ptr<SimNode>>* nodes) { peers_ = nodes; }

  // --- faults
  void boot();
  void shut_down();              // in order: what was written is on the disk
  void lose_power();             // what was not synced may be lost
  void start_agent();
  void kill_agent();
  void kill_agent_after_effects(std::uint64_t count) { effects_left_ = count; }
  void pause_agent() { agent_.stop(); }
  void resume_agent() { agent_.go_on(); }
  void pause_machine();
  void resume_machine();
  void reconfigure_agent();  // it registers anew on its connection
  void reset_connection();
  void fill_spool(Duration until) { spool_full_until_ = until; }
  void jump_clock(Duration by) { machine_.clock.wall_offset += by; }
  SimShepherd* some_shepherd();  // one that lives; null: none does
  // Stops one; returns what lets it go on (it may be gone by then), or nothing when none lives.
  Task pause_some_shepherd();

  const std::string& name() const { return machine_.name; }
  bool is_on() const { return is_on_; }
  bool is_paused() const { return machine_.is_paused; }
  bool agent_lives() const { return agent_.lives(); }
  bool is_at_rest() const;       // registered, and nothing of any run is here
  std::string description() const;

 private:
  struct RemovedRun {
    SpoolRun run;
    Duration removed;
  };

  // agent (sim_node.cpp)
  agent::Self self() const;
  void feed(const agent::Event& event);
  void find_runs();
  agent::RunFound look_at(const RunId& id, SpoolRun& run);
  void stop_processes();
  void dial();
  void on_connected(const ConnectionRef& connection);
  void on_disconnected(const ConnectionRef& connection);
  void on_frame(const ConnectionRef& connection, MessageType type, const std::string& payload);
  void on_shepherd_gone(RunId id);

  // effects (sim_node_effects.cpp)
  void carry_out(const agent::Effect& effect);
  void send(const agent::MessageToController& message);
  void spool_order(const agent::SpoolOrder& effect);
  void spawn_shepherd(RunId id);
  void write_exit(const ExitRecord& record);
  void sync_later(RunId id);
  void tell_kill(const KillRun& order);
  void tell_time_limit(const SetTimeLimit& order);
  void kill_remains(RunId id);
  void remove_run(RunId id);
  void set_lease(std::optional<SteadyTime> until);
  void guard_leases();
  void ask_witnesses(const agent::AskWitnesses& effect);
  void answer_witness(SimNode& asker, std::uint64_t round);
  void arm_timer(const agent::ArmTimer& effect);

  Stage& stage_;
  SimController& controller_;
  Machine machine_;
  const std::vector<std::unique_ptr<SimNode>>* peers_ = nullptr;
  Process agent_;
  Process guard_;
  std::map<RunId, std::unique_ptr<SimShepherd>> shepherds_;
  std::vector<RemovedRun> removed_;
  std::optional<NodeAccepted> remembered_;
  Duration spool_full_until_{};
  bool is_on_ = false;

  // of one life of the agent
  std::unique_ptr<agent::Supervisor> supervisor_;
  ConnectionRef connection_;
  bool connected_ = false;
  std::map<std::pair<agent::TimerKind, RunId>, std::uint64_t> timers_;
  std::uint64_t next_timer_ = 1;
  std::optional<std::uint64_t> effects_left_;
  bool dying_ = false;
};

}  // namespace sluice::sim
