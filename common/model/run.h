// run.h: one execution attempt of a job: what a node is ordered to do and what it reports back.
// These structs travel on the wire and lie in the agent's spool, in the same encoding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/model/lifecycle.h"
#include "common/model/request.h"

namespace sluice {

struct ExitStatus {
  std::uint32_t code = 0;    // 0..255
  std::uint32_t signal = 0;  // 0: none

  bool operator==(const ExitStatus&) const = default;
};
BOOST_DESCRIBE_STRUCT(ExitStatus, (), (code, signal))

// Why a run, or a job, came to its end. `none` means the script ended by itself.
BOOST_DEFINE_ENUM_CLASS(CauseKind, none, cancelled, time_limit, out_of_memory, requeued,
                        lease_lapsed, supervisor_lost, node_lost, node_rebooted, node_fault,
                        launch_failed, dependency_never_satisfied, deadline_passed, preempted,
                        gang_part_missing, node_set_down)

// `uid` is who asked (cancelled, requeued). `text` is the sentence with numbers for the user.
struct Cause {
  CauseKind kind = CauseKind::none;
  std::optional<std::uint32_t> uid;
  std::string text;

  bool operator==(const Cause&) const = default;
};
BOOST_DESCRIBE_STRUCT(Cause, (), (kind, uid, text))

struct RunId {
  JobId job;
  RunNumber run;

  auto operator<=>(const RunId&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunId, (), (job, run))

struct Usage {
  std::uint64_t user_cpu_us = 0;
  std::uint64_t system_cpu_us = 0;
  std::uint64_t mem_peak_kb = 0;  // the kernel's peak of the whole tree, or of its largest process
  std::uint32_t oom_kills = 0;

  bool operator==(const Usage&) const = default;
};
BOOST_DESCRIBE_STRUCT(Usage, (), (user_cpu_us, system_cpu_us, mem_peak_kb, oom_kills))

// The shepherd's last word on its part of a run. Kept by the agent until the controller committed it.
struct ExitRecord {
  RunId id;
  std::string node;
  bool script_started = false;  // false: it died before the first instruction of the script
  ExitStatus status;
  Cause cause;                  // none: ended by itself
  bool node_fault = false;      // the node's blame (spool, cgroup, prolog): requeue, not charged
  WallTime started_wall;
  WallTime ended_wall;
  Duration elapsed{};           // on the node's steady clock
  Usage usage;

  bool operator==(const ExitRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(ExitRecord, (),
                      (id, node, script_started, status, cause, node_fault, started_wall,
                       ended_wall, elapsed, usage))

// What is held on one node.
struct NodeShare {
  std::string node;
  std::uint32_t cpus = 0;
  std::uint32_t tasks = 0;
  std::uint64_t mem_mb = 0;
  std::vector<GresCount> gres;

  bool operator==(const NodeShare&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeShare, (), (node, cpus, tasks, mem_mb, gres))

// A job's allocation; the first share is the batch host.
struct Allocation {
  std::vector<NodeShare> shares;
  bool exclusive = false;

  bool operator==(const Allocation&) const = default;
  bool empty() const { return shares.empty(); }
};
BOOST_DESCRIBE_STRUCT(Allocation, (), (shares, exclusive))

BOOST_DEFINE_ENUM_CLASS(PartRole, batch_host, member)

// Whom a signal to a run reaches: what its script started (the steps), the script's shell, or both.
BOOST_DEFINE_ENUM_CLASS(SignalReach, children, script, all)

// Order to start one part of a run. Idempotent by (job, run): a repeat is acknowledged, not started.
struct LaunchOrder {
  RunId id;
  PartRole role = PartRole::batch_host;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  std::string job_name;
  std::string partition;
  NodeShare share;                    // of this node
  std::string script_id;              // content ids; the bytes come with the order when small,
  std::string environment_id;         // else the agent fetches them (GetBlob)
  std::string script;
  std::string environment;            // NUL-separated NAME=value; the job's own, as submitted
  std::vector<std::string> arguments;
  std::string work_dir;
  std::string output_path;            // fully expanded, absolute
  std::string error_path;             // empty: same as output
  std::string input_path;             // empty: /dev/null
  bool append = false;
  std::uint32_t umask = 022;
  std::vector<ProcessLimit> limits;  // soft ones to be set, as far as the node's hard ones allow
  std::optional<std::uint32_t> time_limit_s;
  std::optional<SignalRequest> signal;       // sent by the node, by the run's own clock
  bool leased = false;                       // the run must end when the node's lease lapses
  std::vector<std::string> job_environment;  // SLURM_* variables, NAME=value; they win

  bool operator==(const LaunchOrder&) const = default;
};
BOOST_DESCRIBE_STRUCT(LaunchOrder, (),
                      (id, role, uid, gid, user, job_name, partition, share, script_id,
                       environment_id, script, environment, arguments, work_dir, output_path,
                       error_path, input_path, append, umask, limits, time_limit_s, signal, leased,
                       job_environment))

// How far a run part has come, as an agent reports at registration.
struct RunReport {
  RunId id;
  PartState state = PartState::accepted;
  WallTime started_wall;
  std::optional<ExitRecord> exit;  // set when state is over
  // From the order in the spool: a controller whose state was restored from an older copy adopts runs
  // it does not know.
  PartRole role = PartRole::batch_host;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  std::string job_name;
  std::string partition;
  NodeShare share;
  std::string work_dir;
  std::optional<std::uint32_t> time_limit_s;

  bool operator==(const RunReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunReport, (),
                      (id, state, started_wall, exit, role, uid, gid, user, job_name, partition,
                       share, work_dir, time_limit_s))

}  // namespace sluice
