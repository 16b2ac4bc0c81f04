// cgroup.cpp: files of the control groups, by the rows of two tables.
#include "agent/exec/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "agent/exec/file.h"

namespace sluice::agent {
namespace {

constexpr std::uint32_t version_1 = 1;
constexpr std::uint32_t version_2 = 2;

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

bool can_use_version_2(const std::string& root) {
  const Result<std::string> have = read_file(root + "/cgroup.controllers");
  return have.ok() && have->find("memory") != std::string::npos &&
         have->find("pids") != std::string::npos;
}

Result<CgroupPlace> prepare_version_1(const std::string& name) {
  CgroupPlace node{version_1, "/sys/fs/cgroup/memory/sluice", "/sys/fs/cgroup/pids/sluice"};
  for (std::string* folder : {&node.memory, &node.pids}) {
    TRY(make_folder(*folder));
    *folder = joined(*folder, name);
    TRY(make_folder(*folder));
  }
  (void)write_kernel_file(node.memory + "/memory.swappiness", "0").ok();
  return node;
}

Result<CgroupPlace> prepare_version_2(const std::string& root, const std::string& name) {
  const std::string ours = root + "/sluice";
  TRY(make_folder(ours));
  TRY(write_kernel_file(root + "/cgroup.subtree_control", "+memory +pids"));
  TRY(write_kernel_file(ours + "/cgroup.subtree_control", "+memory +pids"));
  const std::string node = joined(ours, name);
  TRY(make_folder(node));
  TRY(write_kernel_file(node + "/cgroup.subtree_control", "+memory +pids"));
  return CgroupPlace{version_2, node, node};
}

}  // namespace

CgroupRoot prepare_cgroup_root(const std::string& name) {
  if (geteuid() != 0) return {{}, "the agent is not root"};
  const std::string root = "/sys/fs/cgroup";
  Result<CgroupPlace> node = Error{ErrorCode::not_supported, "no cgroup hierarchy is mounted"};
  if (can_use_version_2(root)) node = prepare_version_2(root, name);
  else if (is_folder(root + "/memory") && is_folder(root + "/pids")) node = prepare_version_1(name);
  if (!node.ok()) return {{}, node.error().detail};
  return {*node, ""};
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
  std::vector<pid_t> pids;
  if (place.version == 0) return pids;
  const Result<std::string> text = read_file(place.pids + "/cgroup.procs");
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
  for (const std::string* folder : folders(place)) {
    int tries = 20;  // the kernel may need a moment after the last process was reaped
    while (rmdir(folder->c_str()) != 0 && errno != ENOENT) {
      if (errno != EBUSY || --tries == 0) return system_error("remove", *folder);
      usleep(1000);
    }
  }
  return {};
}

}  // namespace sluice::agent
