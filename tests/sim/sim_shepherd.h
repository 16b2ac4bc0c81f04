// sim_shepherd.h: one run on a node without processes: a shepherd that obeys orders, limits and the lease as
// agent/shepherd does, and a script that lives for a while. Each may die or be stopped alone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/wire/messages.h"
#include "tests/sim/stage.h"

namespace sluice::sim {

// What lies in the spool for one run.
struct SpoolRun {
  LaunchOrder order;
  std::uint32_t kill_wait_s = 30;
  std::uint32_t boot = 0;
  bool taken = false;                 // by a shepherd, or by an agent that says none will come
  std::optional<WallTime> started_wall;
  std::optional<KillRun> kill;
  std::optional<ExitRecord> exit;
  bool exit_synced = false;
  Duration written{};                 // when, in virtual time: old files have reached the disk
};

// What the processes of a machine share.
struct Machine {
  Machine(Stage& on, std::string of, Host at) : stage(on), name(std::move(of)), host(at) {}

  Now now() const { return stage.now(clock); }
  // Must leased runs be over by now?
  bool lease_lapsed(Duration grace = {}) const;

  Stage& stage;
  const std::string name;
  const Host host;
  HostClock clock;
  std::uint32_t boot = 0;
  bool is_paused = false;
  std::map<RunId, SpoolRun> spool;
  SteadyTime lease_until = SteadyTime::max();  // the page; max: nothing is fenced
};

class SimShepherd {
 public:
  struct Hooks {
    std::function<void(RunId, WallTime)> on_started;  // the notice to the agent
    std::function<void(RunId)> on_gone;               // its process has left
  };
  SimShepherd(Machine& machine, RunId id, Hooks hooks);
  ~SimShepherd();
  SimShepherd(const SimShepherd&) = delete;
  SimShepherd& operator=(const SimShepherd&) = delete;

  bool lives() const { return process_.lives(); }
  bool script_lives() const { return script_alive_; }
  bool is_leased() const { return leased_; }

  void look_for_kill_order();  // a signal came
  void look_for_time_limit();
  void kill();                 // SIGKILL to the shepherd; the script goes on
  void pause() { process_.stop(); }
  void resume() { process_.go_on(); }
  void kill_script();          // every process of the run, by someone else

  void pause_machine();
  void resume_machine();

 private:
  void begin();
  void start_script();
  void note_start();
  void on_time_limit();
  void on_lease_time();
  void take_kill_order();
  void begin_ending(Cause cause, Duration grace);
  void end_script(ExitStatus status, bool by_itself);
  void on_script_ended();
  void leave();

  Machine& machine_;
  const RunId id_;
  Hooks hooks_;
  const PartRole role_;
  const bool leased_;
  Process process_;
  Process script_;
  bool script_alive_ = false;
  bool obeys_term_ = true;
  std::optional<ExitStatus> status_;
  std::optional<Cause> ending_;
  std::optional<Now> started_;
};

}  // namespace sluice::sim
