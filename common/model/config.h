// config.h: the site's configuration as the controller, the agents and the commands use it, after
// slurm.conf was read (common/options/config_file.h). Names follow slurm.conf's keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/base/time.h"
#include "common/model/accounting.h"
#include "common/model/licenses.h"
#include "common/model/node.h"
#include "common/model/request.h"

namespace sluice {

struct NodeConfig {
  std::string name;
  std::string host;                      // NodeHostname
  std::string address;                   // NodeAddr
  std::uint16_t port = 0;                // of its witness (UDP); 0: ClusterConfig::agent_port
  NodeShape shape;                       // what was not said keeps its default
  std::vector<std::string> said;         // the keys that were given: CPUs, RealMemory, ...
  std::vector<std::string> features;
  std::uint32_t weight = 1;

  bool operator==(const NodeConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeConfig, (), (name, host, address, port, shape, said, features, weight))

// Who may use a partition. An empty list of those allowed: everybody.
struct PartitionAccess {
  std::vector<std::string> allow_accounts;
  std::vector<std::string> deny_accounts;
  std::vector<std::string> allow_groups;
  std::vector<std::string> allow_qos;
  std::vector<std::string> deny_qos;
  std::string qos;  // its own, whose limits hold for all jobs in it; empty: none

  bool operator==(const PartitionAccess&) const = default;
};
BOOST_DESCRIBE_STRUCT(PartitionAccess, (),
                      (allow_accounts, deny_accounts, allow_groups, allow_qos, deny_qos, qos))

struct PartitionConfig {
  std::string name;
  std::vector<std::string> nodes;        // expanded; "ALL" was replaced
  bool is_default = false;
  bool up = true;
  std::optional<TimeLimit> default_time; // none: max_time
  TimeLimit max_time{.unlimited = true};
  std::uint32_t min_nodes = 0;
  std::optional<std::uint32_t> max_nodes;
  std::optional<std::uint64_t> def_mem_per_cpu_mb;
  std::optional<std::uint64_t> def_mem_per_node_mb;
  std::uint32_t priority_tier = 1;
  std::uint32_t priority_job_factor = 1;
  bool disable_root_jobs = false;
  bool exclusive = false;                // OverSubscribe=EXCLUSIVE
  PartitionAccess access;
  TresCounts billing_weights_ppm;        // TRESBillingWeights, millionths; mem: of a GB
  std::optional<PreemptMode> preempt_mode;  // of its jobs, as victims; none: the cluster's
  std::uint32_t grace_time_s = 0;        // between SIGTERM and SIGKILL of a victim; 0: KillWait

