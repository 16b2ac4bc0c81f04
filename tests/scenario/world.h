// world.h: a cluster for stories: the real core and planner, nodes that do what the story says, a clock
// that the story turns. Every step checks the invariants, and that reload(store) equals the live state.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/core/core.h"
#include "daemon/store/store.h"

namespace sluice {

struct NodeDescription {
  std::uint32_t cpus = 4;
  std::uint64_t mem_mb = 8000;
};

struct JobRequest {
  std::uint32_t nodes = 1;
  std::uint32_t ntasks = 1;
  std::uint32_t cpus = 1;  // of a task
  bool requeue = true;
  std::string array;  // "0-9%2" without the option's grammar: first-last%limit,...
  Dependency dependency;
  std::uint32_t uid = 1000;
  bool hold = false;
  std::uint32_t time_limit_min = 60;    // 0: unlimited
  std::uint32_t limit_seconds = 0;      // beyond the minutes
  std::optional<Duration> begin_in;     // from the time of the submit
  std::optional<Duration> deadline_in;
  std::optional<TimeLimit> time_min;
  PlacementRequest placement;
  std::optional<ResourceRequest> asked;  // in place of nodes, ntasks and cpus
  std::string name = "story";
  bool kill_on_invalid_dep = true;
  MailRequest mail = {};
  std::string account;
  std::string qos;
  std::string user = "walter";
};

// Nodes n1, n2, ... in the partition "main".
ClusterConfig story_config(int count, const NodeDescription& node = {});

// Keeps rows as a store would.
class MemoryRows {
 public:
  void commit(const StoreBatch& batch);
  LoadedState load() const;
  // All that was ever committed, retired jobs too.
  std::unique_ptr<HistoryReader> history() const;

 private:
  std::map<JobId, JobRecord> jobs_;
  std::set<JobId> retired_;
  std::map<SpecId, JobSpecPtr> specs_;
  std::map<std::string, NodeRecord> nodes_;
  std::vector<SubmitKey> keys_;
  AccountBook accounts_;
  std::map<std::string, Reservation> reservations_;
  std::vector<RunRecord> runs_;
};

class World {
 public:
  static World with_nodes(int count, const NodeDescription& node = {});
  // Nodes as configured, all of which register.
  static World with_config(const ClusterConfig& config);

  // --- users
  JobId submit(const JobRequest& request);            // must be accepted
  Error submit_refused(const JobRequest& request);    // must be refused
  ActionReply cancel(const JobFilter& filter, std::uint32_t uid = 1000);
  ActionReply signal(const JobFilter& filter, std::uint32_t signal);
  ActionReply update(UpdateJobs request, std::uint32_t uid = 1000, bool is_admin = false);
  void set_ends(const EndConfig& ends);  // the site changes its configuration
  void configure(const ClusterConfig& config);
  // By an administrator, of the book as it is, unless `change` says otherwise.
  Result<ChangeAccountsReply> change_accounts(ChangeAccounts change, std::uint32_t uid = 0,
                                              const std::string& user = "root");
  void update_node(const std::string& node, NodeAction action, const std::string& reason);
  std::string reserve(const ChangeReservation& request);  // by an administrator; gives its name
  Error reserve_refused(const ChangeReservation& request, bool is_admin = true);
  void set_priority_rule(const PriorityConfig& priority);  // the site changes its configuration
  void set_accounts(const AccountBook& book);
  void charge_to(JobId job, AssociationId association, QosId qos = {});  // whose shares it uses

  // --- nodes; names are n1, n2, ...
  void exit(JobId job, ExitStatus status = {}, Cause cause = {}, bool node_fault = false);
  void connect(const std::string& node);              // registers with what runs there
  Error connect_refused(const std::string& node);     // another agent under the node's name
  void disconnect(const std::string& node);           // silent from now on; what runs there goes on
  void reboot(const std::string& node);               // everything on it is gone; it registers again
  void mute(const std::string& node);                 // takes orders, never answers them
  std::string node_of(JobId job) const;
  // What the job's node holds the run to; none: unlimited.
  std::optional<std::uint32_t> limit_on_node(JobId job) const;

  // --- time
  void settle();                                      // until nothing more happens
  void pass(Duration time);                           // second by second; live nodes answer heartbeats
  void restart_controller();
  // The state goes back to an earlier moment, the id floor does not. Nodes have to connect() again.
  MemoryRows back_up() const { return rows_; }
  void restore(const MemoryRows& earlier);

  // --- what came out
  // As users see it, as of the last calculation.
  std::uint64_t priority_of(JobId job) const;
  JobState state_of(JobId job) const { return core.state.job(job).state; }
  const JobRecord& record(JobId job) const { return core.state.job(job); }
  Outcome outcome_of(JobId job) const { return core.state.job(job).end.value().outcome; }
  int alive(JobId job) const;  // copies of the job that run on nodes now
  std::vector<SendMail> take_mails() { return std::exchange(mails_, {}); }

  Core core;
  Now now;

 private:
  struct FakeRun {
    LaunchOrder order;
    WallTime started;
  };
  struct FakeNode {
    bool connected = false;
    bool muted = false;
    std::uint64_t connection = 0;
    std::string boot_id = "boot1";
    NodeDescription description;
    std::map<RunId, FakeRun> runs;
    std::map<RunId, FakeRun> ended;  // not acknowledged yet, with `exits`
    std::map<RunId, ExitRecord> exits;
  };

  explicit World(std::shared_ptr<const ClusterConfig> config);
  void feed(const Event& event);
  void perform(const Effect& effect);
  void deliver(FakeNode& node, const std::string& name, const SendToNode& message);
  void launch(FakeNode& node, const std::string& name, const LaunchOrder& order);
  void end_run(const std::string& name, const RunId& id, ExitStatus status, const Cause& cause,
               bool node_fault);
  void check() const;
  JobSubmitted make_submit(const JobRequest& request);
  template <class Message>
  Message last_reply() const;

  std::map<std::string, FakeNode> nodes_;
  MemoryRows rows_;
  bool is_restored_ = false;
  std::vector<IdBlock> unrecorded_;  // as the id floor keeps them
  std::vector<SendReply> replies_;
  std::vector<SendMail> mails_;
  std::vector<Effect> pending_;
  std::uint64_t next_connection_ = 1;
  std::uint32_t next_key_ = 1;
};

}  // namespace sluice
