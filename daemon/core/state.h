// state.h: everything the controller knows, in memory. One thread owns it. Tables are the truth, the
// rest is indices that follow from them (check_invariants() says so). Records change only through
// edit_job() and edit_node(), which mark the row for the store; their state only through advance().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/id_set.h"
#include "common/base/id_table.h"
#include "common/model/accounting.h"
#include "common/model/config.h"
#include "common/model/job.h"
#include "common/model/node.h"
#include "common/model/reservation.h"
#include "common/model/rows.h"
#include "daemon/core/events.h"
#include "daemon/core/limits.h"
#include "daemon/core/step_book.h"
#include "daemon/core/totals.h"
#include "daemon/core/usage.h"
#include "daemon/sched/view.h"

namespace sluice {

struct Outlook;       // outlook.h
struct PreemptRules;  // preempt.h
struct Ranking;       // priority.h

struct JobEntry {
  JobRecord record;
  JobSpecPtr spec;
  std::uint32_t class_id = 0;  // 0: not in the planner's queue
};

struct NodeEntry {
  NodeRecord record;
  std::uint64_t connection = 0;       // 0: none
  NodeVitals vitals;
  SteadyTime last_answer;             // of a heartbeat that echoed our nonce, or of registration
  SteadyTime last_heard;              // of any heartbeat: later than last_answer while it does not hear us
  SteadyTime last_grant;              // when the last lease was granted: an upper bound of its start
  std::uint64_t nonce = 0;            // of the last grant
  // When the nonce was granted that it last echoed: it answered later than that. None: never yet.
  std::optional<SteadyTime> last_round_trip;
  // It let a launch order go without a word for LaunchTimeout: it gets no other before it is heard
  // of again.
  bool missed_launch = false;
};

// What tells the priorities of jobs of one class apart, beside their age.
struct QueueGroup {
  std::optional<std::uint64_t> asked;  // an administrator's word
  std::int32_t nice = 0;
  AssociationId association;
  QosId qos;

  auto operator<=>(const QueueGroup&) const = default;
};

// A shape of a class, as limits see its jobs.
struct ShapeLimits {
  LimitSubject subject;
  JobAmounts least;  // no start takes less
  // A start that was planned would have taken more than a limit leaves; it is not planned again
  // until something else is held against limits (State::limits_version).
  std::optional<LimitHit> refused = {};
  std::uint64_t refused_at = 0;
};

// Jobs of the same shapes, and of the same associations and QOS while limits are in force, that may
// start now. Those of one group stand in the order of their
// priorities, whatever these become: they differ by age alone. So nothing moves when time passes.
struct PendingClass {
  std::shared_ptr<const JobShapes> shapes;
  // By when their age began (priority.h: queued_since), then id; no group is empty.
  std::map<QueueGroup, std::set<std::pair<WallTime, JobId>>> groups;
  std::vector<ShapeLimits> limits;  // of each shape; empty: no limits are in force
  // The first of them in order, as the view has them; stale: jobs came, went or changed since.
  SharedList<PendingJob> heads;
  bool cut = false;  // there are more
  bool is_stale = true;
  bool is_outranked = false;  // priorities are others since
};

// What a run holds against limits, and for whom.
struct LimitHold {
  LimitSubject subject;
  TresCounts tres;
};

// What is known of an array whose records are in memory.
struct ArrayTasks {
  std::map<std::uint32_t, JobId> records;  // tasks that have a record of their own
  std::uint32_t running = 0;               // of them, hold resources
  std::uint32_t open = 0;                  // of them, not ended
  std::uint32_t bad = 0;                   // of them, ended otherwise than completed
  std::set<std::uint32_t> pending;         // of them, wait: named in an action, or queued again
};

// Jobs of one user and one name.
struct Twins {
  std::set<JobId> open;        // not ended
  std::set<JobId> singletons;  // that wait for the others; may hold some that do no longer
};

// A share of a running job's time limit is used up: who asked for mail gets one.
struct LimitMail {
  WallTime at;
  RunId run;
  MailType type = MailType::TIME_LIMIT_50;

  auto operator<=>(const LimitMail&) const = default;
};

// Pointers into the committed past, for readers on other threads. Cheap to take.
struct Snapshot {
  std::uint64_t number = 0;
  IdTable<JobEntry> jobs;
  IdTable<NodeEntry> nodes;
  IdTable<NodeView> node_views;
  IdTable<ClassWait> waits;
  std::shared_ptr<const Promises> promises;
  IdTable<IdSet> jobs_of_user;  // by uid
  std::vector<LicenseCount> licenses_used;
  std::shared_ptr<const ClusterConfig> config;
  std::shared_ptr<const AccountBook> accounts;
  std::shared_ptr<const std::map<std::string, Reservation>> reservations;
  std::shared_ptr<const Ranking> ranking;  // what priorities follow from; never null
  JobId next_job;
  Totals totals;
  IdTable<JobSteps> steps;  // by job
  // What starts are foreseen by, of the same moment; null where nobody had asked for it.
  std::shared_ptr<const Outlook> outlook;
};

struct StoredSpecRef {
  SpecId id;
  std::weak_ptr<const JobSpec> spec;
};

class State {
 public:
  explicit State(std::shared_ptr<const ClusterConfig> config);

