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

}  // namespace sluice::agent
