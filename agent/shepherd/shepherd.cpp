// shepherd.cpp: the loop of one run. Single-threaded; waits for the script, the agent's signals and
// one timer.
#include "agent/shepherd/shepherd.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "agent/exec/cgroup.h"
#include "agent/exec/lease_page.h"
#include "agent/exec/notify.h"
#include "agent/exec/run_file.h"
#include "agent/shepherd/ending.h"
#include "agent/shepherd/job_process.h"
#include "agent/shepherd/job_tree.h"
#include "common/base/clock.h"

namespace sluice::agent {
namespace {

// A lease that is not fenced now may become so; it is looked at this often.
constexpr Duration unfenced_look_interval = std::chrono::seconds{5};
constexpr Duration kill_again_interval = std::chrono::milliseconds{100};

class Shepherd {
 public:
  Shepherd(std::string folder, RunFile file, SpooledRun run)
      : folder_(std::move(folder)),
        file_(std::move(file)),
        run_(std::move(run)),
        tree_(run_.cgroup) {}

  Result<void> tend();

 private:
  Result<void> prepare();
  void start_script();
  void note_start(const Now& now);
  void fail_start(bool node_fault, std::string text);
  void wait_for_end();
  void on_signal(const signalfd_siginfo& info);
  void on_start_news();
  void on_time();
  void take_kill_order();
  void take_time_limit();
  void begin_ending(Cause cause, Duration grace, const Now& now);
  void relay_signal(int value) const;
  void signal_job(SignalReach reach, int number) const;
  std::optional<SteadyTime> limit() const;
  void warn_in_time(const Now& now);
  void reap_script();
  void arm_timer();
  std::optional<SteadyTime> next_warning() const;
  std::optional<SteadyTime> next_deadline() const;
  void say(const std::string& line) const;
  Result<void> finish();

  bool is_member() const { return run_.order.role == PartRole::member; }

  std::string folder_;
  RunFile file_;
  SpooledRun run_;
  JobTree tree_;
  ShepherdMark mark_;
  File signals_;
  File timer_;
  std::optional<LeasePage> lease_;
  std::optional<JobProcess> script_;
  bool over_ = false;
  std::optional<int> wait_status_;
  std::optional<StartFailure> start_failure_;
  std::optional<Now> started_;
  std::optional<Cause> ending_;          // who or what ends it; none: it still may end by itself
  std::optional<SteadyTime> kill_at_;    // after the grace of `ending_`
  std::optional<SteadyTime> warned_at_;  // when --signal was last sent
};

Result<void> Shepherd::tend() {
  TRY(prepare());
  if (is_member()) note_start(read_clocks());
  else start_script();
  take_kill_order();
  wait_for_end();
  return finish();
}

Result<void> Shepherd::prepare() {
  mark_.pid = getpid();
  TRY(file_.write_mark(mark_));
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int number :
       {SIGCHLD, kill_order_signal(), signal_order_signal(), time_limit_signal()})
    sigaddset(&wanted, number);
  signals_ = File{signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK)};
  if (!signals_) return system_error("create", "a signal descriptor");
  if (run_.order.leased) lease_.emplace(TRY(LeasePage::open("../../lease")));
  take_time_limit();
  return {};
}

void Shepherd::start_script() {
  const CgroupLimits limits{run_.order.share.mem_mb, run_.pids_max};
  if (const auto made = make_cgroup(run_.cgroup, limits); !made.ok())
    return fail_start(true, made.error().detail);
  auto process = JobProcess::start(run_, folder_ + "/slurm_script", lease_ ? &*lease_ : nullptr);
  if (!process.ok()) return fail_start(true, process.error().detail);
  script_.emplace(std::move(*process));
}

void Shepherd::fail_start(bool node_fault, std::string text) {
  start_failure_ = StartFailure{node_fault, std::move(text), 0};
  over_ = true;
}

void Shepherd::note_start(const Now& now) {
  started_ = now;
  mark_.started_wall_us = to_us(now.wall);
  mark_.script_pid = script_ ? script_->pid() : 0;
  (void)file_.write_mark(mark_).ok();  // only tells; the record at the end says it again
  send_notice("../../notify", {run_.order.id.job.value, run_.order.id.run.value, to_us(now.wall)});
}

