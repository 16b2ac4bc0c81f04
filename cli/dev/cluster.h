// cluster.h: a private cluster on loopback, all of it below one folder: where its files lie and which
// daemons it has. Several live side by side. Must not read or touch anything outside its folder.
#pragma once

#include <string>
#include <vector>

#include "cli/dev/process.h"
#include "common/base/result.h"

namespace sluice::dev {

inline constexpr const char* controller_name = "controller";
inline constexpr const char* simulated_name = "simulated";  // plays many nodes

// What `up` wrote down in DIR/cluster, for the verbs that come later.
struct Cluster {
  std::string dir;
  bool temporary = false;          // `up` made the folder: `down` removes it
  std::vector<std::string> nodes;  // an agent each
  unsigned simulated = 0;          // nodes played by one process instead

  std::string config_file() const { return dir + "/slurm.conf"; }
  std::string key_file() const { return dir + "/cluster.key"; }
  std::string state_dir() const { return dir + "/state"; }
  std::string spool_dir(const std::string& node) const { return dir + "/spool." + node; }
  std::string log_file(const std::string& daemon) const { return dir + "/log/" + daemon + ".log"; }
  std::string socket(const std::string& daemon) const { return dir + "/run/" + daemon + ".sock"; }
  std::string pid_file(const std::string& daemon) const { return dir + "/run/" + daemon + ".pid"; }

  // "controller" first, then the nodes.
  std::vector<std::string> daemons() const;
  bool has(const std::string& daemon) const;
};

// Longer paths do not fit into a Unix socket's address.
inline constexpr std::size_t socket_path_bytes_max = 107;

// The one name by which the daemons and all verbs know a folder, however the user wrote it.
std::string full_path(const std::string& dir);
// An empty `dir` is the one exported by `up` ($SLUICE_DEV_DIR).
Result<Cluster> load_cluster(std::string dir);
Result<void> save_cluster(const Cluster& cluster);
// True where the folder holds a cluster, running or not.
bool is_cluster_folder(const std::string& dir);

// None: not running.
std::optional<ProcessId> running_daemon(const Cluster& cluster, const std::string& daemon);
Result<ProcessId> start(const Cluster& cluster, const std::string& daemon);

// Waits until the daemon takes connections; gives up early when it has ended. The error carries the end
// of its log.
Result<void> wait_until_serving(const Cluster& cluster, const std::string& daemon,
                                std::chrono::seconds limit);

// The shepherds of a node's runs; they outlive its agent.
std::vector<ProcessId> shepherds(const Cluster& cluster, const std::string& node);
// What guards the leases of these runs when shepherds are frozen; it outlives the agent too.
std::vector<ProcessId> lease_guards(const Cluster& cluster, const std::string& node);

// Waits until the controller answers and every node is idle or at work; gives up early when a daemon
// that should run has ended. The error carries the ends of the logs.
Result<void> wait_until_usable(const Cluster& cluster, std::chrono::seconds limit);

// Folder of the programs: that of this one.
std::string program_dir();

}  // namespace sluice::dev
