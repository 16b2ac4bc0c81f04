// cgroup.h: the control groups of one run, version 1 and 2 behind one small set of functions. Version 1
// uses two hierarchies only, memory and pids: each costs about 60 us a run to make and remove, and
// between them they hold, limit, count and kill a process tree. The paths come ready-made (CgroupPlace).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/spooled_run.h"
#include "common/base/result.h"

namespace sluice::agent {

struct CgroupLimits {
  std::uint64_t mem_mb = 0;    // 0: none
  std::uint32_t pids_max = 0;  // 0: none
};

struct CgroupUsage {
  std::uint64_t mem_peak_kb = 0;
  std::uint32_t oom_kills = 0;
  std::uint32_t pids_refused = 0;  // forks refused by the ceiling
};

// Where runs of this node may have their groups: version 0 when they cannot (the reason is in `why`).
struct CgroupRoot {
  CgroupPlace node;  // the folders that hold the runs' folders
  std::string why;
};
// A node's name among the groups of this machine: its spool's id keeps clusters apart.
std::string cgroup_name_of(const std::string& node, const std::string& spool_id);
// Where the node's folders `PARENT/NAME` are, or would be. Makes nothing. Errors: not_supported
// (not root, no hierarchy).
Result<CgroupPlace> find_node_cgroup(const std::string& name, const std::string& parent = "sluice");
// Finds them and makes them. `parent` may belong to a service manager that delegated it.
CgroupRoot prepare_cgroup_root(const std::string& name, const std::string& parent = "sluice");
CgroupPlace place_of_run(const CgroupRoot& root, RunId id);
// Removes the node's folders with all that is in them, and kills what still lives there. Their
// parent, the folder of all nodes, stays: another cluster may be about to use it. Only for a node whose
// agent and shepherds have gone, or that has no runs. Errors: io_error (a process does not end).
Result<void> remove_node_cgroup(const CgroupPlace& node);

// The functions below do nothing for version 0. Errors: io_error with the path.
Result<void> make_cgroup(const CgroupPlace& place, const CgroupLimits& limits);
// Moves the calling process in; to be called by a process with one thread.
Result<void> join_cgroup(const CgroupPlace& place);
// Every process in the group.
std::vector<pid_t> cgroup_members(const CgroupPlace& place);
// Forbids forks and kills all; true: the group is empty. Call again until it is.
bool kill_cgroup(const CgroupPlace& place);
CgroupUsage read_cgroup_usage(const CgroupPlace& place);
// Errors: io_error (a process is still in it).
Result<void> remove_cgroup(const CgroupPlace& place);

}  // namespace sluice::agent