// --- waiting -----------------------------------------------------------------------------------

void Shepherd::wait_for_end() {
  while (!over_) {
    arm_timer();
    pollfd waited[3] = {{signals_.fd(), POLLIN, 0},
                        {script_ ? script_->report_fd() : -1, POLLIN, 0},
                        {timer_.fd(), POLLIN, 0}};
    if (poll(waited, 3, -1) < 0 && errno != EINTR) return;
    if (waited[1].revents != 0) on_start_news();
    if (waited[2].revents != 0) on_time();
    if (waited[0].revents == 0) continue;
    signalfd_siginfo info;
    while (!over_ && read(signals_.fd(), &info, sizeof info) == sizeof info) on_signal(info);
  }
}

void Shepherd::on_start_news() {
  const JobProcess::News news = script_->take_news();
  if (news == JobProcess::News::started && !started_) note_start(read_clocks());
  if (news == JobProcess::News::failed) start_failure_ = script_->failure();
  if (news == JobProcess::News::lease_lapsed && !ending_) ending_ = lease_cause(run_);
}

void Shepherd::on_signal(const signalfd_siginfo& info) {
  const int number = static_cast<int>(info.ssi_signo);
  if (number == SIGCHLD) reap_script();
  if (number == kill_order_signal()) take_kill_order();
  if (number == signal_order_signal()) relay_signal(info.ssi_int);
  if (number == time_limit_signal()) take_time_limit();
}

// Reaps all that died, the script and orphans alike.
void Shepherd::reap_script() {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    if (!script_ || pid != script_->pid()) continue;
    on_start_news();
    wait_status_ = status;
    if (!started_ && !start_failure_ && !ending_)
      start_failure_ = StartFailure{true, "the first process of the job died before its script", 0};
    over_ = true;
  }
}

void Shepherd::relay_signal(int value) const {
  const int number = value & ((1 << signal_number_bits) - 1);
  if (number <= 0 || number >= NSIG) return;
  signal_job(static_cast<SignalReach>(value >> signal_number_bits), number);
}

void Shepherd::signal_job(SignalReach reach, int number) const {
  const pid_t shell = script_ && !wait_status_ ? script_->pid() : 0;
  if (reach == SignalReach::all) tree_.signal_all(number);
  if (reach == SignalReach::children) tree_.signal_all_but(shell, number);
  if (reach == SignalReach::script && shell != 0) kill(shell, number);
}

// The timer is armed anew before the next wait.
void Shepherd::take_time_limit() {
  if (const auto changed = file_.time_limit()) run_.order.time_limit_s = changed->time_limit_s;
}

// --- ending ------------------------------------------------------------------------------------

void Shepherd::take_kill_order() {
  if (ending_) return;
  const auto order = file_.kill_order(run_.order.id);
  if (!order) return;
  run_.kill_wait_s = order->kill_wait_s;
  begin_ending(order->cause, std::chrono::seconds{order->kill_wait_s}, read_clocks());
}

void Shepherd::begin_ending(Cause cause, Duration grace, const Now& now) {
  say(cancelled_line(run_, cause.kind, now.wall));
  ending_ = std::move(cause);
  if (is_member() && !script_) {
    over_ = true;  // nothing was started here that needs a grace
    return;
  }
  kill_at_ = now.steady + grace;
  if (grace == Duration::zero()) return;
  tree_.signal_all(SIGTERM);
  tree_.signal_all(SIGCONT);
}

// Whole lines of ours in the job's own file, through the descriptor that was opened as the user.
void Shepherd::say(const std::string& line) const {
  if (script_ && script_->error_fd() >= 0) (void)write_all(script_->error_fd(), line);
}

std::optional<SteadyTime> Shepherd::next_deadline() const {
  if (kill_at_) return kill_at_;
  std::optional<SteadyTime> next;
  const auto sooner = [&](std::optional<SteadyTime> at) {
    if (at) next = next ? std::min(*next, *at) : at;
  };
  sooner(limit());
  sooner(next_warning());
  if (lease_) {
    SteadyTime look = lease_->until();
    if (look == SteadyTime::max()) look = read_clocks().steady + unfenced_look_interval;
    sooner(look);
  }
  return next;
}

