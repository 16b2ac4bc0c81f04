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
// Finds the hierarchies and makes the node's folders `sluice/NAME`.
CgroupRoot prepare_cgroup_root(const std::string& name);
CgroupPlace place_of_run(const CgroupRoot& root, RunId id);

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
