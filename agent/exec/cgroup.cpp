// cgroup.cpp: files of the control groups, by the rows of two tables.
#include "agent/exec/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "agent/exec/file.h"

namespace sluice::agent {
namespace {

constexpr std::uint32_t version_1 = 1;
constexpr std::uint32_t version_2 = 2;
constexpr const char* hierarchies = "/sys/fs/cgroup";

bool is_folder(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<void> make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return system_error("create", path);
  return {};
}

// The folders of a place, each once.
std::vector<const std::string*> folders(const CgroupPlace& place) {
  if (place.version == version_1) return {&place.memory, &place.pids};
  if (place.version == version_2) return {&place.memory};
  return {};
}

// The number behind `key ` at the start of a line; 0 when there is none.
std::uint64_t number_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ' ')
      return std::strtoull(std::string(line.substr(key.size() + 1)).c_str(), nullptr, 10);
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
  }
  return 0;
}

std::uint64_t number_in_file(const std::string& path, std::string_view key) {
  const Result<std::string> text = read_file(path);
  if (!text.ok()) return 0;
  return key.empty() ? std::strtoull(text->c_str(), nullptr, 10) : number_of(*text, key);
}

Result<void> limit_memory(const CgroupPlace& place, std::uint64_t mem_mb) {
  const std::string bytes = std::to_string(mem_mb << 20);
  if (place.version == version_2) {
    TRY(write_kernel_file(place.memory + "/memory.max", bytes));
    // No swap where the kernel counts it: a job does not live on beyond its memory.
    (void)write_kernel_file(place.memory + "/memory.swap.max", "0").ok();
    (void)write_kernel_file(place.memory + "/memory.oom.group", "0").ok();
    return {};
  }
  TRY(write_kernel_file(place.memory + "/memory.limit_in_bytes", bytes));
  // Where the kernel does not count swap, the node's folder forbids it (its swappiness is inherited).
  (void)write_kernel_file(place.memory + "/memory.memsw.limit_in_bytes", bytes).ok();
  return {};
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder + "/" + name;
}

bool names_controllers(const std::string& file) {
  const Result<std::string> names = read_file(file);
  return names.ok() && names->find("memory") != std::string::npos &&
         names->find("pids") != std::string::npos;
}

// A folder and those above it, outermost first, below /sys/fs/cgroup.
std::vector<std::string> path_to(const std::string& folder) {
  std::vector<std::string> path;
  for (std::size_t at = std::strlen(hierarchies) + 1; at != std::string::npos;) {
    at = folder.find('/', at);
    path.push_back(folder.substr(0, at));
    if (at != std::string::npos) ++at;
  }
  return path;
}

// Version 2 lends what it counts and limits from each group to those in it. Where it does already
// nothing is written: the upper groups may be a service manager's.
Result<void> lend_controllers(const std::string& folder) {
  const std::string file = folder + "/cgroup.subtree_control";
  if (names_controllers(file)) return {};
  return write_kernel_file(file, "+memory +pids");
}

Result<void> prepare(const CgroupPlace& node) {
  if (node.version == version_2) TRY(lend_controllers(hierarchies));
  for (const std::string* end : folders(node))
    for (const std::string& folder : path_to(*end)) {
      TRY(make_folder(folder));
      if (node.version == version_2) TRY(lend_controllers(folder));
    }
  if (node.version == version_1)
    (void)write_kernel_file(node.memory + "/memory.swappiness", "0").ok();
  return {};
}

std::vector<pid_t> members_of(const std::string& folder) {
  std::vector<pid_t> pids;
  const Result<std::string> text = read_file(folder + "/cgroup.procs");
  if (!text.ok()) return pids;
  for (const char* at = text->c_str(); *at != '\0';) {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) break;
    if (pid > 0) pids.push_back(static_cast<pid_t>(pid));
    at = end;
    while (*at == '\n') ++at;
  }
  return pids;
}

std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> found;
  DIR* folder = opendir(path.c_str());
  if (!folder) return found;
  while (const dirent* entry = readdir(folder))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
      found.push_back(joined(path, entry->d_name));
  closedir(folder);
  return found;
}

Result<void> remove_folder(const std::string& path) {
  int tries = 20;  // the kernel may need a moment after the last process was reaped
  while (rmdir(path.c_str()) != 0 && errno != ENOENT) {
    if (errno != EBUSY || --tries == 0) return system_error("remove", path);
    usleep(1000);
  }
  return {};
}