std::optional<SteadyTime> Shepherd::limit() const {
  if (!started_ || !run_.order.time_limit_s) return std::nullopt;
  return started_->steady + std::chrono::seconds{*run_.order.time_limit_s};
}

// When --signal is due; none: never, or it was sent for this limit. A job that was given more time
// after its signal is told again.
std::optional<SteadyTime> Shepherd::next_warning() const {
  const auto end = limit();
  if (!end || !run_.order.signal || is_member()) return std::nullopt;
  const SteadyTime due = *end - std::chrono::seconds{run_.order.signal->before_s};
  return warned_at_ && due <= *warned_at_ ? std::nullopt : std::optional(due);
}

void Shepherd::warn_in_time(const Now& now) {
  const auto due = next_warning();
  if (!due || now.steady < *due) return;
  warned_at_ = now.steady;
  const SignalRequest& wanted = *run_.order.signal;
  signal_job(wanted.batch_only ? SignalReach::script : SignalReach::children,
             static_cast<int>(wanted.signal));
}

void Shepherd::arm_timer() {
  const auto deadline = next_deadline();
  if (!deadline) return;
  // Boot time goes on while the machine sleeps: what is due at waking is done first.
  if (!timer_) timer_ = File{timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)};
  const std::int64_t us = std::max<std::int64_t>(to_us(*deadline), 1);
  itimerspec when{};
  when.it_value = {us / 1'000'000, us % 1'000'000 * 1000};
  timerfd_settime(timer_.fd(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void Shepherd::on_time() {
  std::uint64_t count = 0;
  (void)!read(timer_.fd(), &count, sizeof count);
  const Now now = read_clocks();
  if (lease_ && now.steady >= lease_->until() && !ending_)
    begin_ending(lease_cause(run_), Duration::zero(), now);
  if (!ending_) warn_in_time(now);
  const auto end = limit();
  if (end && now.steady >= *end && !ending_)
    begin_ending(time_limit_cause(run_), std::chrono::seconds{run_.kill_wait_s}, now);
  if (!kill_at_ || now.steady < *kill_at_) return;
  tree_.kill_all();
  kill_at_ = now.steady + kill_again_interval;  // until the script is reaped
}

Result<void> Shepherd::finish() {
  tree_.end();
  const Now now = read_clocks();
  const CgroupUsage counters = read_cgroup_usage(run_.cgroup);
  ExitRecord record;
  record.id = run_.order.id;
  record.node = run_.node;
  record.script_started = started_.has_value();
  if (wait_status_ && started_) record.status = to_exit_status(*wait_status_);
  record.ended_wall = now.wall;
  record.started_wall = started_ ? started_->wall : now.wall;
  if (started_) record.elapsed = now.steady - started_->steady;
  record.usage = usage_of_run(counters);
  // This process may have been frozen while the lease guard did its work.
  if (const auto order = file_.kill_order(run_.order.id); order && !ending_ && record.status.signal == SIGKILL)
    ending_ = order->cause;
  record.cause = ending_ ? *ending_ : cause_of_counters(run_, counters);
  if (start_failure_ && !ending_) {
    record.cause = {CauseKind::launch_failed, {}, start_failure_->text};
    record.node_fault = start_failure_->node_fault;
    record.status.code = start_failure_->exit_code;
  }
  if (record.cause.kind == CauseKind::out_of_memory) say(out_of_memory_line(run_, counters));
  (void)remove_cgroup(run_.cgroup).ok();
  return file_.write_exit(std::move(record));
}

}  // namespace

Result<void> tend_run(const std::string& run_folder) {
  if (chdir(run_folder.c_str()) != 0) return system_error("enter", run_folder);
  RunFile file = TRY(RunFile::open("run"));
  if (!file.try_lock()) return {};
  if (file.mark().pid != 0 || file.exit()) return {};
  SpooledRun run = TRY(file.order());
  // Folders are used again (agent/exec/spool.h): it may have become another run's on the way here.
  if (!run_folder.ends_with("/" + run_name(run.order.id))) return {};
  return Shepherd{run_folder, std::move(file), std::move(run)}.tend();
}

}  // namespace sluice::agent
