// status.cpp: one line for each daemon of a private cluster, then the nodes as sinfo shows them.
#include <fmt/format.h>

#include "cli/dev/verbs.h"

namespace sluice::dev {
namespace {

std::string describe(const Cluster& cluster, const std::string& daemon) {
  std::optional<ProcessId> running = running_daemon(cluster, daemon);
  if (!running) return fmt::format("{:<12} not running  log {}", daemon, cluster.log_file(daemon));
  std::optional<ProcessInfo> info = inspect_process(running->pid);
  const char* state = info && info->state == 'T' ? "frozen" : "runs";
  return fmt::format("{:<12} {} (pid {})  log {}", daemon, state, running->pid,
                     cluster.log_file(daemon));
}

}  // namespace

Result<void> status(const std::string& dir) {
  const Cluster cluster = TRY(load_cluster(dir));
  fmt::print("cluster in {}{}\n", cluster.dir, cluster.temporary ? " (temporary)" : "");
  for (const std::string& daemon : cluster.daemons()) fmt::print("{}\n", describe(cluster, daemon));
  if (!running_daemon(cluster, controller_name)) return {};
  const CommandOutput nodes = TRY(run_command({program_dir() + "/sinfo"}, cluster.config_file()));
  fmt::print("{}", nodes.text);
  return {};
}

}  // namespace sluice::dev
