// ending.cpp: texts with numbers.
#include "agent/shepherd/ending.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <ctime>

namespace sluice::agent {
namespace {

std::string local_time_text(WallTime at) {
  const time_t seconds = static_cast<time_t>(to_seconds(at));
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return std::string(text, size);
}

std::string step_daemon(const SpooledRun& run) { return "slurmstepd-" + run.node + ": error: "; }

std::uint64_t to_us(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

std::string memory_sentence(const SpooledRun& run, const CgroupUsage& usage) {
  return "the kernel killed " + std::to_string(usage.oom_kills) +
         " process(es) of the job for lack of memory on " + run.node + ": limit " +
         std::to_string(run.order.share.mem_mb) + " MB, peak " +
         std::to_string(usage.mem_peak_kb >> 10) + " MB";
}

}  // namespace

std::string cancelled_line(const SpooledRun& run, CauseKind cause, WallTime at) {
  std::string line = step_daemon(run) + "*** JOB " + std::to_string(run.order.id.job.value) +
                     " ON " + run.node + " CANCELLED AT " + local_time_text(at);
  if (cause == CauseKind::time_limit) line += " DUE TO TIME LIMIT";
  if (cause == CauseKind::preempted) line += " DUE TO PREEMPTION";
  if (cause == CauseKind::requeued) line += " DUE TO JOB REQUEUE";
  if (cause == CauseKind::lease_lapsed) line += " DUE TO A LAPSED LEASE";
  return line + " ***\n";
}

std::string out_of_memory_line(const SpooledRun& run, const CgroupUsage& usage) {
  return step_daemon(run) + memory_sentence(run, usage) + "\n";
}

Cause time_limit_cause(const SpooledRun& run) {
  return {CauseKind::time_limit,
          {},
          "time limit of " + std::to_string(run.order.time_limit_s.value_or(0)) +
              " s reached on " + run.node + "; SIGTERM, and SIGKILL after " +
              std::to_string(run.kill_wait_s) + " s"};
}

Cause lease_cause(const SpooledRun& run) {
  return {CauseKind::lease_lapsed,
          {},
          "node " + run.node + " lost touch with the controller until the run's lease lapsed"};
}

Cause cause_of_counters(const SpooledRun& run, const CgroupUsage& usage) {
  if (usage.oom_kills != 0) return {CauseKind::out_of_memory, {}, memory_sentence(run, usage)};
  if (usage.pids_refused != 0)
    return {CauseKind::none,
            {},
            "the limit of " + std::to_string(run.pids_max) + " processes was hit on " + run.node +
                "; " + std::to_string(usage.pids_refused) + " forks were refused"};
  return {};
}

Usage usage_of_run(const CgroupUsage& counters) {
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  Usage usage;
  usage.user_cpu_us = to_us(children.ru_utime);
  usage.system_cpu_us = to_us(children.ru_stime);
  usage.oom_kills = counters.oom_kills;
  usage.mem_peak_kb = counters.mem_peak_kb != 0
                          ? counters.mem_peak_kb
                          : static_cast<std::uint64_t>(std::max(0L, children.ru_maxrss));
  return usage;
}

ExitStatus to_exit_status(int wait_status) {
  ExitStatus status;
  if (WIFSIGNALED(wait_status)) status.signal = static_cast<std::uint32_t>(WTERMSIG(wait_status));
  else status.code = static_cast<std::uint32_t>(WEXITSTATUS(wait_status));
  return status;
}

}  // namespace sluice::agent
