// executor_end.cpp: orders to shepherds, remains of dead ones, and the removal of runs.
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "agent/exec/executor.h"
#include "agent/exec/notify.h"
#include "agent/exec/process.h"
#include "common/base/clock.h"

namespace sluice::agent {
namespace {

constexpr Duration remains_interval_min = std::chrono::milliseconds{2};
constexpr Duration remains_interval_max = std::chrono::milliseconds{250};
constexpr Duration sync_delay = std::chrono::seconds{2};

}  // namespace

void Executor::send_signal(RunId id, int number, int value) {
  const Tended* run = find(id);
  if (!run || !run->shepherd_watch) return;
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = value;
  if (syscall(SYS_pidfd_send_signal, run->shepherd_watch.fd(), number, &info, 0) != 0 &&
      errno != ESRCH)
    warn_(system_error("signal", "a shepherd").detail);
}

void Executor::carry_out(const TellKill& effect) {
  Tended* run = find(effect.order.id);
  if (!run) return;
  if (const auto written = run->file.write_kill_order(effect.order); !written.ok())
    warn_(written.error().detail);
  send_signal(effect.order.id, kill_order_signal(), 0);
}

void Executor::carry_out(const TellSignal& effect) {
  send_signal(effect.order.id, signal_order_signal(),
              signal_order_value(effect.order.signal, effect.order.reach));
}

void Executor::carry_out(const TellTimeLimit& effect) {
  Tended* run = find(effect.order.id);
  if (!run) return;
  if (const auto written = run->file.write_time_limit(effect.order); !written.ok())
    warn_(written.error().detail);
  send_signal(effect.order.id, time_limit_signal(), 0);
}

void Executor::carry_out(const KillShepherd& effect) {
  const Tended* run = find(effect.id);
  if (run && run->shepherd > 0) kill(run->shepherd, SIGKILL);
}

void Executor::carry_out(const WriteExit& effect) {
  Tended* run = find(effect.record.id);
  if (!run) return;
  if (run->file.mark().pid == 0) (void)run->file.write_mark({getpid(), 0, 0}).ok();
  if (const auto written = run->file.write_exit(effect.record); !written.ok())
    warn_(written.error().detail);
  sync_later(effect.record.id);
}

// --- remains -----------------------------------------------------------------------------------

void Executor::carry_out(const KillRemains& effect) { go_on_killing(effect.id); }

std::vector<pid_t> Executor::remains_of(const Tended& run) const {
  return run.cgroup.version != 0 ? cgroup_members(run.cgroup)
                                 : processes_with_environment(run.mark);
}

void Executor::go_on_killing(RunId id) {
  Tended* run = find(id);
  if (!run) return reactor_.after(Duration{0}, [this, id] { report_(RemainsKilled{id, {}}); });
  const std::vector<pid_t> remains = remains_of(*run);
  if (!remains.empty()) {
    kill_cgroup(run->cgroup);
    for (const pid_t pid : remains)
      if (run->cgroup.version == 0) kill(pid, SIGKILL);
    const Duration wait = std::min(remains_interval_max, remains_interval_min *
                                                             (1 << std::min(run->remains_rounds, 8U)));
    run->remains_rounds += 1;
    return reactor_.after(wait, [this, id] { go_on_killing(id); });
  }
  const CgroupUsage counters = read_cgroup_usage(run->cgroup);
  if (const auto removed = remove_cgroup(run->cgroup); !removed.ok())
    warn_(removed.error().detail);
  Usage usage;
  usage.mem_peak_kb = counters.mem_peak_kb;
  usage.oom_kills = counters.oom_kills;
  reactor_.after(Duration{0}, [this, id, usage] { report_(RemainsKilled{id, usage}); });
}

// --- bookkeeping -------------------------------------------------------------------------------

void Executor::carry_out(const RemoveRun& effect) {
  runs_.erase(effect.id);
  spool_.remove(effect.id);
}

void Executor::carry_out(const SetLease& effect) {
  lease_.set(effect.until.value_or(SteadyTime::max()));
  if (effect.until) keep_guard();
}

// One process that acts when agent and shepherds are frozen. It outlives the agent; a second one leaves
// at once.
void Executor::keep_guard() {
  if (guard_watch_) return;
  const auto pid = spawn_program(setup_.shepherd_path, {"sluice-lease-guard", "--guard", spool_.folder()});
  if (!pid.ok()) return warn_(pid.error().detail);
  guard_ = *pid;
  guard_watch_ = File{static_cast<int>(syscall(SYS_pidfd_open, guard_, 0))};
  if (!guard_watch_) return;
  reactor_.when_readable(guard_watch_.fd(), [this] {
    waitpid(guard_, nullptr, WNOHANG);
    reactor_.forget(guard_watch_.fd());
    // The next prolonged lease looks whether one is needed again.
    reactor_.after(std::chrono::seconds{1}, [this] { guard_watch_.reset(); });
  });
}

void Executor::sync_later(RunId id) {
  to_sync_.emplace_back(read_clocks().steady + sync_delay, id);
  if (!std::exchange(sync_armed_, true)) reactor_.after(sync_delay, [this] { sync_due(); });
}

// Most records are committed and removed long before; these are not worth a sync.
void Executor::sync_due() {
  const SteadyTime now = read_clocks().steady;
  auto files = std::make_shared<std::vector<File>>();
  for (; !to_sync_.empty() && to_sync_.front().first <= now; to_sync_.pop_front())
    if (const Tended* run = find(to_sync_.front().second))
      files->emplace_back(fcntl(run->file.fd(), F_DUPFD_CLOEXEC, 3));
  sync_armed_ = !to_sync_.empty();
  if (sync_armed_)
    reactor_.after(to_sync_.front().first - now, [this] { sync_due(); });
  if (files->empty()) return;
  reactor_.in_background(
      [files] {
        for (const File& file : *files) fdatasync(file.fd());
      },
      [files] { files->clear(); });
}

void Executor::carry_out(const Remember& effect) {
  if (const auto kept = spool_.remember(effect.accepted); !kept.ok()) warn_(kept.error().detail);
}

}  // namespace sluice::agent
