// inventory.h: what this machine has (once, at start) and how it does (with every heartbeat).
#pragma once

#include <string>

#include "common/base/time.h"
#include "common/model/config.h"
#include "common/model/node.h"

namespace sluice::agent {

// Sockets, cores, threads by hwloc; memory and temporary disk by the kernel; GPUs by NVML (when its
// library is there) and by sysfs (AMD). What cannot be found out keeps its default.
NodeShape take_inventory();

// Does the configuration declare more than the machine has? Such a node is pretended: limits that need
// the real thing (cpusets) are not applied there.
bool is_pretended(const NodeConfig& declared, const NodeShape& found);

NodeVitals read_vitals(WallTime now);

std::string kernel_host_name();
std::string operating_system();  // "Linux 6.1.0"
std::string architecture();      // "x86_64"

}  // namespace sluice::agent
