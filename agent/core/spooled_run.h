// spooled_run.h: what lies in the agent's spool for one run: the order, and all the node added to it
// so that the shepherd needs no look-up of its own (no NSS, no configuration, no search for cgroups).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/model/run.h"

namespace sluice {

// An account as this node knows it.
struct UserIdentity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string name;
  std::string home;
  std::string shell;
  std::vector<std::uint32_t> groups;  // supplementary, the primary one included

  bool operator==(const UserIdentity&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserIdentity, (), (uid, gid, name, home, shell, groups))

// Where the run's control groups are. Version 0: none (not root), the subreaper alone holds the run.
// Version 2 has one folder: both paths are the same.
struct CgroupPlace {
  std::uint32_t version = 0;
  std::string memory;
  std::string pids;

  bool operator==(const CgroupPlace&) const = default;
};
BOOST_DESCRIBE_STRUCT(CgroupPlace, (), (version, memory, pids))

// "12.0": of run 0 of job 12; its folder in the spool.
inline std::string run_name(RunId id) {
  return std::to_string(id.job.value) + "." + std::to_string(id.run.value);
}

struct SpooledRun {
  LaunchOrder order;            // its `script` is empty: the bytes are the file slurm_script
  std::string node;
  std::string host;             // the kernel's name of the machine
  std::string boot_id;          // steady times and pids of another boot mean nothing
  UserIdentity user;
  bool change_user = false;     // the agent is root and the job is not: drop to `user`
  CgroupPlace cgroup;
  std::uint32_t pids_max = 0;   // ceiling on processes and threads of the run; 0: none
  std::uint32_t kill_wait_s = 30;
  std::string mark;             // environment entry by which processes of the run are found again

  bool operator==(const SpooledRun&) const = default;
};
BOOST_DESCRIBE_STRUCT(SpooledRun, (),
                      (order, node, host, boot_id, user, change_user, cgroup, pids_max,
                       kill_wait_s, mark))

}  // namespace sluice
