// job_tree.h: all processes of the run, as one thing to signal and to kill. Held by control groups
// where there are some, and always by this process being the reaper of its descendants.
#pragma once

#include <sys/types.h>

#include <vector>

#include "agent/core/spooled_run.h"

namespace sluice::agent {

class JobTree {
 public:
  explicit JobTree(const CgroupPlace& cgroup) : cgroup_(cgroup) {}

  void signal_all(int signal) const;
  void signal_all_but(pid_t spared, int signal) const;
  // SIGKILL to all there are now; what they forked meanwhile is left for the next call.
  void kill_all() const;
  // Kills and reaps until nothing of the run is left. Returns at once when nothing is.
  void end() const;

 private:
  std::vector<pid_t> members() const;

  const CgroupPlace& cgroup_;
};

}  // namespace sluice::agent
