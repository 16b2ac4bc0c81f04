// configuration.h: the slurm.conf of a private cluster. Must not start or look at daemons.
#pragma once

#include <cstdint>
#include <string>

#include "cli/dev/cluster.h"
#include "common/base/result.h"

namespace sluice::dev {

// What `sluice dev up` was asked for; what was not said is taken from this machine.
struct UpRequest {
  unsigned nodes = 2;
  unsigned cpus = 0;         // of each node; 0: what the machine has
  std::string mem;           // of each node, Slurm's grammar; empty: an equal share of the machine's
  std::string gpus;          // "TYPE:COUNT" of each node; empty: none
  std::string dir;           // empty: a new temporary folder
  std::string extra_config;  // a file whose lines are appended and win; empty: none
  unsigned simulated = 0;    // that many nodes in one process instead of `nodes`
  unsigned wait_s = 60;      // for the nodes to become idle
};

// The whole text, with a free port for every listener. The file of extra lines replaces the nodes or
// partitions when it has some of its own. Errors: a value or the file cannot be read.
Result<std::string> make_configuration(const UpRequest& request, const Cluster& cluster);

}  // namespace sluice::dev