// The groups in it first. What is killed here may be nobody's child any more: it is not waited for
// but looked for again.
Result<void> remove_tree(const std::string& path) {
  for (const std::string& inner : folders_in(path)) TRY(remove_tree(inner));
  constexpr int looks_max = 500, look_interval_ms = 10;
  for (int look = 0; look < looks_max; ++look) {
    const std::vector<pid_t> members = members_of(path);
    if (members.empty()) break;
    for (const pid_t pid : members) kill(pid, SIGKILL);
    poll(nullptr, 0, look_interval_ms);
  }
  return remove_folder(path);
}

}  // namespace

std::string cgroup_name_of(const std::string& node, const std::string& spool_id) {
  return node + "." + spool_id.substr(0, 8);
}

Result<CgroupPlace> find_node_cgroup(const std::string& name, const std::string& parent) {
  if (geteuid() != 0) return Error{ErrorCode::not_supported, "the agent is not root"};
  const std::string root = hierarchies;
  const std::string tail = "/" + joined(parent, name);
  if (names_controllers(root + "/cgroup.controllers"))
    return CgroupPlace{version_2, root + tail, root + tail};
  if (is_folder(root + "/memory") && is_folder(root + "/pids"))
    return CgroupPlace{version_1, root + "/memory" + tail, root + "/pids" + tail};
  return Error{ErrorCode::not_supported, "no cgroup hierarchy is mounted"};
}

CgroupRoot prepare_cgroup_root(const std::string& name, const std::string& parent) {
  const Result<CgroupPlace> node = find_node_cgroup(name, parent);
  if (!node.ok()) return {{}, node.error().detail};
  if (const auto made = prepare(*node); !made.ok()) return {{}, made.error().detail};
  return {*node, ""};
}

Result<void> remove_node_cgroup(const CgroupPlace& node) {
  // Of the whole node at once: nothing in it can fork faster than it is killed.
  if (node.version != 0) (void)write_kernel_file(node.pids + "/pids.max", "0").ok();
  for (const std::string* folder : folders(node)) TRY(remove_tree(*folder));
  return {};
}

CgroupPlace place_of_run(const CgroupRoot& root, RunId id) {
  if (root.node.version == 0) return {};
  const std::string name =
      "job_" + std::to_string(id.job.value) + "_" + std::to_string(id.run.value);
  return {root.node.version, joined(root.node.memory, name), joined(root.node.pids, name)};
}

Result<void> make_cgroup(const CgroupPlace& place, const CgroupLimits& limits) {
  for (const std::string* folder : folders(place)) TRY(make_folder(*folder));
  if (place.version == 0) return {};
  if (limits.mem_mb != 0) TRY(limit_memory(place, limits.mem_mb));
  if (limits.pids_max != 0)
    TRY(write_kernel_file(place.pids + "/pids.max", std::to_string(limits.pids_max)));
  return {};
}

Result<void> join_cgroup(const CgroupPlace& place) {
  // Version 1: `tasks` moves one thread and avoids the kernel's global lock of `cgroup.procs`.
  const char* name = place.version == version_1 ? "/tasks" : "/cgroup.procs";
  for (const std::string* folder : folders(place))
    TRY(write_kernel_file(*folder + name, "0"));
  return {};
}

std::vector<pid_t> cgroup_members(const CgroupPlace& place) {
  return place.version == 0 ? std::vector<pid_t>{} : members_of(place.pids);
}

bool kill_cgroup(const CgroupPlace& place) {
  const std::vector<pid_t> members = cgroup_members(place);
  if (members.empty()) return true;
  (void)write_kernel_file(place.pids + "/pids.max", "0").ok();
  if (place.version == version_2 && write_kernel_file(place.pids + "/cgroup.kill", "1").ok())
    return false;
  for (const pid_t pid : members) kill(pid, SIGKILL);
  return false;
}

CgroupUsage read_cgroup_usage(const CgroupPlace& place) {
  CgroupUsage usage;
  if (place.version == 0) return usage;
  const bool v1 = place.version == version_1;
  const auto peak_file = v1 ? "/memory.max_usage_in_bytes" : "/memory.peak";
  const auto oom_file = v1 ? "/memory.oom_control" : "/memory.events";
  usage.mem_peak_kb = number_in_file(place.memory + peak_file, "") >> 10;
  usage.oom_kills = static_cast<std::uint32_t>(number_in_file(place.memory + oom_file, "oom_kill"));
  usage.pids_refused =
      static_cast<std::uint32_t>(number_in_file(place.pids + "/pids.events", "max"));
  return usage;
}

Result<void> remove_cgroup(const CgroupPlace& place) {
  for (const std::string* folder : folders(place)) TRY(remove_folder(*folder));
  return {};
}

}  // namespace sluice::agent