  bool operator==(const PartitionConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(PartitionConfig, (),
                      (name, nodes, is_default, up, default_time, max_time, min_nodes, max_nodes,
                       def_mem_per_cpu_mb, def_mem_per_node_mb, priority_tier, priority_job_factor,
                       disable_root_jobs, exclusive, access, billing_weights_ppm, preempt_mode,
                       grace_time_s))

struct TimeoutConfig {
  std::uint32_t kill_wait_s = 30;
  TimeLimit resv_over_run;               // that runs go on behind the end of their reservation
  std::uint32_t message_timeout_s = 10;
  std::uint32_t min_job_age_s = 300;
  std::uint32_t node_timeout_s = 300;    // SlurmdTimeout: a node silent for so long is lost
  std::uint32_t heartbeat_ms = 5000;     // SluiceHeartbeat
  std::uint32_t lease_s = 60;            // SluiceLease: of requeueable runs
  std::uint32_t launch_timeout_s = 30;   // an order not acknowledged for so long goes elsewhere

  bool operator==(const TimeoutConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(TimeoutConfig, (),
                      (kill_wait_s, resv_over_run, message_timeout_s, min_job_age_s, node_timeout_s, heartbeat_ms,
                       lease_s, launch_timeout_s))

struct PathConfig {
  std::string state_dir = "/var/lib/sluice";     // StateSaveLocation
  std::string spool_dir = "/var/spool/sluice";   // SlurmdSpoolDir; %n is the node's name
  std::string key_file = "/etc/sluice/cluster.key";
  std::string controller_socket = "/run/sluice/sluiced.sock";
  std::string agent_socket = "/run/sluice/agent.sock";
  std::string controller_log;                    // empty: standard error
  std::string agent_log;

  bool operator==(const PathConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(PathConfig, (),
                      (state_dir, spool_dir, key_file, controller_socket, agent_socket,
                       controller_log, agent_log))

// What follows when jobs begin and end.
struct EndConfig {
  IndexSet requeue_exit;          // RequeueExit: exit codes that run a job again
  IndexSet requeue_exit_hold;     // RequeueExitHold: the same, and it is held as SPECIAL_EXIT
  std::uint32_t requeue_max = 5;  // MaxBatchRequeue: by exit codes; then it is held
  std::string mail_program = "/usr/bin/mail";  // MailProg
  std::string mail_domain;                     // MailDomain: added to users without one

  bool operator==(const EndConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(EndConfig, (),
                      (requeue_exit, requeue_exit_hold, requeue_max, mail_program, mail_domain))

// What srun and the nodes need to know of steps.
struct StepConfig {
  std::uint16_t srun_port_first = 0;  // SrunPortRange; 0: any free port
  std::uint16_t srun_port_last = 0;
  std::uint32_t max_step_count = 40000;  // of a job
  std::string mpi_default = "none";
  std::string srun_prolog;  // SrunProlog, SrunEpilog: run by srun
  std::string srun_epilog;
  std::string task_prolog;  // TaskProlog, TaskEpilog: run as the user around each task
  std::string task_epilog;

  bool operator==(const StepConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(StepConfig, (),
                      (srun_port_first, srun_port_last, max_step_count, mpi_default, srun_prolog,
                       srun_epilog, task_prolog, task_epilog))

// What of the accounts is enforced (AccountingStorageEnforce). `limits` and `qos` imply
// `associations`; `safe` implies `limits`.
struct AccountingConfig {
  bool associations = false;  // a job needs one
  bool limits = false;
  bool qos = false;           // a job needs one that its association may use
  bool safe = false;          // no job starts that could run into a GrpTRESMins limit

  bool operator==(const AccountingConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(AccountingConfig, (), (associations, limits, qos, safe))

BOOST_DEFINE_ENUM_CLASS(PriorityFlag, ACCRUE_ALWAYS, CALCULATE_RUNNING, DEPTH_OBLIVIOUS,
                        NO_FAIR_TREE, INCR_ONLY, MAX_TRES, NO_NORMAL_ALL, NO_NORMAL_ASSOC,
                        NO_NORMAL_PART, NO_NORMAL_QOS, NO_NORMAL_TRES, SMALL_RELATIVE_TO_TIME)
BOOST_DEFINE_ENUM_CLASS(UsageReset, NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY)

struct PriorityWeights {
  std::uint32_t age = 0;
  std::uint32_t association = 0;
  std::uint32_t fair_share = 0;
  std::uint32_t job_size = 0;
  std::uint32_t partition = 0;
  std::uint32_t qos = 0;
  TresCounts tres;

  bool operator==(const PriorityWeights&) const = default;
};
BOOST_DESCRIBE_STRUCT(PriorityWeights, (),
                      (age, association, fair_share, job_size, partition, qos, tres))

// PriorityType and what belongs to it.
struct PriorityConfig {
  bool multifactor = false;               // else the order of submits (priority/basic)
  PriorityWeights weights;
  std::uint32_t half_life_min = 7 * 24 * 60;  // PriorityDecayHalfLife; 0: usage never decays
  std::uint32_t max_age_min = 7 * 24 * 60;    // PriorityMaxAge: the age factor is 1 from then on
  std::uint32_t calc_period_min = 5;
  UsageReset usage_reset = UsageReset::NONE;
  bool favor_small = false;
  std::vector<PriorityFlag> flags;

  bool operator==(const PriorityConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(PriorityConfig, (),
                      (multifactor, weights, half_life_min, max_age_min, calc_period_min,
                       usage_reset, favor_small, flags))

// Who may be ended for the start of whom. none: nobody; partition_prio: runs in a partition of a
// lower PriorityTier; qos: runs of those QOS that the job's QOS names in Preempt=. Jobs of an
// opportunistic QOS are ended for all others whatever the type.
BOOST_DEFINE_ENUM_CLASS(PreemptType, none, partition_prio, qos)

// PreemptType and what belongs to it. Mode and grace of a victim are by partition_prio its
// partition's, by qos (and where it is opportunistic) its QOS's.
struct PreemptConfig {
  PreemptType type = PreemptType::none;
  PreemptMode mode = PreemptMode::OFF;     // OFF with type none alone
  std::uint32_t exempt_time_s = 0;         // no run is a victim that began less long ago
  std::optional<std::uint64_t> min_exempt_priority;  // nor one whose job started with a higher one
  bool send_user_signal = false;           // --signal's in place of SIGTERM, where a job has it

  bool operator==(const PreemptConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(PreemptConfig, (),
                      (type, mode, exempt_time_s, min_exempt_priority, send_user_signal))

// In which order jobs are tried. Live it is `priority`; the others are textbook rules, for
// simulations.
BOOST_DEFINE_ENUM_CLASS(QueueOrder, priority, fcfs, sjf, wfp3, unicep, f1)

// Which jobs may start before one that goes first. none: no job of its partition; easy: those that
// do not delay the first that waits; conservative: those that delay none, every plan made anew;
// guarantee: the same, and a start that was promised stays when plans are made anew; balanced: as
// easy, and short ones may delay the first a little (daemon/sched/balance.h).
BOOST_DEFINE_ENUM_CLASS(Backfill, none, easy, conservative, guarantee, balanced)

struct PlanRules {
  QueueOrder order = QueueOrder::priority;
  Backfill backfill = Backfill::guarantee;  // SchedulerType, SluiceBackfill
  std::optional<QueueOrder> candidates;     // of easy: the order behind the first; none: `order`
  std::uint32_t planned_max = 1000;         // bf_max_job_test: jobs that get a planned start
  std::optional<std::uint32_t> window_min;  // bf_window: no start is planned later; none: any
  bool youngest_first = false;  // PreemptParameters: victims by their age, not by what is lost

  bool operator==(const PlanRules&) const = default;
};
BOOST_DESCRIBE_STRUCT(PlanRules, (), (order, backfill, candidates, planned_max, window_min,
                                      youngest_first))

struct ClusterConfig {
  std::string cluster_name = "cluster";
  std::string controller_host = "localhost";     // SlurmctldHost
  std::string controller_address = "127.0.0.1";
  std::uint16_t controller_port = 6827;          // never Slurm's own unless the file says so
  std::uint16_t agent_port = 6828;               // witness port (UDP)
  std::string slurm_user = "root";
  std::string metrics_addr = "127.0.0.1:6829";   // SluiceMetricsAddr; empty: not served
  std::vector<std::string> admin_hosts;  // SluiceAdminHosts: where root is an administrator
  std::vector<std::string> login_hosts;  // SluiceLoginHosts: whose agents vouch for all users
  std::uint32_t max_array_size = 1001;
  std::uint32_t max_job_count = 10000;
  std::uint64_t max_script_bytes = 4 * 1024 * 1024;
  bool enforce_part_limits = true;               // EnforcePartLimits=ALL
  bool job_requeue = true;
  bool disable_root_jobs = true;
  std::uint32_t first_job_id = 1;
  std::vector<std::string> propagate_limits;  // PropagateResourceLimits; empty: all
  std::vector<std::string> propagate_limits_except;
  std::optional<std::uint64_t> def_mem_per_cpu_mb;   // the reader gives these two to every
  std::optional<std::uint64_t> def_mem_per_node_mb;  // partition that says neither of its own
  TimeoutConfig timeouts;
  EndConfig ends;
  StepConfig steps;
  PlanRules planning;
  PreemptConfig preempt;
  PriorityConfig priority;
  AccountingConfig accounting;
  PathConfig paths;
  std::vector<LicenseCount> licenses;
  std::vector<NodeConfig> nodes;
  std::vector<PartitionConfig> partitions;

  bool operator==(const ClusterConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterConfig, (),
                      (cluster_name, controller_host, controller_address, controller_port,
                       agent_port, slurm_user, metrics_addr, admin_hosts, login_hosts, max_array_size,
                       max_job_count, max_script_bytes, enforce_part_limits, job_requeue,
                       disable_root_jobs, first_job_id, propagate_limits, propagate_limits_except,
                       def_mem_per_cpu_mb, def_mem_per_node_mb, timeouts, ends, steps, planning, preempt,
                       priority, accounting, paths, licenses, nodes, partitions))

}  // namespace sluice
