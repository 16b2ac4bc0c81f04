// clock.h: reads the machine's clocks. Only mains, net, agent/exec and cli may include it; core and sched
// get `Now` as an argument.
#pragma once

#include <string>

#include "common/base/time.h"

namespace sluice {
Now read_clocks();
// Identity of this boot of the machine (/proc/sys/kernel/random/boot_id); steady times of two
// different boots must not be compared.
std::string read_boot_id();
}  // namespace sluice
