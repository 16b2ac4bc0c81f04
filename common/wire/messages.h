// messages.h: every message, one struct each: those of commands here, those of agents in
// messages_agent.h. Who may send what is not decided here but in daemon/rpc's table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/model/config.h"
#include "common/model/job.h"
#include "common/model/node.h"
#include "common/model/run.h"
#include "common/model/step.h"
#include "common/wire/message_type.h"
#include "common/wire/messages_agent.h"

namespace sluice {

// Wire form of Error.
struct ErrorReply {
  static constexpr MessageType type = MessageType::error_reply;
  ErrorCode code = ErrorCode::internal;
  std::string detail;
  std::vector<std::string> notes;  // lines Slurm prints before the error itself

  bool operator==(const ErrorReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ErrorReply, (), (code, detail, notes))

struct OkReply {
  static constexpr MessageType type = MessageType::ok_reply;
  std::string text;

  bool operator==(const OkReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(OkReply, (), (text))

// --- submit ------------------------------------------------------------------------------------
struct SubmitJob {
  static constexpr MessageType type = MessageType::submit_job;
  std::string key;                   // 16 random bytes: a repeat of the same key gives the same id
  JobSpec spec;                      // uid, gid, content ids are filled in by the controller
  std::string script;
  std::string environment;           // NUL-separated NAME=value
  bool test_only = false;
  std::optional<std::uint32_t> as_uid;  // --uid, --gid: root only
  std::optional<std::uint32_t> as_gid;

  bool operator==(const SubmitJob&) const = default;
};
BOOST_DESCRIBE_STRUCT(SubmitJob, (),
                      (key, spec, script, environment, test_only, as_uid, as_gid))

// Where and when a job would start, were nothing else to come.
struct PlannedStart {
  std::string partition;
  std::string reservation;                // empty: outside of all
  std::optional<WallTime> start;          // none: no start can be foreseen; `detail` says why
  std::string nodes;                      // a hostlist; of no start: empty
  std::uint32_t node_count = 0;
  std::uint32_t cpus = 0;
  std::optional<TimeLimit> time_limit;    // that it would have; none: unlimited
  Reason reason = Reason::None;           // why it would wait until then
  std::string detail;

  bool operator==(const PlannedStart&) const = default;
};
BOOST_DESCRIBE_STRUCT(PlannedStart, (),
                      (partition, reservation, start, nodes, node_count, cpus, time_limit, reason,
                       detail))

struct SubmitReply {
  static constexpr MessageType type = MessageType::submit_reply;
  JobId job;
  std::vector<std::string> notes;    // to be printed on stderr
  std::string cluster;
  std::vector<PlannedStart> planned;  // --test-only: the earliest first; one a partition of its list

  bool operator==(const SubmitReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(SubmitReply, (),
                      (job, notes, cluster, planned))

// --- selection ---------------------------------------------------------------------------------
// "5", "5_3", "5_[1-3]": all of an array when `tasks` is empty.
struct JobSelector {
  JobId job;
  IndexSet tasks;

  bool operator==(const JobSelector&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobSelector, (), (job, tasks))

// All that is said must match; an empty list does not restrict.
struct JobFilter {
  std::vector<JobSelector> jobs;
  std::vector<std::uint32_t> uids;
  std::vector<std::string> states;      // state words (PENDING ...); "ALL" for every state
  std::vector<std::string> partitions;
  std::vector<std::string> names;
  std::vector<std::string> accounts;
  std::vector<std::string> qos;
  std::vector<std::string> wckeys;
  std::vector<std::uint32_t> gids;
  std::vector<std::string> nodes;
  std::vector<std::string> reservations;
  std::optional<WallTime> since;        // history only: ran or waited at or after
  std::optional<WallTime> until;
  JobId after;                          // ids above this one: where a listing in pages goes on

  bool operator==(const JobFilter&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobFilter, (),
                      (jobs, uids, states, partitions, names, accounts, qos, wckeys, gids, nodes,
                       reservations, since, until, after))

// --- actions on jobs ---------------------------------------------------------------------------
struct CancelJobs {
  static constexpr MessageType type = MessageType::cancel_jobs;
  JobFilter filter;
  std::optional<std::uint32_t> signal;  // none: end the job (TERM, KillWait, KILL)
  bool batch_only = false;
  bool full = false;

  bool operator==(const CancelJobs&) const = default;
};
BOOST_DESCRIBE_STRUCT(CancelJobs, (), (filter, signal, batch_only, full))

BOOST_DEFINE_ENUM_CLASS(JobAction, update, hold, uhold, release, requeue, requeue_hold)

struct UpdateJobs {
  static constexpr MessageType type = MessageType::update_jobs;
  JobFilter filter;
  JobAction action = JobAction::update;
  std::optional<TimeLimit> time_limit;
  std::optional<std::int32_t> nice;
  std::optional<std::uint64_t> priority;
  std::optional<bool> requeue;
  std::optional<std::uint32_t> array_max_running;
  // Other members of the spec, by the names of the option table ("start.begin"), with their new
  // values.
  std::vector<std::string> members;
  JobSpec spec;
  bool special_exit = false;  // of requeue_hold: it waits as SPECIAL_EXIT
  bool incomplete = false;    // of requeue: leaves out what ended well

  bool operator==(const UpdateJobs&) const = default;
};
BOOST_DESCRIBE_STRUCT(UpdateJobs, (),
                      (filter, action, time_limit, nice, priority, requeue, array_max_running,
                       members, spec, special_exit, incomplete))

// One line for each job that was meant.
struct ActionAnswer {
  JobId job;
  std::string shown_id;                 // "5_3"
  std::optional<ErrorCode> error;       // none: done
  std::string detail;

  bool operator==(const ActionAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(ActionAnswer, (), (job, shown_id, error, detail))

struct ActionReply {
  static constexpr MessageType type = MessageType::action_reply;
  std::vector<ActionAnswer> answers;

  bool operator==(const ActionReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ActionReply, (), (answers))

BOOST_DEFINE_ENUM_CLASS(NodeAction, drain, undrain, down, resume)

struct UpdateNodes {
  static constexpr MessageType type = MessageType::update_nodes;
  std::vector<std::string> nodes;
  NodeAction action = NodeAction::drain;
  std::string reason;

  bool operator==(const UpdateNodes&) const = default;
};
BOOST_DESCRIBE_STRUCT(UpdateNodes, (), (nodes, action, reason))

// Answered when the job (all tasks of an array) has ended.
struct WaitJob {
  static constexpr MessageType type = MessageType::wait_job;
  JobId job;

  bool operator==(const WaitJob&) const = default;
};
BOOST_DESCRIBE_STRUCT(WaitJob, (), (job))

struct WaitReply {
  static constexpr MessageType type = MessageType::wait_reply;
  JobEnd end;  // of the job; of the array task with the highest exit code

  bool operator==(const WaitReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(WaitReply, (), (end))

// --- listings ----------------------------------------------------------------------------------
struct JobNames {
  std::string name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  std::string group;
  std::string account;
  std::string qos;
  std::string wckey;
  std::string comment;
  std::string partition;

  bool operator==(const JobNames&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobNames, (),
                      (name, uid, gid, user, group, account, qos, wckey, comment, partition))

struct JobAsked {
  Demand demand;
  ResourceRequest request;
  PlacementRequest placement;
  std::optional<TimeLimit> time_limit;
  std::optional<TimeLimit> time_min;
  std::string dependency;             // as Slurm shows it; empty: none or fulfilled
  std::uint32_t array_max_running = 0;
  bool requeue = false;
  std::int32_t nice = 0;
  std::optional<SignalRequest> signal;
  MailRequest mail;
  std::uint32_t retries_by_node = 0;
  std::uint32_t retries_by_exit = 0;

  bool operator==(const JobAsked&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobAsked, (),
                      (demand, request, placement, time_limit, time_min, dependency,
                       array_max_running, requeue, nice, signal, mail, retries_by_node,
                       retries_by_exit))

struct JobWait {
  std::uint64_t priority = 0;
  Reason reason = Reason::None;
  std::string reason_limit;               // JobRecord::reason_limit
  std::string reason_detail;
  std::optional<WallTime> planned_start;  // none: the planner knows of none
  std::string planned_nodes;              // a hostlist

  bool operator==(const JobWait&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobWait, (),
                      (priority, reason, reason_limit, reason_detail, planned_start, planned_nodes))

struct JobFiles {
  std::string command;
  std::string work_dir;
  std::string submit_host;
  std::string submit_line;            // the command that submitted it
  std::string output;                 // expanded as far as known
  std::string error;
  std::string input;

  bool operator==(const JobFiles&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobFiles, (),
                      (command, work_dir, submit_host, submit_line, output, error, input))

// One row of a listing. QueryJobs.groups names the members wanted ("names", "times", ...); id, state
// and array are always there.
struct JobInfo {
  JobId id;
  JobState state = JobState::pending;
  bool special_exit = false;
  std::optional<ArrayPlace> array;
  RunNumber run;
  std::optional<JobEnd> end;
  JobNames names;
  JobAsked asked;
  JobWait wait;
  JobTimes times;
  Allocation allocation;
  JobFiles files;
  Usage usage;
  JobKind kind = JobKind::batch;
  ExitStatus derived;             // DerivedExitCode: the highest of its steps
  std::vector<StepRecord> steps;  // that have numbers, ascending

  bool operator==(const JobInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobInfo, (),
                      (id, state, special_exit, array, run, end, names, asked, wait, times,
                       allocation, files, usage, kind, derived, steps))

BOOST_DEFINE_ENUM_CLASS(JobSource, queue, history)

struct QueryJobs {
  static constexpr MessageType type = MessageType::query_jobs;
  JobSource source = JobSource::queue;  // queue: known to the controller; history: all ever accepted
  JobFilter filter;
  std::vector<std::string> groups;      // empty: all
  bool earlier_runs = false;            // history: one row a run (sacct -D)
  // About as many rows, then the answer says where to go on (filter.after); 0: all. So neither end
  // has to hold a long listing. Each page is of the state of its own moment.
  std::uint32_t rows_max = 0;

  bool operator==(const QueryJobs&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryJobs, (), (source, filter, groups, earlier_runs, rows_max))

// A long listing comes in several replies to one request; the last has more == false.
struct JobsReply {
  static constexpr MessageType type = MessageType::jobs_reply;
  std::vector<JobInfo> jobs;
  bool more = false;
  WallTime as_of;                       // the controller's clock: elapsed times are against this
  std::vector<JobId> unknown;           // ids of the filter that no job has
  std::optional<JobId> next;            // a page was asked for and there may be more behind this id

  bool operator==(const JobsReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobsReply, (), (jobs, more, as_of, unknown, next))

struct NodeInfo {
  NodeRecord node;
  std::vector<std::string> partitions;
  std::uint32_t cpus_allocated = 0;
  std::uint64_t mem_allocated_mb = 0;
  std::vector<GresCount> gres_used;
  bool completing = false;              // a job on it is ending
  std::uint32_t jobs = 0;
  NodeVitals vitals;
  std::string address;
  std::string reservation;              // whose window it is in now, as a whole; empty: none
  bool in_maintenance = false;          // it is one of MAINT

  bool operator==(const NodeInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeInfo, (),
                      (node, partitions, cpus_allocated, mem_allocated_mb, gres_used, completing,
                       jobs, vitals, address, reservation, in_maintenance))

struct QueryNodes {
  static constexpr MessageType type = MessageType::query_nodes;
  std::vector<std::string> nodes;       // empty: all

  bool operator==(const QueryNodes&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryNodes, (), (nodes))

struct NodesReply {
  static constexpr MessageType type = MessageType::nodes_reply;
  std::vector<NodeInfo> nodes;
  std::vector<PartitionConfig> partitions;  // in configuration order, for sinfo
  WallTime as_of;

  bool operator==(const NodesReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodesReply, (), (nodes, partitions, as_of))

struct QueryConfig {
  static constexpr MessageType type = MessageType::query_config;

  bool operator==(const QueryConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryConfig, (), ())

struct ConfigReply {
  static constexpr MessageType type = MessageType::config_reply;
  ClusterConfig config;
  WallTime as_of;
  std::string host;
  std::string version;
  std::uint32_t next_job_id = 0;
  std::vector<LicenseCount> licenses_used;

  bool operator==(const ConfigReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ConfigReply, (), (config, as_of, host, version, next_job_id, licenses_used))

// --- the change feed ---------------------------------------------------------------------------
// What happened after the event that `token` names, oldest first; nothing yet: the answer waits until
// there is something (or, without `wait`, is empty). An empty token: nothing but the newest token.
struct WatchEvents {
  static constexpr MessageType type = MessageType::watch_events;
  std::string token;
  std::vector<JobSelector> jobs;      // empty: of all jobs, and of nodes
  std::vector<std::uint32_t> uids;    // whose jobs; empty: everyone's
  std::vector<std::string> kinds;     // empty: all
  bool wait = true;

  bool operator==(const WatchEvents&) const = default;
};
BOOST_DESCRIBE_STRUCT(WatchEvents, (), (token, jobs, uids, kinds, wait))

// A row of the audit, with what its job is now.
struct EventInfo {
  std::string token;       // to go on behind this event; good as long as the state file is
  WallTime at;
  std::string kind;        // job_submitted, run_placed, run_started, job_ended, node_drained, ...
  JobId job;               // 0: not about a job
  std::string shown_job;   // "5_3"
  std::string job_name;
  std::string job_user;
  std::string job_state;   // when it was read, which may be later than the event
  std::string node;
  std::uint32_t by_uid = 0;
  std::string detail;

  bool operator==(const EventInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(EventInfo, (),
                      (token, at, kind, job, shown_job, job_name, job_user, job_state, node, by_uid,
                       detail))

struct EventsReply {
  static constexpr MessageType type = MessageType::events_reply;
  std::vector<EventInfo> events;
  std::string token;       // for the next question; behind all that was looked at, listed or not

  bool operator==(const EventsReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(EventsReply, (), (events, token))

BOOST_DEFINE_ENUM_CLASS(JobContent, script, environment)

struct GetScript {
  static constexpr MessageType type = MessageType::get_script;
  JobId job;
  JobContent content = JobContent::script;

  bool operator==(const GetScript&) const = default;
};
BOOST_DESCRIBE_STRUCT(GetScript, (), (job, content))

struct ScriptReply {
  static constexpr MessageType type = MessageType::script_reply;
  std::string script;                 // or the environment: NUL-separated NAME=value

  bool operator==(const ScriptReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ScriptReply, (), (script))

struct Ping {
  static constexpr MessageType type = MessageType::ping;

  bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), ())

struct PingReply {
  static constexpr MessageType type = MessageType::ping_reply;
  std::string host;
  std::uint32_t pid = 0;
  std::string cluster;
  std::string version;

  bool operator==(const PingReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(PingReply, (), (host, pid, cluster, version))

struct Reconfigure {
  static constexpr MessageType type = MessageType::reconfigure;

  bool operator==(const Reconfigure&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reconfigure, (), ())

struct Shutdown {
  static constexpr MessageType type = MessageType::shutdown;

  bool operator==(const Shutdown&) const = default;
};
BOOST_DESCRIBE_STRUCT(Shutdown, (), ())

// Hot copy of the state file, verified; the path is on the controller's host.
struct Backup {
  static constexpr MessageType type = MessageType::backup;
  std::string path;

  bool operator==(const Backup&) const = default;
};
BOOST_DESCRIBE_STRUCT(Backup, (), (path))

// Moves jobs that ended so long ago into an archive, a file on the controller's host. Answered when
// all are there, which may take minutes; asked again, it goes on where it was.
struct PurgeJobs {
  static constexpr MessageType type = MessageType::purge_jobs;
  std::string path;
  std::uint64_t older_s = 0;

  bool operator==(const PurgeJobs&) const = default;
};
BOOST_DESCRIBE_STRUCT(PurgeJobs, (), (path, older_s))

struct PurgeReply {
  static constexpr MessageType type = MessageType::purge_reply;
  std::uint64_t jobs = 0;
  std::uint64_t events = 0;             // of the audit
  std::optional<WallTime> first_ended;  // of the jobs
  std::optional<WallTime> last_ended;
  std::uint64_t bytes_freed = 0;  // within the state file, for what comes

  bool operator==(const PurgeReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(PurgeReply, (), (jobs, events, first_ended, last_ended, bytes_freed))

}  // namespace sluice
