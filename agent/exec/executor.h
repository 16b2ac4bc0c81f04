// executor.h: carries out the supervisor's effects on this machine: spool, shepherds, signals, remains,
// lease page. Messages, timers and witnesses are the program's. It never blocks on anything but the
// local disk. Must be used from the loop's thread only.
#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/core/effects.h"
#include "agent/core/events.h"
#include "agent/exec/cgroup.h"
#include "agent/exec/file.h"
#include "agent/exec/lease_page.h"
#include "agent/exec/nursery.h"
#include "agent/exec/reactor.h"
#include "agent/exec/spool.h"
#include "agent/exec/users.h"

namespace sluice::agent {

struct ExecutorSetup {
  std::string node;
  std::string host;
  std::string boot_id;
  std::string shepherd_path;  // of the program sluice-shepherd
  CgroupRoot cgroups;
  std::uint32_t pids_max = 0;
};

class Executor {
 public:
  // `report` takes events; it is called from the loop or from inside carry_out().
  Executor(Reactor& reactor, Spool& spool, LeasePage& lease, ExecutorSetup setup,
           std::function<void(Event)> report, std::function<void(const std::string&)> warn);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Listens to the shepherds. Before find_runs(). Errors: io_error.
  Result<void> listen();
  // What the spool holds at start: shepherds that live are watched from here on.
  std::vector<RunFound> find_runs();

  void carry_out(SpoolOrder effect);
  void carry_out(const SpawnShepherd& effect);
  void carry_out(const WriteExit& effect);
  void carry_out(const TellKill& effect);
  void carry_out(const TellSignal& effect);
  void carry_out(const TellTimeLimit& effect);
  void carry_out(const KillShepherd& effect);
  void carry_out(const KillRemains& effect);
  void carry_out(const RemoveRun& effect);
  void carry_out(const SetLease& effect);
  void carry_out(const Remember& effect);

 private:
  struct Tended {
    explicit Tended(RunFile run_file) : file(std::move(run_file)) {}
    RunFile file;
    CgroupPlace cgroup;
    std::string mark;     // environment entry that the processes of the run carry
    pid_t shepherd = -1;
    File shepherd_watch;  // pidfd
    std::uint32_t remains_rounds = 0;
  };

  void spool_as(SpoolOrder effect, const std::optional<UserIdentity>& user);
  SpooledRun complete(SpoolOrder& effect, const UserIdentity& user) const;
  Result<RunFound> find_run(RunId id);
  void keep_guard();
  void sync_later(RunId id);
  void sync_due();
  Result<void> watch(RunId id, Tended& run, pid_t shepherd);
  void on_shepherd_gone(RunId id);
  void on_notice();
  void go_on_killing(RunId id);
  std::vector<pid_t> remains_of(const Tended& run) const;
  Tended* find(RunId id);
  void send_signal(RunId id, int number, int value);
  std::string mark_of(RunId id) const;

  Reactor& reactor_;
  Spool& spool_;
  LeasePage& lease_;
  ExecutorSetup setup_;
  std::function<void(Event)> report_;
  std::function<void(const std::string&)> warn_;
  Users users_;
  Nursery nursery_;
  File notices_;
  std::map<RunId, Tended> runs_;
  pid_t guard_ = -1;
  File guard_watch_;
  // Exit records that the controller may be slow to take: synced to the disk itself when still here.
  std::deque<std::pair<SteadyTime, RunId>> to_sync_;
  bool sync_armed_ = false;
};

}  // namespace sluice::agent