  void set_config(std::shared_ptr<const ClusterConfig> changed);

  // --- tables
  const JobEntry* find_job(JobId id) const { return jobs.find(id.value); }
  bool is_unrecorded(JobId id) const;
  const JobRecord& job(JobId id) const;
  const JobSpec& spec(JobId id) const;
  JobRecord& edit_job(JobId id);
  void add_job(JobRecord record, JobSpecPtr spec);
  void retire_job(JobId id);
  JobSteps& edit_steps(JobId id);  // made when there is none
  StepRecord& edit_step(const StepId& id);  // must be open; marks its row for the store
  // The job asks for something else from now on.
  void change_spec(JobId id, const StoredSpec& changed);
  NodeId node_id(const std::string& name) const;  // must exist
  const NodeEntry* find_node(const std::string& name) const;
  NodeEntry& edit_node_entry(const std::string& name);  // what is not stored
  NodeRecord& edit_node(const std::string& name);
  void add_node(NodeRecord record);
  const PartitionConfig* find_partition(const std::string& name) const;
  const PartitionConfig* default_partition() const;

  // --- specs, interned by content
  StoredSpec intern(const JobSpec& spec);
  void adopt_spec(const StoredSpec& stored);
  void set_highest_spec(SpecId id);

  // --- the planner's queue
  // Must be pending and eligible; `choices` are the partitions that may take it, one at least.
  void enqueue(JobId id, const std::vector<PartitionChoice>& choices);
  void dequeue(JobId id);  // no-op when it is not queued
  // More or fewer of its tasks may start, by what its record does not say.
  void touch_queued(JobId id);
  // What priorities follow from has changed. No record changes: a priority is derived.
  void set_ranking(std::shared_ptr<const Ranking> changed);
  std::uint32_t tasks_startable(const JobRecord& record) const;  // 1 for plain jobs
  // Not const: it keeps what it sorted.
  View make_view(const Now& now);

  // --- allocations
  void hold_allocation(const JobRecord& record, const Allocation& allocation, const Now& now);
  void free_share(const JobRecord& record, const NodeShare& share);
  void refresh_node_view(NodeId id);
  bool has_licenses(const Demand& demand) const;
  // From its placement to the end of its run.
  void hold_licenses(const JobRecord& record, const Now& now);
  void free_licenses(const JobRecord& record);
  // The same of the limits of its association and QOS; anew where it is held already.
  void hold_limits(const JobRecord& record);
  void free_limits(JobId id);
  // So many of its tasks came into the queue, or left it by their end. One that waits counts for
  // all that it may become.
  void count_live(const JobRecord& record, std::int64_t tasks);
  // The changes to a record of these tasks that change for whom they count.
  template <class Edit>
  void recount_live(JobId id, Edit&& edit) {
    const auto tasks = static_cast<std::int64_t>(task_count(job(id)));
    count_live(job(id), -tasks);
    edit(edit_job(id));
    count_live(job(id), tasks);
  }
  // For whom it counts as submitted: of a job that waits, in each partition of its list.
  LimitSubjects submit_subjects(const JobRecord& record) const;
  LimitSubject limit_subject(const JobRecord& record) const;
  // What limits leave beside all that is held now.
  const Allowance& allowance(const LimitSubject& subject);
  // After the book or the configuration changed.
  void refresh_limits();
  // After its start or its time limit changed: when it gives back what it holds.
  void expect_end(const JobRecord& record, const Now& now);

  // --- rows for the store, and what readers may see once they are committed
  StoreBatch take_batch();
  bool has_dirty_rows() const;
  void forget_dirty();  // what was just loaded is on disk already
  Snapshot snapshot() const;

