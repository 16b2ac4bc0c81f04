// request.h: what a job asks for. Nothing said stays std::nullopt; defaults are applied once, by the
// controller, when a request becomes a Demand (demand.h). Units are in the names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/model/index_set.h"

namespace sluice {

// A generic resource ("gpu", "gpu:a100"), counted per node.
struct GresCount {
  std::string name;
  std::string type;  // empty: any type
  std::uint32_t count = 1;

  bool operator==(const GresCount&) const = default;
};
BOOST_DESCRIBE_STRUCT(GresCount, (), (name, type, count))

// Parses and prints Slurm's form "gpu:2,gpu:a100:1"; the printed form has no "gres:" in front.
std::string to_text(const std::vector<GresCount>& gres);

struct TimeLimit {
  bool unlimited = false;
  std::uint32_t minutes = 0;  // meaningless when unlimited
  std::uint32_t seconds = 0;  // beyond the minutes: of replayed traces; commands round up to minutes

  bool operator==(const TimeLimit&) const = default;
};
BOOST_DESCRIBE_STRUCT(TimeLimit, (), (unlimited, minutes, seconds))

// None: endless.
inline std::optional<Duration> length_of(const std::optional<TimeLimit>& limit) {
  if (!limit || limit->unlimited) return std::nullopt;
  return std::chrono::minutes{limit->minutes} + std::chrono::seconds{limit->seconds};
}

// Who may have jobs on the same nodes: Slurm's OverSubscribe=OK, YES, USER, NO.
BOOST_DEFINE_ENUM_CLASS(Sharing, unsaid, oversubscribe, user, exclusive)

struct ResourceRequest {
  std::optional<std::uint32_t> nodes_min;
  std::optional<std::uint32_t> nodes_max;
  std::optional<std::uint32_t> ntasks;
  std::optional<std::uint32_t> ntasks_per_node;
  std::optional<std::uint32_t> ntasks_per_socket;  // at most
  std::optional<std::uint32_t> ntasks_per_core;    // at most
  std::optional<std::uint32_t> ntasks_per_gpu;
  std::optional<std::uint32_t> sockets_per_node;   // at least
  std::optional<std::uint32_t> cpus_per_task;
  std::optional<std::uint32_t> cpus_per_gpu;
  std::optional<std::uint32_t> cpus_per_node_min;  // --mincpus
  std::optional<std::uint64_t> mem_per_node_mb;  // 0: all of the node's memory
  std::optional<std::uint64_t> mem_per_cpu_mb;   // never together with mem_per_node_mb
  std::optional<std::uint64_t> mem_per_gpu_mb;   // nor with one of those
  std::optional<std::uint64_t> tmp_per_node_mb;
  std::vector<GresCount> gres_per_node;
  std::vector<GresCount> gpus;                   // of the whole job
  std::vector<GresCount> gpus_per_task;
  std::vector<GresCount> gpus_per_socket;        // of each of sockets_per_node
  std::string licenses;                          // as given (licenses.h)
  Sharing sharing = Sharing::unsaid;

  bool operator==(const ResourceRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ResourceRequest, (),
                      (nodes_min, nodes_max, ntasks, ntasks_per_node, ntasks_per_socket,
                       ntasks_per_core, ntasks_per_gpu, sockets_per_node, cpus_per_task, cpus_per_gpu,
                       cpus_per_node_min, mem_per_node_mb, mem_per_cpu_mb, mem_per_gpu_mb,
                       tmp_per_node_mb, gres_per_node, gpus, gpus_per_task, gpus_per_socket, licenses,
                       sharing))

struct PlacementRequest {
  std::vector<std::string> partitions;     // empty: the default partition
  std::string constraint;                  // as given (constraint.h)
  std::vector<std::string> nodelist;       // all of these nodes
  std::vector<std::string> exclude;
  std::vector<std::string> reservations;   // one of these

