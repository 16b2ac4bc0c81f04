// step.h: a step is a launch of tasks within a job's allocation: what srun asks (StepSpec), what
// the controller keeps of it (StepRecord), what each of its nodes is ordered to do (StepOrder) and
// says in the end (StepExit). The script itself and the holder of an allocation are steps to users
// only
// ("batch", "extern"): their rows follow from the run's own parts.
//
// Programs, arguments and environment of the tasks are in none of them: the node fetches these from
// srun, which serves the step (StepHost). So a step costs the controller the same however large its
// environment is, and nothing of it is stored.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/model/index_set.h"
#include "common/model/job.h"
#include "common/model/lifecycle.h"
#include "common/model/request.h"
#include "common/model/run.h"

namespace sluice {

// Numbers go on within a run of a job, from 0; none is used twice.
struct StepId {
  JobId job;
  RunNumber run;
  StepNumber step;

  auto operator<=>(const StepId&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepId, (), (job, run, step))

inline RunId run_of(const StepId& id) { return {id.job, id.run}; }

// --- what is asked -----------------------------------------------------------------------------

// In which order ranks are dealt out to nodes. arbitrary: as StepRequest::hosts says.
BOOST_DEFINE_ENUM_CLASS(RankOrder, unsaid, block, cyclic, plane, arbitrary)

// Of the job's allocation. What is not said follows from the job (ntasks: one; nodes: all it
// needs).
struct StepRequest {
  std::optional<std::uint32_t> nodes_min;
  std::optional<std::uint32_t> nodes_max;
  std::optional<std::uint32_t> ntasks;
  std::optional<std::uint32_t> ntasks_per_node;
  std::optional<std::uint32_t> cpus_per_task;
  std::optional<std::uint32_t> cpus_per_gpu;
  std::optional<std::uint32_t> threads_per_core;
  std::optional<std::uint64_t> mem_per_node_mb;  // 0: all that the job has there
  std::optional<std::uint64_t> mem_per_cpu_mb;   // one of the three at most
  std::optional<std::uint64_t> mem_per_gpu_mb;
  std::vector<GresCount> gres_per_node;
  std::vector<GresCount> gpus;  // of the whole step
  std::vector<GresCount> gpus_per_task;
  std::vector<std::string> nodelist;  // all of these nodes
  std::vector<std::string> exclude;
  std::optional<std::uint32_t> relative;  // the first node, counted in the allocation from 0
  RankOrder order = RankOrder::unsaid;
  std::uint32_t plane_size = 0;    // of `plane`
  std::vector<std::string> hosts;  // of `arbitrary`: the node of each rank
  bool exact = false;              // holds the CPUs it asks for; else all of the job's on its nodes
  bool overlap = false;            // shares with other steps what it holds; waits for none
  bool overcommit = false;         // more tasks than CPUs
  bool immediate = false;          // is refused (nodes_busy) rather than wait for other steps

  bool operator==(const StepRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepRequest, (),
                      (nodes_min, nodes_max, ntasks, ntasks_per_node, cpus_per_task, cpus_per_gpu,
                       threads_per_core, mem_per_node_mb, mem_per_cpu_mb, mem_per_gpu_mb,
                       gres_per_node, gpus, gpus_per_task, nodelist, exclude, relative, order,
                       plane_size, hosts, exact, overlap, overcommit, immediate))

// Where srun serves its step. A node of the same machine and network (boot_id, network) dials
// `socket`, all others `address` and `port`.
struct StepHost {
  std::string host;
  std::string boot_id;
  std::string network;
  std::string socket;  // name of an abstract Unix socket
  std::string address;
  std::uint16_t port = 0;  // 0: srun serves its own machine alone
  std::string key;  // 32 random bytes, for this step alone; a caller without it is not served
  std::uint32_t pid = 0;

  bool operator==(const StepHost&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepHost, (), (host, boot_id, network, socket, address, port, key, pid))

struct StepSpec {
  std::string name;
  StepRequest request;
  std::optional<TimeLimit> time_limit;  // none: the job's
  StepHost srun;
  std::string submit_line;
  std::string work_dir;  // as srun will say to the tasks; for listings
  std::string output;    // the same: a pattern
  std::string error;
  std::string input;
  std::string cpu_bind;  // as given
  std::string mpi;       // none, pmi2, pmix

  bool operator==(const StepSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepSpec, (),
                      (name, request, time_limit, srun, submit_line, work_dir, output, error, input,
                       cpu_bind, mpi))

// --- what it holds -----------------------------------------------------------------------------

// One node's part of a step, in the order of the job's shares. share.tasks is the size of `ranks`.
struct StepShare {
  NodeShare share;
  IndexSet ranks;

