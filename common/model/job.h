// job.h: what the controller knows of a job (JobRecord), apart from what was asked (JobSpec).
// Records are immutable once published; a change makes a new record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/describe.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/model/constraint.h"
#include "common/model/licenses.h"
#include "common/model/lifecycle.h"
#include "common/model/request.h"
#include "common/model/run.h"

namespace sluice {

// A request with all defaults applied, at submit; the planner sees nothing else. Jobs whose Demand,
// placement and time limit are equal are planned as one class.
struct Demand {
  std::uint32_t nodes_min = 1;
  std::uint32_t nodes_max = 1;
  std::uint32_t ntasks = 1;
  std::uint32_t cpus_per_task = 1;
  std::uint32_t ntasks_per_node = 0;  // 0: spread as they fit
  std::uint32_t ntasks_per_socket = 0;  // at most; 0: any number
  std::uint32_t ntasks_per_core = 0;
  std::uint32_t sockets_per_node_min = 0;
  std::uint32_t cpus_per_gpu = 0;       // at least
  std::uint32_t cpus_per_node_min = 0;
  std::uint64_t mem_per_node_mb = 0;  // all but one of the three are 0
  std::uint64_t mem_per_cpu_mb = 0;
  std::uint64_t mem_per_gpu_mb = 0;
  bool mem_whole_node = false;        // --mem=0
  std::uint64_t tmp_per_node_mb = 0;
  std::vector<GresCount> gres_per_node;
  std::vector<GresCount> gpus;        // over all nodes, on each of them one at least
  std::vector<GresCount> gpus_per_task;
  std::vector<LicenseCount> licenses;
  std::vector<FeatureChoice> features;  // empty: any node will do
  bool exclusive = false;
  std::optional<std::uint32_t> exclusive_uid;  // nodes are shared with such jobs of this user alone

  bool operator==(const Demand&) const = default;
};
BOOST_DESCRIBE_STRUCT(Demand, (),
                      (nodes_min, nodes_max, ntasks, cpus_per_task, ntasks_per_node,
                       ntasks_per_socket, ntasks_per_core, sockets_per_node_min, cpus_per_gpu, cpus_per_node_min,
                       mem_per_node_mb, mem_per_cpu_mb, mem_per_gpu_mb, mem_whole_node,
                       tmp_per_node_mb, gres_per_node, gpus, gpus_per_task, licenses, features,
                       exclusive, exclusive_uid))

// What a job asks of one partition of its list, with that partition's defaults.
struct PartitionChoice {
  std::string partition;
  Demand demand;
  std::optional<TimeLimit> time_limit;  // none: unlimited
  AssociationId association;            // that it has there; 0: none is known
  QosId qos;                            // the same

  bool operator==(const PartitionChoice&) const = default;
};
BOOST_DESCRIBE_STRUCT(PartitionChoice, (), (partition, demand, time_limit, association, qos))

BOOST_DEFINE_ENUM_CLASS(Hold, none, user, admin)

// Slurm's one word for why a job waits; the sentence with numbers goes beside it. Of AssocLimit and
// QosLimit the word that users see is the limit's own ("AssocGrpCpuLimit").
BOOST_DEFINE_ENUM_CLASS(Reason, None, Priority, Resources, Dependency, DependencyNeverSatisfied,
                        BeginTime, JobHeldUser, JobHeldAdmin, Licenses, PartitionDown, PartitionNodeLimit,
                        PartitionTimeLimit, PartitionConfig, ReqNodeNotAvail, JobArrayTaskLimit,
                        NonZeroExitCode, JobLaunchFailure, TimeLimit, NodeDown, NodeFencing,
                        OutOfMemory, Cleaning, DeadLine, Reservation, ReservationDeleted,
                        InvalidAccount, InvalidQOS, AccountNotAllowed, QOSNotAllowed, AssocLimit,
                        QosLimit)

// Place in an array. The record that holds the tasks not yet started has `task` empty and `waiting`
// not; each started task is a record of its own, and the last one keeps the array's id.
struct ArrayPlace {
  JobId array_id;
  std::optional<std::uint32_t> task;
  IndexSet waiting;
  std::uint32_t max_running = 0;  // %limit; 0: none

  bool operator==(const ArrayPlace&) const = default;
};
BOOST_DESCRIBE_STRUCT(ArrayPlace, (), (array_id, task, waiting, max_running))

// What was foretold of a start, so that it can be held against what came of it.
struct Forecast {
  WallTime start;
  WallTime made_at;

  bool operator==(const Forecast&) const = default;
};
BOOST_DESCRIBE_STRUCT(Forecast, (), (start, made_at))

struct JobTimes {
  WallTime submitted;
  WallTime eligible;                 // epoch: not yet
  std::optional<WallTime> started;   // of the current or last run, as measured on the batch host
  std::optional<WallTime> ended;
  Duration elapsed{};                // of the last run, on the node's steady clock
  Duration elapsed_before{};         // of all earlier runs
  std::optional<WallTime> begin;     // it may not start before
  std::optional<WallTime> deadline;  // its time limit must end before
  std::optional<WallTime> preempted;  // its current or last run was told to end for another job
  // The first that was made of the start of its current or last run. A job that starts as soon as it
  // is planned has none; neither has an array's task but the first that is to start.
  std::optional<Forecast> forecast;