  bool operator==(const PlacementRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(PlacementRequest, (), (partitions, constraint, nodelist, exclude, reservations))

struct StdioRequest {
  std::string output;  // pattern as given; empty: slurm-%j.out or slurm-%A_%a.out
  std::string error;   // empty: the same file as output
  std::string input;   // empty: /dev/null
  bool append = false;

  bool operator==(const StdioRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(StdioRequest, (), (output, error, input, append))

// There are no burst buffers, so `afterburstbuffer` is met with the end of the job.
BOOST_DEFINE_ENUM_CLASS(DependencyType, after, afterany, afterok, afternotok, aftercorr,
                        afterburstbuffer, singleton)

// What was asked; the lower members are the controller's, in the record of a job that waits.
struct DependencyTerm {
  DependencyType type = DependencyType::afterany;
  JobId job = {};                          // 0: of a singleton
  std::optional<std::uint32_t> task = {};  // one task of an array; none: the whole array or job
  std::uint32_t delay_min = 0;             // of `after`: so long after the start
  bool is_array = false;                   // `job` is a whole array
  std::optional<WallTime> due = {};        // of `after` with a delay: it has started, met from then
  bool failed = false;                     // it can never be met

  bool operator==(const DependencyTerm&) const = default;
};
BOOST_DESCRIBE_STRUCT(DependencyTerm, (), (type, job, task, delay_min, is_array, due, failed))

struct Dependency {
  std::vector<DependencyTerm> terms;
  bool any = false;  // '?' was used: one fulfilled term is enough

  bool operator==(const Dependency&) const = default;
};
BOOST_DESCRIBE_STRUCT(Dependency, (), (terms, any))

struct ArrayRequest {
  IndexSet tasks;                // empty: not an array
  std::uint32_t max_running = 0; // %limit; 0: none

  bool operator==(const ArrayRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(ArrayRequest, (), (tasks, max_running))

// --signal: so long before the end of the time limit the node tells the job.
struct SignalRequest {
  std::uint32_t signal = 0;
  std::uint32_t before_s = 60;
  bool batch_only = false;  // the script's shell alone; else all that it started, without itself

  bool operator==(const SignalRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(SignalRequest, (), (signal, before_s, batch_only))

struct StartRules {
  bool hold = false;
  std::optional<bool> requeue;   // none: the site's JobRequeue
  std::int32_t nice = 0;
  std::optional<TimeLimit> time_limit;  // none: the partition's DefaultTime, else MaxTime
  std::optional<TimeLimit> time_min;    // the limit is never set lower than this
  Dependency dependency;
  ArrayRequest array;
  std::optional<WallTime> begin;          // not before
  std::optional<WallTime> deadline;       // ended when it cannot be over by then
  std::optional<std::uint64_t> priority;  // an administrator's word; none: the site's rule
  std::optional<SignalRequest> signal;
  bool kill_on_invalid_dep = true;  // ended when its dependency can never be met, else it waits on

  bool operator==(const StartRules&) const = default;
};
BOOST_DESCRIBE_STRUCT(StartRules, (),
                      (hold, requeue, nice, time_limit, time_min, dependency, array, begin,
                       deadline, priority, signal, kill_on_invalid_dep))

BOOST_DEFINE_ENUM_CLASS(MailType, BEGIN, END, FAIL, REQUEUE, INVALID_DEPEND, STAGE_OUT, TIME_LIMIT,
                        TIME_LIMIT_90, TIME_LIMIT_80, TIME_LIMIT_50, ARRAY_TASKS)

struct MailRequest {
  std::vector<MailType> types;  // each once; empty: no mail
  std::string user;             // empty: the job's owner

  bool operator==(const MailRequest&) const = default;
};
BOOST_DESCRIBE_STRUCT(MailRequest, (), (types, user))

// A soft limit of the submitter's shell. Names are Slurm's, "NOFILE" (process_limits.h).
struct ProcessLimit {
  std::string name;
  std::optional<std::uint64_t> soft;  // none: unlimited

  bool operator==(const ProcessLimit&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProcessLimit, (), (name, soft))

// The script and the environment are stored by content, never inside the spec.
struct BatchScript {
  std::string script_id;       // hex SHA-256 of the script's bytes
  std::string environment_id;  // hex SHA-256 of the NUL-separated environment
  std::vector<std::string> arguments;  // of the script, without its name
  std::string command;         // path shown as Command=; empty for --wrap and stdin
  std::string work_dir;        // absolute
  std::string submit_dir;      // absolute
  std::string submit_host;
  std::string submit_line;     // the command as it was typed, for accounting; a long one is cut
  std::string export_mode;     // as given to --export; empty: ALL
  std::uint32_t umask = 022;
  std::vector<ProcessLimit> limits;    // all that the submitter's shell had
  std::vector<std::string> propagate;  // which of them are for the job; empty: as the site says

  bool operator==(const BatchScript&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchScript, (),
                      (script_id, environment_id, arguments, command, work_dir, submit_dir,
                       submit_host, submit_line, export_mode, umask, limits, propagate))

// batch: runs a script. salloc: holds its nodes for a command until that releases them. srun: holds
// them for one step, and ends as that does.
BOOST_DEFINE_ENUM_CLASS(JobKind, batch, salloc, srun)

// Everything a user asked for. Interned by content: it never changes once accepted; what may change
// later (priority, holds, limits) is in JobRecord.
struct JobSpec {
  JobKind kind = JobKind::batch;
  std::string name;
  std::uint32_t uid = 0;  // set by the controller from the peer's credentials, never from the wire
  std::uint32_t gid = 0;
  std::string user;       // names for display and environment; looked up where the uid was vouched
  std::string group;
  std::string account;
  std::string qos;
  std::string wckey;
  std::string comment;
  ResourceRequest request;
  PlacementRequest placement;
  StdioRequest stdio_files;
  StartRules start;
  BatchScript batch;
  MailRequest mail;

  bool operator==(const JobSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobSpec, (),
                      (kind, name, uid, gid, user, group, account, qos, wckey, comment, request,
                       placement, stdio_files, start, batch, mail))

}  // namespace sluice