  bool operator==(const StepShare&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepShare, (), (share, ranks))

// --- how it ends -------------------------------------------------------------------------------

// The largest amount of one task, and the sum of all. Bytes, microseconds or a count.
struct TaskPeak {
  std::uint64_t most = 0;
  std::uint32_t rank = 0;  // whose it was
  std::string node;        // where
  std::uint64_t sum = 0;

  bool operator==(const TaskPeak&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskPeak, (), (most, rank, node, sum))

struct StepUsage {
  Usage total;
  std::uint32_t tasks = 0;  // that were measured: averages are sum / tasks
  TaskPeak rss_kb;
  TaskPeak vm_kb;
  TaskPeak pages;  // major faults
  TaskPeak disk_read;
  TaskPeak disk_written;
  TaskPeak cpu_us;
  std::uint64_t cpu_us_least = 0;
  std::uint32_t cpu_rank_least = 0;
  std::string cpu_node_least;

  bool operator==(const StepUsage&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepUsage, (),
                      (total, tasks, rss_kb, vm_kb, pages, disk_read, disk_written, cpu_us,
                       cpu_us_least, cpu_rank_least, cpu_node_least))

// Tasks that ended alike.
struct TaskEnds {
  IndexSet ranks;
  ExitStatus status;
  bool started = true;  // false: never came to its program; `StepExit::cause` says why

  bool operator==(const TaskEnds&) const = default;
};
BOOST_DESCRIBE_STRUCT(TaskEnds, (), (ranks, status, started))

// A node's last word on its part of a step. Kept by the agent until the controller committed it.
struct StepExit {
  StepId id;
  std::string node;
  std::vector<TaskEnds> tasks;
  Cause cause;  // none: all tasks ended by themselves
  bool node_fault = false;
  bool io_lost = false;  // what tasks still wrote may not have reached srun
  WallTime started_wall;
  WallTime ended_wall;
  Duration elapsed{};  // on the node's steady clock
  StepUsage usage;

  bool operator==(const StepExit&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepExit, (),
                      (id, node, tasks, cause, node_fault, io_lost, started_wall, ended_wall,
                       elapsed, usage))

struct StepPart {
  std::string node;
  PartState state = PartState::ordered;
  std::optional<StepExit> exit;

  bool operator==(const StepPart&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepPart, (), (node, state, exit))

// --- the controller's ---------------------------------------------------------------------------

// Made when its share was given out: a step that waits is a request and no record.
struct StepRecord {
  StepId id;
  std::string key;  // of the request: a repeat finds this step
  StepSpec spec;
  StepState state = StepState::starting;
  std::vector<StepShare> shares;  // never empty
  std::vector<StepPart> parts;    // one a share
  WallTime created;
  std::optional<WallTime> started;
  std::optional<WallTime> ended;
  Duration elapsed{};           // of its longest part
  std::optional<Cause> ending;  // why it was told to end
  std::optional<JobEnd> end;    // set when ended; its status is that of the task to report
  StepUsage usage;              // of all parts, when ended

  bool operator==(const StepRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepRecord, (),
                      (id, key, spec, state, shares, parts, created, started, ended, elapsed,
                       ending, end, usage))

using StepRecordPtr = std::shared_ptr<const StepRecord>;

// What is left in memory of the ended steps of a run.
struct StepTally {
  JobId job;
  RunNumber run;
  StepNumber next;   // of the next step
  ExitStatus worst;  // DerivedExitCode

  bool operator==(const StepTally&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepTally, (), (job, run, next, worst))

// --- orders to a node ---------------------------------------------------------------------------

// Idempotent by its id: a repeat is answered, not started. The run must be the node's; its order
// has the user.
struct StepOrder {
  StepId id;
  std::string name;
  StepShare share;               // of this node
  std::uint32_t node_index = 0;  // in the step
  std::uint32_t nodes = 1;
  std::uint32_t ntasks = 1;  // of the whole step
  std::uint32_t cpus_per_task = 1;
  StepHost srun;
  std::optional<std::uint32_t> time_limit_s;
  std::string task_prolog;  // the site's; empty: none
  std::string task_epilog;

  bool operator==(const StepOrder&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepOrder, (),
                      (id, name, share, node_index, nodes, ntasks, cpus_per_task, srun,
                       time_limit_s, task_prolog, task_epilog))

// How far a step has come on a node, as its agent says after each registration.
struct StepReport {
  StepId id;
  PartState state = PartState::accepted;
  WallTime started_wall;
  std::optional<StepExit> exit;  // set when state is over

  bool operator==(const StepReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepReport, (), (id, state, started_wall, exit))

}  // namespace sluice