  bool operator==(const JobTimes&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobTimes, (), (submitted, eligible, started, ended, elapsed, elapsed_before,
                                     begin, deadline, preempted, forecast))

// One node's part of the current run, in the order of the allocation's shares.
struct RunPart {
  std::string node;
  PartState state = PartState::ordered;
  WallTime ordered_at;
  std::optional<ExitRecord> exit;

  bool operator==(const RunPart&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunPart, (), (node, state, ordered_at, exit))

// How a job, or one run of it, ended. Set once.
struct JobEnd {
  Outcome outcome = Outcome::completed;
  ExitStatus status;
  Cause cause;

  bool operator==(const JobEnd&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobEnd, (), (outcome, status, cause))

// Where a job that waits is to start, once the runs are over that were told to end for it. Until
// then nobody else gets these shares. It stays until the start, or until the job may no longer
// start there or one of the nodes is away; no other runs are ended for the job meanwhile.
struct Claim {
  std::string partition;
  std::string reservation;    // empty: outside of all
  Allocation allocation;
  std::vector<RunId> victims;
  WallTime made_at;
  WallTime free_by;           // by the grace of all victims; a node that is later is given up

  bool operator==(const Claim&) const = default;
};
BOOST_DESCRIBE_STRUCT(Claim, (), (partition, reservation, allocation, victims, made_at, free_by))

struct JobRecord {
  JobId id;
  SpecId spec;
  JobState state = JobState::pending;
  RunNumber run;                      // of the current or, when pending, of the next run
  std::uint32_t retries_by_node = 0;  // requeues that were the node's blame; not the user's count
  std::uint32_t retries_by_exit = 0;  // requeues by RequeueExit; the rest of `run` are by hand
  std::optional<ArrayPlace> array;
  AssociationId association;                    // whose shares it uses; 0: none is known
  QosId qos;                                    // 0: the site has none
  std::uint64_t priority = 0;                   // 0: held
  std::optional<std::uint64_t> priority_asked;  // an administrator's word; none: the site's rule
  Hold hold = Hold::none;
  bool special_exit = false;  // held since its last end; shown as SPECIAL_EXIT
  std::int32_t nice = 0;
  bool requeue = true;                 // may run again after a node's fault
  Reason reason = Reason::None;        // why it waits, where that is not derived from its class
  std::string reason_limit;            // of AssocLimit and QosLimit: Slurm's word
  std::string reason_detail;
  Dependency dependency;               // terms not fulfilled yet
  Demand demand;
  std::string partition;               // where it runs, or ran; while it waits, the first of its list
  std::vector<PartitionChoice> choices;  // of a list of partitions, in its order; else empty
  std::optional<TimeLimit> time_limit; // none: unlimited by partition
  JobTimes times;
  std::string reservation;             // that it runs in, or ran in; empty: none
  Allocation allocation;               // held while starting, running, completing; kept afterwards
  std::vector<RunPart> parts;
  std::optional<JobEnd> end;           // set when ended
  std::optional<Cause> ending;         // why it was told to end; decides the outcome
  std::optional<ExitStatus> released;  // of a job without a script: how its command ended
  Usage usage;                         // of the current or last run
  std::vector<Claim> claims;           // while it waits; one at most, and few jobs have one

  bool operator==(const JobRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobRecord, (),
                      (id, spec, state, run, retries_by_node, retries_by_exit, array, association, qos,
                       priority, priority_asked, hold, special_exit, nice, requeue, reason, reason_limit,
                       reason_detail, dependency, demand, partition, choices, time_limit, times, allocation, parts,
                       end, ending, released, usage, reservation, claims))

// An earlier run of a job that was requeued: `sacct -D`.
struct RunRecord {
  RunId id;
  JobTimes times;
  Allocation allocation;
  JobEnd end;
  Usage usage;

  bool operator==(const RunRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunRecord, (), (id, times, allocation, end, usage))

// It stands for the tasks of an array that have no record of their own.
inline bool is_rest_of_array(const JobRecord& record) { return record.array && !record.array->task; }
// How many jobs it stands for.
inline std::uint64_t task_count(const JobRecord& record) {
  return is_rest_of_array(record) ? record.array->waiting.size() : 1;
}

using JobRecordPtr = std::shared_ptr<const JobRecord>;
using JobSpecPtr = std::shared_ptr<const JobSpec>;

// "5", "5_3", "5_[1-3]": what messages call a job.
std::string shown_id(JobId id, const std::optional<ArrayPlace>& array);

// "a,b" while it may still start in either, else the one it is in.
std::string shown_partition(const JobRecord& record);

// The word users see (PENDING, RUNNING, COMPLETING, CANCELLED, ...), and its short form (PD, R,
// ...). `special_exit` is the record's: such a job waits, but is called SPECIAL_EXIT.
const char* state_word(JobState state, const std::optional<JobEnd>& end, bool special_exit = false);
const char* state_code(JobState state, const std::optional<JobEnd>& end, bool special_exit = false);
// Of a job that has not ended.
bool is_word_of_open_job(std::string_view word);

}  // namespace sluice
