// messages_step.h: allocations that commands hold, steps, and what agents say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/model/step.h"
#include "common/wire/messages.h"

namespace sluice {

// --- allocations: salloc, and srun alone -------------------------------------------------------
// Follows a job without a script (SubmitJob with such a spec) to the moment when it runs. Answered
// by several replies: one each time that `phase` changes, the last with `granted` or `over`.
struct WaitAllocation {
  static constexpr MessageType type = MessageType::wait_allocation;
  JobSelector job;

  bool operator==(const WaitAllocation&) const = default;
};
BOOST_DESCRIBE_STRUCT(WaitAllocation, (), (job))

// waits: it stands in the queue. starting: nodes are ordered. granted: every node holds its part.
BOOST_DEFINE_ENUM_CLASS(AllocationPhase, waits, starting, granted, over)

struct AllocationReply {
  static constexpr MessageType type = MessageType::allocation_reply;
  JobId job;
  AllocationPhase phase = AllocationPhase::waits;
  Reason reason = Reason::None;  // why it waits
  std::string reason_detail;
  Allocation allocation;                 // of starting, granted
  std::vector<std::string> environment;  // SLURM_JOB_ID and the like, NAME=value
  std::optional<JobEnd> end;             // of over

  bool operator==(const AllocationReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(AllocationReply, (),
                      (job, phase, reason, reason_detail, allocation, environment, end))

// The command is done with it: its steps are ended, its nodes freed, and the job ends with
// `status`.
struct ReleaseJob {
  static constexpr MessageType type = MessageType::release_job;
  JobId job;
  ExitStatus status;

  bool operator==(const ReleaseJob&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReleaseJob, (), (job, status))

// --- steps -------------------------------------------------------------------------------------
// Answered by step_reply, once with `waits` when its share is not free, then with its share; then
// by step_ended, after the end is committed. The same key asks for the same step.
struct CreateStep {
  static constexpr MessageType type = MessageType::create_step;
  std::string key;  // 16 random bytes
  JobSelector job;  // one job, or one task of an array
  StepSpec spec;

  bool operator==(const CreateStep&) const = default;
};
BOOST_DESCRIBE_STRUCT(CreateStep, (), (key, job, spec))

// srun alone: a job without a script and its one step, which ends with that step. Answered by
// submit_reply, by allocation_reply as WaitAllocation is, and then as CreateStep is.
struct RunStep {
  static constexpr MessageType type = MessageType::run_step;
  SubmitJob job;
  CreateStep step;  // its `job` is empty

  bool operator==(const RunStep&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunStep, (), (job, step))

struct StepReply {
  static constexpr MessageType type = MessageType::step_reply;
  StepId id;  // of a step that waits: without its number
  bool waits = false;
  std::string reason;  // why, in words
  std::vector<StepShare> shares;
  std::vector<NodeIdentity> nodes;  // one a share: where they are
  std::string cluster;
  // Of the job, for the environment of tasks.
  Allocation allocation;
  std::vector<std::string> environment;
  // The site's programs around a step, run by srun itself; empty: none.
  std::string srun_prolog;
  std::string srun_epilog;

  bool operator==(const StepReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepReply, (),
                      (id, waits, reason, shares, nodes, cluster, allocation, environment,
                       srun_prolog, srun_epilog))

struct StepEnded {
  static constexpr MessageType type = MessageType::step_ended;
  StepId id;
  JobEnd end;
  std::vector<StepExit> parts;  // as far as they are known, in the order of the shares

  bool operator==(const StepEnded&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepEnded, (), (id, end, parts))

// Answered by action_reply. `signal`: none: the step is ended (TERM, KillWait, KILL).
struct SignalStep {
  static constexpr MessageType type = MessageType::signal_step;
  JobSelector job;
  std::uint32_t step = 0;
  std::optional<std::uint32_t> signal;

  bool operator==(const SignalStep&) const = default;
};
BOOST_DESCRIBE_STRUCT(SignalStep, (), (job, step, signal))

// Of jobs that have not ended; steps of past jobs come with QueryJobs (group "steps").
struct QuerySteps {
  static constexpr MessageType type = MessageType::query_steps;
  JobFilter filter;
  std::optional<std::uint32_t> step;  // one number

  bool operator==(const QuerySteps&) const = default;
};
BOOST_DESCRIBE_STRUCT(QuerySteps, (), (filter, step))

struct StepsReply {
  static constexpr MessageType type = MessageType::steps_reply;
  std::vector<JobInfo> jobs;  // that run, by id, with their open steps in `steps`
  WallTime as_of;

  bool operator==(const StepsReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepsReply, (), (jobs, as_of))

// --- agent <-> controller ----------------------------------------------------------------------
struct LaunchStep {
  static constexpr MessageType type = MessageType::launch_step;
  StepOrder order;

  bool operator==(const LaunchStep&) const = default;
};
BOOST_DESCRIBE_STRUCT(LaunchStep, (), (order))

// The order lies in the agent's spool, and its tasks run their programs.
struct StepStarted {
  static constexpr MessageType type = MessageType::step_started;
  StepId id;
  WallTime started_wall;

  bool operator==(const StepStarted&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepStarted, (), (id, started_wall))

// The order was not taken and never will be: nothing of it is on the node.
struct StepRefused {
  static constexpr MessageType type = MessageType::step_refused;
  StepId id;
  ErrorCode code = ErrorCode::internal;
  std::string detail;
  bool node_fault = true;

  bool operator==(const StepRefused&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepRefused, (), (id, code, detail, node_fault))

struct StepExited {
  static constexpr MessageType type = MessageType::step_exited;
  StepExit record;

  bool operator==(const StepExited&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepExited, (), (record))

struct StepCommitted {
  static constexpr MessageType type = MessageType::step_committed;
  StepId id;

  bool operator==(const StepCommitted&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepCommitted, (), (id))

// Of a step the agent does not know it answers step_exited with cause supervisor_lost.
struct KillStep {
  static constexpr MessageType type = MessageType::kill_step;
  StepId id;
  Cause cause;
  std::uint32_t kill_wait_s = 30;

  bool operator==(const KillStep&) const = default;
};
BOOST_DESCRIBE_STRUCT(KillStep, (), (id, cause, kill_wait_s))

// To the tasks of a step, with all that they started.
struct SignalTasks {
  static constexpr MessageType type = MessageType::signal_tasks;
  StepId id;
  std::uint32_t signal = 0;

  bool operator==(const SignalTasks&) const = default;
};
BOOST_DESCRIBE_STRUCT(SignalTasks, (), (id, signal))

// Right after each register_node: every step in the spool.
struct StepsFound {
  static constexpr MessageType type = MessageType::steps_found;
  std::vector<StepReport> steps;

  bool operator==(const StepsFound&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepsFound, (), (steps))

// What the open steps of a run use now (sstat); asked of its nodes by the controller.
struct MeasureSteps {
  static constexpr MessageType type = MessageType::measure_steps;
  RunId id;
  std::uint64_t question = 0;

  bool operator==(const MeasureSteps&) const = default;
};
BOOST_DESCRIBE_STRUCT(MeasureSteps, (), (id, question))

struct MeasuredStep {
  StepNumber step;
  StepUsage usage;

  bool operator==(const MeasuredStep&) const = default;
};
BOOST_DESCRIBE_STRUCT(MeasuredStep, (), (step, usage))

struct StepsMeasured {
  static constexpr MessageType type = MessageType::steps_measured;
  std::uint64_t question = 0;
  Usage run;  // of the script, or of what holds the allocation
  std::vector<MeasuredStep> steps;

  bool operator==(const StepsMeasured&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepsMeasured, (), (question, run, steps))

}  // namespace sluice
