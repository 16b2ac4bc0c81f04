// process.h: process trees by /proc, for where there is no control group.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::agent {

// All that descend from `root` now, without it.
std::vector<pid_t> descendants_of(pid_t root);
// Processes whose environment, as it was at their exec, has this entry.
std::vector<pid_t> processes_with_environment(const std::string& entry);
// Field 22 of /proc/PID/stat, in clock ticks since boot; 0: no such process.
std::int64_t start_ticks_of(pid_t pid);

}  // namespace sluice::agent