  std::shared_ptr<const ClusterConfig> config;
  // Of accounts, users, associations and QOS; never null.
  std::shared_ptr<const AccountBook> accounts = std::make_shared<const AccountBook>();
  std::shared_ptr<const std::map<std::string, Reservation>> reservations =
      std::make_shared<const std::map<std::string, Reservation>>();  // by name; never null
  // What the planner sees of them, and since which version it is so: a plan that is older is void.
  std::shared_ptr<const std::vector<ReservationView>> reservation_views;
  std::uint64_t reservations_version = 0;
  std::optional<WallTime> reservations_looked_at;           // when windows were last held against the clock
  std::map<std::string, SteadyTime> reservations_used_at;   // of PURGE_COMP: when a job was last seen
  UsageBook usage;                             // of runs that are over
  std::shared_ptr<const Ranking> ranking;      // as last calculated; never null
  std::optional<WallTime> rank_again_at;       // before PriorityCalcPeriod is over
  IdTable<JobEntry> jobs;
  IdTable<NodeEntry> nodes;
  IdTable<NodeView> node_views;
  IdTable<NodeHolds> holds;  // by NodeId: what node_views has as sums
  IdTable<ClassWait> waits;
  std::shared_ptr<const PreemptRules> preempt_rules;  // as configuration and book say
  IdTable<Victim> victims;     // by JobId; runs that were not told to end
  std::set<JobId> claimers;    // jobs that have a claim
  std::shared_ptr<const Promises> promises = std::make_shared<const Promises>();  // as last planned
  IdTable<IdSet> jobs_of_user;  // uid -> ids; none without jobs
  IdTable<JobSteps> steps;      // by job; of jobs that had one, until they are retired
  StepWaits step_waits;
  std::shared_ptr<const std::vector<PartitionView>> partitions;
  std::map<std::string, NodeId> node_ids;
  std::map<std::uint32_t, PendingClass> classes;
  std::unordered_map<JobId, ArrayTasks> arrays;
  Totals totals;
  std::unordered_map<std::string, JobId> submit_keys;
  std::unordered_map<JobId, std::string> key_of_job;
  std::unordered_map<JobId, std::set<JobId>> dependents;  // parent or array -> waiting jobs
  std::unordered_map<std::string, Twins> by_name;         // twins_of() the spec
  std::set<LimitMail> limit_mails;
  std::vector<JobId> ends_to_tell;  // within one event
  std::unordered_map<JobId, std::vector<RequestRef>> waiters;
  std::map<std::string, std::set<JobId>> runs_on_node;      // jobs with an unfinished part there
  std::vector<LicenseCount> licenses_used;                  // by runs that are not over
  std::map<JobId, LicenseHold> license_holds;               // the same by job
  std::shared_ptr<const LimitRules> limit_rules;            // never null
  std::map<JobId, LimitHold> limit_holds;                   // by runs that are not over
  LimitLedger limits_held;                                  // their sum
  LimitLedger limits_submitted;                             // tasks that wait or run
  std::uint64_t limits_version = 1;                         // counts changes to limits_held
  std::map<LimitSubject, Allowance> allowances;             // of limits_held, as asked for so far
  std::multimap<SteadyTime, JobId> retire_at;               // ended jobs, by MinJobAge
  // When a pending job's begin or last possible start comes. Entries of jobs that went on stay until then.
  std::set<std::pair<WallTime, JobId>> look_again_at;
  // Orders whose shepherd no node has acknowledged yet, and since when they are out.
  std::map<std::pair<JobId, std::string>, SteadyTime> unacknowledged;
  JobId next_job{1};
  JobId ids_end{1};                                         // reserved on disk up to here
  bool ids_asked = false;
  // Blocks below next_job whose ids may have been given to jobs that this state does not hold: it
  // was restored from a copy older than they are.
  std::vector<IdBlock> unrecorded;
  // Of a restored state: a job that waits in it may run on a node that has not said so yet.
  std::optional<SteadyTime> starts_held_until;
  bool plan_wanted = false;
  std::optional<WallTime> plan_again_at;  // a planned start comes due: it did not happen
  std::uint64_t version = 0;                                // of the view: counts changes to it
  std::uint64_t snapshot_number = 0;
  SteadyTime fence_free_since{};                            // majority of voters since then
  bool fence_majority = false;
  std::uint64_t jobs_live = 0;                              // tasks of arrays counted

  // Rows to be written that are not records.
  StoreBatch extra;

 private:
  std::uint32_t class_of(const std::vector<PartitionChoice>& choices, const JobEntry& entry);
  std::shared_ptr<const JobShapes> share_shapes(JobShapes shapes, const std::string& key);
  void refresh_heads();
  void sort_heads(PendingClass& pending) const;

  std::unordered_multimap<std::uint64_t, StoredSpecRef> specs_;  // by hash of the content
  std::uint64_t next_spec_ = 1;
  std::unordered_map<std::string, std::uint32_t> class_by_key_;  // class_key()
  std::unordered_map<std::string, std::weak_ptr<const JobShapes>> shapes_by_key_;
  std::uint32_t next_class_ = 1;
  std::set<JobId> dirty_jobs_;
  std::set<NodeId> dirty_nodes_;
  std::set<StepId> dirty_steps_;

  friend void check_invariants(const State& state);
};

// Ends the process with the broken rule when an index disagrees with the tables. For tests.
void check_invariants(const State& state);

}  // namespace sluice
