// down.cpp: ends a private cluster: daemons, then what still runs in its jobs, then its control
// groups, then its folder if `up` made it. Ends nothing else: every process is known by pid and
// start time, every group by the id of the node's spool.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include "agent/exec/cgroup.h"
#include "agent/exec/spool.h"
#include "cli/dev/verbs.h"

namespace sluice::dev {
namespace {

// Politely, then not. The time to say so is short: nothing in a private cluster is worth waiting for.
bool end_process(const ProcessId& process) {
  send_signal(process, SIGTERM);
  send_signal(process, SIGCONT);
  if (wait_until_ended(process, std::chrono::seconds{5})) return true;
  send_signal(process, SIGKILL);
  return wait_until_ended(process, std::chrono::seconds{10});
}

// A tree is stopped before it is killed, and looked at again: it may have grown meanwhile.
void kill_tree(const ProcessId& root) {
  constexpr int rounds_max = 20;
  for (int round = 0; round < rounds_max && is_alive(root); ++round) {
    const std::vector<ProcessId> tree = process_tree(root);
    for (const ProcessId& process : tree) send_signal(process, SIGSTOP);
    const std::vector<ProcessId> again = process_tree(root);
    if (again.size() != tree.size()) continue;
    for (auto process = again.rbegin(); process != again.rend(); ++process)
      send_signal(*process, SIGKILL);
    for (const ProcessId& process : again) wait_until_ended(process, std::chrono::seconds{5});
  }
}

// Whatever ended the node's agent and shepherds, and when: its groups are found by its spool's id.
Result<void> remove_cgroups(const Cluster& cluster, const std::string& node) {
  const Result<std::string> id = agent::Spool::read_id(cluster.spool_dir(node));
  if (!id) return {};  // no agent came as far as making groups
  const auto place = agent::find_node_cgroup(agent::cgroup_name_of(node, *id));
  if (!place) return {};  // none can be made here
  return agent::remove_node_cgroup(*place);
}

Result<void> end_node(const Cluster& cluster, const std::string& node) {
  for (const ProcessId& shepherd : shepherds(cluster, node)) kill_tree(shepherd);
  for (const ProcessId& guard : lease_guards(cluster, node)) kill_tree(guard);
  return remove_cgroups(cluster, node);
}

}  // namespace

Result<void> down(const std::string& dir) {
  const Cluster cluster = TRY(load_cluster(dir));
  for (const std::string& daemon : cluster.daemons()) {
    std::optional<ProcessId> running = running_daemon(cluster, daemon);
    if (running && !end_process(*running))
      return Error{ErrorCode::io_error, fmt::format("{} (pid {}) does not end", daemon, running->pid)};
  }
  for (const std::string& node : cluster.nodes) TRY(end_node(cluster, node));
  if (!cluster.temporary) return {};
  std::error_code failed;
  std::filesystem::remove_all(cluster.dir, failed);
  if (failed) return Error{ErrorCode::io_error, cluster.dir + ": " + failed.message()};
  return {};
}

}  // namespace sluice::dev
