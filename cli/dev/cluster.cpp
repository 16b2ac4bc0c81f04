// cluster.cpp: the cluster's folder, its daemons, and the wait for it to be usable.
#include "cli/dev/cluster.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace sluice::dev {
namespace {

std::string cluster_file(const std::string& dir) { return dir + "/cluster"; }

std::string tail(const std::string& path, std::size_t lines_max) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::string text;
  std::size_t first = lines.size() > lines_max ? lines.size() - lines_max : 0;
  for (std::size_t i = first; i < lines.size(); ++i) text += "    " + lines[i] + "\n";
  return text.empty() ? "    (empty)\n" : text;
}

Error unusable(const Cluster& cluster, const std::vector<std::string>& daemons, const std::string& why) {
  constexpr std::size_t lines_max = 8, logs_max = 4;
  std::string text = why;
  for (std::size_t i = 0; i < daemons.size() && i < logs_max; ++i) {
    const std::string log = cluster.log_file(daemons[i]);
    text += fmt::format("\n  end of {}:\n{}", log, tail(log, lines_max));
  }
  return Error{ErrorCode::io_error, text};
}

bool takes_connections(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path.copy(address.sun_path, socket_path_bytes_max);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return connected;
}

// Nodes in a state in which jobs can run, as `sinfo` counts them.
unsigned count_usable_nodes(const std::string& sinfo) {
  unsigned usable = 0;
  std::istringstream lines(sinfo);
  for (std::string name, state; lines >> name >> state;) {
    const bool works = state == "idle" || state == "mixed" || state == "allocated";
    usable += works || state == "completing" ? 1 : 0;
  }
  return usable;
}

// By the name they were given and the spool that is named in their arguments.
std::vector<ProcessId> processes_on_spool(const std::string& name, const std::string& spool) {
  std::vector<ProcessId> found;
  for (const ProcessInfo& info : all_processes()) {
    const std::vector<std::string> words = command_line(info.id.pid);
    if (words.empty() || std::filesystem::path(words[0]).filename() != name) continue;
    const bool ours = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word.starts_with(spool + "/") || word == spool;
    });
    if (ours) found.push_back(info.id);
  }
  return found;
}

}  // namespace

std::vector<std::string> Cluster::daemons() const {
  std::vector<std::string> names{controller_name};
  names.insert(names.end(), nodes.begin(), nodes.end());
  if (simulated > 0) names.push_back(simulated_name);
  return names;
}

bool Cluster::has(const std::string& daemon) const {
  const std::vector<std::string> names = daemons();
  return std::find(names.begin(), names.end(), daemon) != names.end();
}

std::string full_path(const std::string& dir) {
  std::error_code failed;
  const std::filesystem::path path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(dir), failed);
  return failed ? dir : (path.has_filename() ? path : path.parent_path()).string();
}

bool is_cluster_folder(const std::string& dir) { return access(cluster_file(dir).c_str(), F_OK) == 0; }

Result<Cluster> load_cluster(std::string dir) {
  if (dir.empty()) {
    const char* exported = std::getenv("SLUICE_DEV_DIR");
    if (!exported || !*exported)
      return Error{ErrorCode::invalid_argument,
                   "which cluster? Say --dir D, or eval the lines `sluice dev up` printed"};
    dir = exported;
  }
  std::ifstream file(cluster_file(dir));
  if (!file)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{}: no cluster of `sluice dev up` here", dir)};
  Cluster cluster;
  cluster.dir = full_path(dir);
  for (std::string key, value; file >> key >> value;) {
    if (key == "node") cluster.nodes.push_back(value);
    if (key == "temporary") cluster.temporary = value == "yes";
    if (key == "simulated") cluster.simulated = static_cast<unsigned>(std::stoul(value));
  }
  return cluster;
}

Result<void> save_cluster(const Cluster& cluster) {
  std::ofstream file(cluster_file(cluster.dir));
  file << "temporary " << (cluster.temporary ? "yes" : "no") << "\n";
  file << "simulated " << cluster.simulated << "\n";
  for (const std::string& node : cluster.nodes) file << "node " << node << "\n";
  file.close();
  if (!file) return Error{ErrorCode::io_error, cluster_file(cluster.dir) + ": cannot be written"};
  return {};
}

std::optional<ProcessId> running_daemon(const Cluster& cluster, const std::string& daemon) {
  std::optional<ProcessId> id = read_pid_file(cluster.pid_file(daemon));
  if (!id || !is_alive(*id)) return std::nullopt;
  return id;
}

Result<ProcessId> start(const Cluster& cluster, const std::string& daemon) {
  std::vector<std::string> command;
  if (daemon == controller_name)
    command = {program_dir() + "/sluiced", "-f", cluster.config_file()};
  else if (daemon == simulated_name)
    command = {program_dir() + "/sluice-simulated-nodes", "-f", cluster.config_file()};
  else
    command = {program_dir() + "/sluice-agent", "--name", daemon, "-f", cluster.config_file()};
  return start_daemon({.command = command,
                       .log_file = cluster.log_file(daemon),
                       .pid_file = cluster.pid_file(daemon)});
}

std::vector<ProcessId> shepherds(const Cluster& cluster, const std::string& node) {
  return processes_on_spool("sluice-shepherd", cluster.spool_dir(node));
}

std::vector<ProcessId> lease_guards(const Cluster& cluster, const std::string& node) {
  return processes_on_spool("sluice-lease-guard", cluster.spool_dir(node));
}

Result<void> wait_until_serving(const Cluster& cluster, const std::string& daemon,
                                std::chrono::seconds limit) {
  const auto give_up_at = std::chrono::steady_clock::now() + limit;
  while (!takes_connections(cluster.socket(daemon))) {
    if (!running_daemon(cluster, daemon)) return unusable(cluster, {daemon}, daemon + " has ended");
    if (std::chrono::steady_clock::now() > give_up_at)
      return unusable(cluster, {daemon},
                      fmt::format("{} takes no connections after {} s", daemon, limit.count()));
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return {};
}

Result<void> wait_until_usable(const Cluster& cluster, std::chrono::seconds limit) {
  const auto give_up_at = std::chrono::steady_clock::now() + limit;
  const std::size_t wanted = cluster.nodes.size() + cluster.simulated;
  CommandOutput seen;
  do {
    for (const std::string& daemon : cluster.daemons())
      if (!running_daemon(cluster, daemon))
        return unusable(cluster, cluster.daemons(), daemon + " has ended");
    seen = TRY(run_command({program_dir() + "/sinfo", "-h", "-N", "-o", "%N %T"},
                           cluster.config_file()));
    if (seen.exit_code == 0 && count_usable_nodes(seen.text) >= wanted) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  } while (std::chrono::steady_clock::now() < give_up_at);
  return unusable(cluster, cluster.daemons(), fmt::format("not all {} nodes are idle after {} s; sinfo says:\n{}",
                                       wanted, limit.count(), seen.text));
}

std::string program_dir() {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return ".";
  return std::filesystem::path(std::string(path, static_cast<std::size_t>(size))).parent_path();
}

}  // namespace sluice::dev
