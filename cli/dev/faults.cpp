// faults.cpp: kill9, freeze, thaw, restart: the faults that tests script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>

#include "cli/dev/verbs.h"

namespace sluice::dev {
namespace {

Result<Cluster> load_for(const Fault& fault) {
  Cluster cluster = TRY(load_cluster(fault.dir));
  if (!cluster.has(fault.daemon))
    return Error{ErrorCode::invalid_node, fmt::format("{}: this cluster has {}", fault.daemon,
                                                      fmt::join(cluster.daemons(), ", "))};
  if (fault.part != Part::agent && fault.daemon == controller_name)
    return Error{ErrorCode::invalid_argument, "--part is for nodes; the controller is one process"};
  return cluster;
}

// The processes a fault hits, the agent first: it must not see its shepherds end.
std::vector<ProcessId> targets(const Cluster& cluster, const Fault& fault) {
  std::vector<ProcessId> found;
  if (fault.part != Part::shepherds)
    if (auto agent = running_daemon(cluster, fault.daemon)) found.push_back(*agent);
  if (fault.part == Part::agent) return found;
  for (const ProcessId& shepherd : shepherds(cluster, fault.daemon)) {
    std::vector<ProcessId> tree{shepherd};
    if (fault.part == Part::all) tree = process_tree(shepherd);
    found.insert(found.end(), tree.begin(), tree.end());
  }
  return found;
}

Result<void> send(const Fault& fault, int signal) {
  const Cluster cluster = TRY(load_for(fault));
  const std::vector<ProcessId> processes = targets(cluster, fault);
  // With all of a node the processes are stopped first: none may start another in the meantime.
  if (fault.part == Part::all && signal == SIGKILL)
    for (const ProcessId& process : processes) send_signal(process, SIGSTOP);
  bool hit = false;
  for (const ProcessId& process : processes) hit |= send_signal(process, signal);
  if (!hit) return Error{ErrorCode::invalid_argument, fault.daemon + ": nothing of it runs"};
  if (signal == SIGKILL)
    for (const ProcessId& process : processes)
      if (!wait_until_ended(process, std::chrono::seconds{10}))
        return Error{ErrorCode::io_error, fmt::format("process {} does not end", process.pid)};
  return {};
}

}  // namespace

Result<void> kill9(const Fault& fault) { return send(fault, SIGKILL); }
Result<void> freeze(const Fault& fault) { return send(fault, SIGSTOP); }
Result<void> thaw(const Fault& fault) { return send(fault, SIGCONT); }

Result<void> restart(const Fault& fault) {
  const Cluster cluster = TRY(load_for(fault));
  if (auto running = running_daemon(cluster, fault.daemon)) {
    send_signal(*running, SIGCONT);
    send_signal(*running, SIGTERM);
    if (!wait_until_ended(*running, std::chrono::seconds{10})) {
      send_signal(*running, SIGKILL);
      wait_until_ended(*running, std::chrono::seconds{10});
    }
  }
  TRY(start(cluster, fault.daemon));
  // The one process that plays many nodes listens nowhere.
  if (fault.daemon == simulated_name) return {};
  return wait_until_serving(cluster, fault.daemon, std::chrono::seconds{60});
}

}  // namespace sluice::dev
