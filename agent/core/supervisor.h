// supervisor.h: the deterministic mind of a node's agent: events in, effects out. It has no I/O, clock,
// random or thread; agent/exec, agent/fake and the simulation carry its effects out.
//
// Promises:
// - A run is started at most once. An order is acknowledged only when it lies in the spool; a repeated
//   order is acknowledged again; an order of a run that is over, or was killed before it came, is
//   not taken.
// - The exit record is sent until the controller has committed it, at every registration again.
// - Every run in the spool is listed at registration.
// - A run without a shepherd is over only when nothing of it lives.
// - A leased run is started only under a valid lease.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/blobs.h"
#include "agent/core/effects.h"
#include "agent/core/events.h"
#include "common/base/describe.h"
#include "common/base/time.h"
#include "common/model/node.h"
#include "common/model/run.h"

namespace sluice::agent {

// fetching: waits for script or environment. spooling: the order is being written. waiting: it lies
// in the spool, no lease yet. tended: a shepherd lives. cleaning: its shepherd died, remains are being
// killed. over: the exit record waits for its commit.
BOOST_DEFINE_ENUM_CLASS(RunPhase, fetching, spooling, waiting, tended, cleaning, over)

class Supervisor {
 public:
  Supervisor(Self self, const Now& start);

  void on(const Event& event, const Now& now, Effects& out);

  // For how long this node, as a witness, has not answered the controller: since it last sent a
  // heartbeat that echoed a new nonce (since the start of the agent, before the first).
  Duration silent_for(const Now& now) const { return now.steady - last_answer_; }
  // The number of the witness list this node knows; 0: none.
  std::uint64_t witness_list() const { return accepted_ ? accepted_->witness_list : 0; }
  const std::optional<NodeAccepted>& accepted() const { return accepted_; }
  // Is there a run of this user that is not over? (A compute node vouches only for such users.)
  bool has_run_of(std::uint32_t uid) const;
  bool is_registered() const { return registered_; }
  // Was this node accepted on the present connection? Stays so while it registers anew.
  bool is_welcome() const { return welcome_; }
  std::optional<RunPhase> phase_of(RunId id) const;
  bool has_runs() const { return !runs_.empty(); }
  std::vector<RunReport> reports() const;

 private:
  struct Run {
    RunPhase phase = RunPhase::fetching;
    RunReport report;                      // what the order said; how far it came is filled in later
    bool leased = false;
    std::optional<LaunchOrder> order;      // while fetching
    std::optional<WallTime> started_wall;
    std::optional<KillRun> killed;         // the first kill order
    std::optional<ExitRecord> record;      // when over
    std::optional<SteadyTime> record_sent;
    bool in_spool = true;
    bool limit_changed = false;  // while spooling: the file does not say so yet
  };

  // connection (supervisor.cpp)
  void handle(const Connected& event, const Now& now, Effects& out);
  void handle(const Disconnected& event, const Now& now, Effects& out);
  void handle(const Reconfigured& event, const Now& now, Effects& out);
  void handle(const NodeAccepted& event, const Now& now, Effects& out);
  void handle(const HeartbeatDue& event, const Now& now, Effects& out);
  void handle(const RunFound& event, const Now& now, Effects& out);

  // runs (supervisor_runs.cpp)
  void handle(const LaunchRun& event, const Now& now, Effects& out);
  void handle(const BlobChunk& event, const Now& now, Effects& out);
  void handle(const OrderSpooled& event, const Now& now, Effects& out);
  void handle(const OrderNotSpooled& event, const Now& now, Effects& out);
  void handle(const ShepherdNotSpawned& event, const Now& now, Effects& out);
  void handle(const ScriptStarted& event, const Now& now, Effects& out);
  void handle(const ShepherdGone& event, const Now& now, Effects& out);
  void handle(const RemainsKilled& event, const Now& now, Effects& out);
  void handle(const KillRun& event, const Now& now, Effects& out);
  void handle(const KillOverdue& event, const Now& now, Effects& out);
  void handle(const SignalRun& event, const Now& now, Effects& out);
  void handle(const SetTimeLimit& event, const Now& now, Effects& out);
  void handle(const ExitCommitted& event, const Now& now, Effects& out);

  // leases (supervisor_lease.cpp)
  void handle(const HeartbeatReply& event, const Now& now, Effects& out);
  void handle(const AcceptanceFound& event, const Now& now, Effects& out);
  void handle(const WitnessRoundDue& event, const Now& now, Effects& out);
  void handle(const WitnessAnswered& event, const Now& now, Effects& out);

  void register_node(const NodeVitals& vitals, const Now& now, Effects& out);
  Run* find(RunId id);
  Run& add_run(const LaunchOrder& order);
  void repeat_answer(RunId id, Run& run, const Now& now, Effects& out);
  void fetch_or_spool(RunId id, Run& run, Effects& out);
  void spawn_if_leased(RunId id, Run& run, const Now& now, Effects& out);
  void spawn_waiting(const Now& now, Effects& out);
  ExitRecord record_of(RunId id, const Run& run, Cause cause, bool node_fault,
                       const Now& now) const;
  // Ends a run that no shepherd tends: writes the record where the order lies, sends it.
  void end_untended(RunId id, Run& run, ExitRecord record, const Now& now, Effects& out);
  void finish(RunId id, Run& run, ExitRecord record, const Now& now, Effects& out);
  void send_record(Run& run, const Now& now, Effects& out);
  void resend_records(const Now& now, Effects& out);
  void remember_over(RunId id);
  void check_connection(const Now& now, Effects& out);
  void set_lease(std::optional<SteadyTime> until, const Now& now, Effects& out);
  bool lease_is_valid(const Now& now) const;
  Duration lease_length() const;
  bool is_voter(const std::string& node) const;
  void count_votes(const Now& now, Effects& out);

  Self self_;
  std::map<RunId, Run> runs_;
  BlobCache blobs_;
  // Runs that are over and forgotten here: a late order of one of them is not taken.
  std::set<RunId> past_;
  std::deque<RunId> past_order_;

  bool connected_ = false;   // RegisterNode was sent on the present connection
  bool registered_ = false;  // and NodeAccepted came back
  bool welcome_ = false;     // or came back to an earlier registration on it
  std::optional<NodeVitals> register_again_;  // once the acceptance that is awaited is there
  std::optional<NodeAccepted> accepted_;
  SteadyTime register_sent_;
  std::deque<SteadyTime> heartbeats_unanswered_;  // when each was sent
  std::uint64_t nonce_ = 0;                       // of the last reply
  std::uint64_t nonce_echoed_ = 0;
  SteadyTime last_answer_;

  bool fenced_ = true;                    // false: the controller said that nothing is leased
  std::optional<SteadyTime> lease_until_;
  std::uint64_t round_ = 0;
  SteadyTime round_sent_;
  std::set<std::string> votes_;           // voters of this round that have not answered for long
};

}  // namespace sluice::agent
