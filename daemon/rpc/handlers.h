// handlers.h: one function a message. Bodies are in the file of their subject.
#pragma once

#include "daemon/rpc/session.h"

namespace sluice::rpc {

// commands.cpp
void submit_job(Call& call, SubmitJob& message);
void plan_job(Call& call, PlanJob& message);
void cancel_jobs(Call& call, CancelJobs& message);
void update_jobs(Call& call, UpdateJobs& message);
void update_nodes(Call& call, UpdateNodes& message);
void wait_job(Call& call, WaitJob& message);
void reconfigure(Call& call, Reconfigure& message);
void shut_down(Call& call, Shutdown& message);
void back_up(Call& call, Backup& message);
void purge_jobs(Call& call, PurgeJobs& message);

void change_reservation(Call& call, ChangeReservation& message);

// accounts.cpp
void change_accounts(Call& call, ChangeAccounts& message);
void query_accounts(Call& call, QueryAccounts& message);

// queries.cpp
void query_jobs(Call& call, QueryJobs& message);
void query_nodes(Call& call, QueryNodes& message);
void query_config(Call& call, QueryConfig& message);
void query_reservations(Call& call, QueryReservations& message);
void query_why(Call& call, QueryWhy& message);
void watch_events(Call& call, WatchEvents& message);  // events.cpp
void get_script(Call& call, GetScript& message);
void ping(Call& call, Ping& message);

// priority_queries.cpp
void query_priorities(Call& call, QueryPriorities& message);
void query_shares(Call& call, QueryShares& message);
void query_statistics(Call& call, QueryStatistics& message);

// node_messages.cpp
void register_node(Call& call, RegisterNode& message);
void heartbeat(Call& call, Heartbeat& message);
void run_accepted(Call& call, RunAccepted& message);
void run_refused(Call& call, RunRefused& message);
void run_started(Call& call, RunStarted& message);
void run_exited(Call& call, RunExited& message);
void get_blob(Call& call, GetBlob& message);

}  // namespace sluice::rpc
