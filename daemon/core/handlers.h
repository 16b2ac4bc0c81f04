// handlers.h: one function an event, each in the file of its subject, and the few steps they share.
// Only core.cpp and the files of this folder include it.
#pragma once

#include "daemon/core/core.h"
#include "daemon/core/site.h"

namespace sluice {

// --- submit.cpp
void on_job_submitted(State& state, const JobSubmitted& event, const Now& now, Effects& out);

// What it asks of each partition of its list. Errors: a partition that cannot take it says why.
Result<std::vector<PartitionChoice>> check_partitions(const Site& site, const JobSpec& spec,
                                                      const Now& now);
// Errors: policy_violated: so many more tasks with these choices, or these instead of what `present`
// counts for, exceed a limit on what is submitted.
Result<void> check_submit_limits(const State& state, const JobRecord* present,
                                 const std::vector<PartitionChoice>& choices, std::uint64_t tasks);
// Errors: time_limit_invalid, it could not be over by its deadline.
Result<void> check_deadline(const JobSpec& spec, const std::optional<TimeLimit>& limit,
                            const Now& now);

// --- actions.cpp, node_actions.cpp
void on_jobs_cancelled(State& state, const JobsCancelled& event, const Now& now, Effects& out);
void on_jobs_updated(State& state, const JobsUpdated& event, const Now& now, Effects& out);
void on_job_awaited(State& state, const JobAwaited& event, Effects& out);
void on_nodes_updated(State& state, const NodesUpdated& event, const Now& now, Effects& out);

// --- reservations.cpp
void on_reservation_changed(State& state, const ReservationChanged& event, const Now& now,
                            Effects& out);
// Windows that began or are over: the runs of these are ended, what recurs goes on.
void look_at_reservations(State& state, const Now& now, Effects& out);
// When that is wanted next, not before `now`.
std::optional<WallTime> next_reservation_change(const State& state, WallTime now);

// --- arrays.cpp
// Makes the record of a waiting task; the last one keeps the array's own. There must be an id to
// take.
JobId split_task(State& state, JobId array_id, std::uint32_t task);
// After one of its tasks started or left: its limit may let others wait or start.
void settle_array(State& state, JobId array_id, const Now& now);
// The records that the filter means by this one: itself, or of a waiting array the tasks it names,
// each made a record of its own. Errors: job_limit_reached (no ids are reserved).
Result<std::vector<JobId>> split_named_tasks(State& state, JobId id, const JobFilter& filter);

// --- accounts.cpp
void on_accounts_changed(State& state, const AccountsChanged& event, const Now& now, Effects& out);

// --- limit_holds.cpp
constexpr std::uint64_t no_limit_near = 1U << 20;
// How many of a class the limits let start now, by each of its shapes, were nodes no matter; at
// most no_limit_near. Empty: no limits are in force.
std::vector<std::uint64_t> startable_by_limits(State& state, const PendingClass& of);
// What keeps all of a class from starting; none: nothing does.
std::optional<LimitHit> limit_of_class(State& state, const PendingClass& of);
// Of this start, with what it would really take.
std::optional<LimitHit> limit_of_start(const State& state, const ShapeLimits& limits,
                                       const JobShape& shape, const Placement& placement);
ClassWait wait_for_limit(std::uint32_t class_id, JobId head, const LimitHit& hit);

// --- nodes.cpp
void on_node_registered(State& state, const NodeRegistered& event, const Now& now, Effects& out);
void on_node_answered(State& state, const NodeAnswered& event, const Now& now, Effects& out);
void on_node_disconnected(State& state, const NodeDisconnected& event, const Now& now);

// --- adopt.cpp: before the node's runs are held against ours
void adopt_run(State& state, const std::string& node, const RunReport& report, const Now& now);
// Lets jobs of a restored state start once every node has registered, or the time for it is over.
void release_starts(State& state, const Now& now);
// Why a job that the planner placed waits all the same.
ClassWait held_start(const State& state, const JobEntry& entry, const Now& now);

// --- fencing.cpp: when a silent node's runs may be run again
void check_silent_nodes(State& state, const Now& now, Effects& out);
// Before and after every change of what the voters answered, so that no gap goes unseen.
void watch_majority(State& state, const Now& now);
std::vector<std::string> voter_nodes(const ClusterConfig& config);

// --- runs.cpp
void on_run_accepted(State& state, const RunAcceptedByNode& event, const Now& now, Effects& out);
void on_run_started(State& state, const RunStartedOnNode& event, const Now& now, Effects& out);
void on_run_refused(State& state, const RunRefusedByNode& event, const Now& now, Effects& out);
void on_run_exited(State& state, const RunExitedOnNode& event, const Now& now, Effects& out);
// Orders every part of the job's run that may live to end with `cause`. Keeps the first cause.
// `kill_wait_s`: none: the site's KillWait between SIGTERM and SIGKILL; 0: SIGKILL alone.
void end_run(State& state, JobId job, const Cause& cause, const Now& now, Effects& out,
             std::optional<std::uint32_t> kill_wait_s = std::nullopt);
// The part will never report: `record` stands for it. Frees its share; may finish the run.
void close_part(State& state, JobId job, const std::string& node, const ExitRecord& record,
                const Now& now, Effects& out);
// The same for a part whose node is lost or says that it is gone: it may have begun, and is counted so.
void close_lost_part(State& state, JobId job, const std::string& node, const Cause& cause,
                     const Now& now, Effects& out);
void check_launches(State& state, const Now& now, Effects& out);

// --- finish.cpp: what follows when a run, or a job that never ran, is over
void finish_run(State& state, JobId job, const Now& now, Effects& out);
// From a run that is over, or from the job's end, back to pending with the next run number.
void queue_again(State& state, JobId job, const JobEnd& end, const Now& now, Effects& out);
void close_pending_job(State& state, JobId job, Outcome outcome, const Cause& cause, const Now& now,
                       Effects& out);
// A job that ended may be retired once MinJobAge has passed.
void retire_due(State& state, const Now& now);

// --- waits.cpp
// Adds to a wait for nodes that are not there which they are, and why.
void tell_nodes_away(const State& state, ClassWait& wait, const Now& now);

// --- start.cpp
void on_plan_ready(State& state, const PlanReady& event, const Now& now, Effects& out);
// From waiting to starting on these nodes; holds the allocation. Nothing is ordered yet.
void place_job(State& state, JobId job, const Allocation& allocation, const Now& now);
// What a run of the job is ordered to keep; none: unlimited.
std::optional<std::uint32_t> time_limit_s(const JobRecord& record);
LaunchOrder make_order(const JobRecord& record, const JobSpec& spec, std::size_t share_index,
                       const ClusterConfig& config);
// Sends the orders that may go now: members first, the batch host once all members started.
void send_orders(State& state, JobId job, const Now& now, Effects& out);

// --- pending.cpp
// What waits may be allowed, or no longer be: after accounts or the configuration changed.
void settle_all_pending(State& state, const Now& now);
// The job is of this partition from now on, with what it asks of it. A time limit that was changed
// by hand since the submit stays. Within State::recount_live(), of a job that is counted already.
void take_choice(JobRecord& record, const PartitionChoice& choice);
// Queues a pending job for the planner, or says in its record why it cannot be.
void settle_pending(State& state, JobId job, const Now& now);
// Pending jobs whose begin has come, or whose deadline can no longer be met.
void look_again(State& state, const Now& now, Effects& out);
// The last moment at which a start still meets the deadline; none: there is no deadline.
std::optional<WallTime> last_start(const JobTimes& times, const std::optional<TimeLimit>& limit);

// --- mail.cpp
// Errors: invalid_argument, who gets it would be an option of the mail program, or no word.
Result<void> check_mail(const JobSpec& spec);
// Sends the mail that the job asked for at such an event; of an array where it asked for single
// tasks.
void mail_job(const State& state, JobId job, MailType type, Effects& out);
// What the end of a job, or of the last task of an array, is to be told as.
void mail_end(const State& state, JobId job, Effects& out);
// Of a running job: when shares of its time limit are used up.
void schedule_limit_mails(State& state, JobId job, const Now& now);
void send_limit_mails(State& state, const Now& now, Effects& out);

// --- shared
// How the reason of a silent node begins.
inline constexpr std::string_view not_responding = "Not responding";

void audit(State& state, const Now& now, const char* kind, JobId job, const std::string& node,
           std::uint32_t uid, std::string text);
void ask_for_ids(State& state, Effects& out);
// The next id; the reserve must not be empty.
JobId take_id(State& state);

}  // namespace sluice
