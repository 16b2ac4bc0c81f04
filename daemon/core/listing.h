// listing.h: a snapshot's records as rows of listings: filtered and projected here, so that a reader
// costs the network only what it asked for. Pure reads; runs on reader threads.
#pragma once

#include "common/wire/messages.h"
#include "common/wire/messages_foresee.h"
#include "daemon/core/state.h"

namespace sluice {

// `groups` as in QueryJobs; empty: all.
JobInfo make_job_info(const JobEntry& entry, const Snapshot& snapshot,
                      const std::vector<std::string>& groups);
// A row of history has no entry in the snapshot.
JobInfo make_job_info(const JobRecord& record, const JobSpec& spec,
                      const std::vector<std::string>& groups);
// An earlier run of a job that was requeued.
JobInfo make_job_info(const JobRecord& record, const JobSpec& spec, const RunRecord& earlier_run,
                      const std::vector<std::string>& groups);

// A queued job waits as its class does; only the first of its partition has "Resources".
JobWait wait_of(const JobEntry& entry, const Snapshot& snapshot);

NodesReply list_nodes(const Snapshot& snapshot, const QueryNodes& query, WallTime as_of);
ReservationsReply list_reservations(const Snapshot& snapshot, WallTime as_of);
WhyReply explain(const Snapshot& snapshot, const QueryWhy& query, WallTime as_of);  // explain.cpp

// "afterok:12(unfulfilled),afterany:13_*(unfulfilled)"; empty: none or fulfilled.
std::string dependency_text(const Dependency& dependency);

}  // namespace sluice
