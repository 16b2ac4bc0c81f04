// queries.cpp: reads. They run on a reader thread, on the committed past.
#include <unistd.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "common/wire/message_codec.h"
#include "daemon/core/listing.h"
#include "daemon/core/select.h"
#include "daemon/rpc/handlers.h"

namespace sluice::rpc {
namespace {

constexpr std::size_t rows_a_frame = 1000;
// The caller decodes a frame of rows that carry nothing but their ids.
static_assert(rows_a_frame * sizeof(JobInfo) < codec::list_bytes_free);

template <class Message>
void send(const SendFrame& frame, const Message& message) {
  static_assert(has_codec<Message>, "its name belongs into SLUICE_ENCODED_TYPES");
  frame(Message::type, to_bytes(message));
}

// Collects rows, sends a frame whenever enough are there, and ends the page where one was asked for.
class JobRows {
 public:
  JobRows(const SendFrame& frame, WallTime as_of, std::uint32_t rows_max)
      : frame_(frame), rows_max_(rows_max) {
    reply_.as_of = as_of;
  }

  // False: the page is full and the row is for the next one. The runs of one job stay together.
  bool add(JobInfo info) {
    const bool starts_job = info.id != last_;
    if (rows_max_ > 0 && rows_ >= rows_max_ && starts_job) {
      reply_.next = last_;
      return false;
    }
    last_ = info.id;
    ++rows_;
    reply_.jobs.push_back(std::move(info));
    if (reply_.jobs.size() < rows_a_frame) return true;
    reply_.more = true;
    send(frame_, reply_);
    reply_.jobs.clear();
    reply_.more = false;
    return true;
  }
  void finish(std::vector<JobId> unknown) {
    reply_.unknown = std::move(unknown);
    send(frame_, reply_);
  }

 private:
  const SendFrame& frame_;
  std::uint32_t rows_max_;
  std::uint32_t rows_ = 0;
  JobId last_;
  JobsReply reply_;
};

// squeue without -t all shows what has not ended.
bool is_hidden(const JobRecord& record, const JobFilter& filter) {
  return record.state == JobState::ended && filter.states.empty();
}

// True where each id of the filter is a record of its own: no array's.
bool names_plain_jobs(const Snapshot& snapshot, const std::vector<JobSelector>& selectors) {
  return !selectors.empty() &&
         std::all_of(selectors.begin(), selectors.end(), [&](const JobSelector& one) {
           const JobEntry* entry = snapshot.jobs.find(one.job.value);
           return !entry || !entry->record.array;
         });
}

std::vector<JobId> unknown_ids(const Snapshot& snapshot, const JobFilter& filter) {
  std::vector<JobId> unknown;
  for (const JobSelector& one : filter.jobs)
    if (!snapshot.jobs.find(one.job.value)) unknown.push_back(one.job);
  return unknown;
}

// Records that an id of the filter can mean, and those of one user, are found without a walk over
// all jobs.
void list_queue(const Snapshot& snapshot, const QueryJobs& query, JobRows& rows) {
  const JobFilter& filter = query.filter;
  const auto show = [&](const JobEntry& entry) {
    if (is_hidden(entry.record, filter) || !matches(entry, filter)) return true;
    return rows.add(make_job_info(entry, snapshot, query.groups));
  };
  if (names_plain_jobs(snapshot, filter.jobs)) {
    std::set<JobId> ids;
    for (const JobSelector& one : filter.jobs)
      if (one.job > filter.after) ids.insert(one.job);
    for (const JobId id : ids)
      if (const JobEntry* entry = snapshot.jobs.find(id.value); entry && !show(*entry)) break;
  } else if (filter.jobs.empty() && filter.uids.size() == 1) {
    if (const IdSet* ids = snapshot.jobs_of_user.find(filter.uids.front()))
      ids->for_each([&](std::uint32_t id) { return show(*snapshot.jobs.find(id)); },
                    filter.after.value + 1);
  } else {
    snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) { return show(entry); },
                           filter.after.value + 1);
  }
  rows.finish(unknown_ids(snapshot, filter));
}

Result<void> list_history(ReadContext& context, const QueryJobs& query, JobRows& rows) {
  TRY(context.history.query(query.filter, query.earlier_runs, [&](const HistoryRow& row) {
    return rows.add(row.run ? make_job_info(*row.job, *row.spec, *row.run, query.groups)
                            : make_job_info(*row.job, *row.spec, query.groups));
  }));
  rows.finish({});
  return {};
}

}  // namespace

void query_jobs(Call& call, QueryJobs& message) {
  call.services.read(call.ref(), [query = std::move(message)](ReadContext& context,
                                                              const SendFrame& frame) {
    JobRows rows(frame, context.as_of, query.rows_max);
    if (query.source == JobSource::queue) return list_queue(*context.snapshot, query, rows);
    if (auto listed = list_history(context, query, rows); !listed)
      send(frame, ErrorReply{listed.error().code, listed.error().detail, {}});
  });
}

void query_nodes(Call& call, QueryNodes& message) {
  call.services.read(call.ref(), [query = std::move(message)](ReadContext& context,
                                                              const SendFrame& frame) {
    send(frame, list_nodes(*context.snapshot, query, context.as_of));
  });
}

void query_config(Call& call, QueryConfig&) {
  call.services.read(call.ref(), [](ReadContext& context, const SendFrame& frame) {
    ConfigReply reply;
    reply.config = *context.snapshot->config;
    reply.as_of = context.as_of;
    reply.licenses_used = context.snapshot->licenses_used;
    reply.next_job_id = context.snapshot->next_job.value;
    reply.version = SLUICE_VERSION;
    reply.host = reply.config.controller_host;
    send(frame, reply);
  });
}

void query_reservations(Call& call, QueryReservations&) {
  call.services.read(call.ref(), [](ReadContext& context, const SendFrame& frame) {
    send(frame, list_reservations(*context.snapshot, context.as_of));
  });
}

void query_why(Call& call, QueryWhy& message) {
  const JobEntry* entry = call.services.state().find_job(message.job.job);
  const bool may_wait = !entry || entry->record.array || entry->record.state == JobState::pending;
  const auto answer = [query = message](ReadContext& context, const SendFrame& frame) {
    const WhyReply reply = explain(*context.snapshot, query, context.as_of);
    if (!reply.lines.empty()) return send(frame, reply);
    send(frame, ErrorReply{ErrorCode::invalid_job_id,
                           fmt::format("{} is not known to the controller; sacct -j {} may know it",
                                       query.job.job.value, query.job.job.value),
                           {}});
  };
  if (may_wait) call.services.foresee(call.ref(), answer);
  else call.services.read(call.ref(), answer);
}

void get_script(Call& call, GetScript& message) {
  const Caller caller = call.session.caller;
  call.services.read(call.ref(), [wanted = message, caller](ReadContext& context, const SendFrame& frame) {
    const auto refuse = [&](ErrorCode code, std::string detail) {
      send(frame, ErrorReply{code, std::move(detail), {}});
    };
    auto row = context.history.find_job(wanted.job);
    if (!row) return refuse(row.error().code, row.error().detail);
    if (!*row) return refuse(ErrorCode::invalid_job_id, fmt::format("{}", wanted.job.value));
    const JobSpec& spec = *(*row)->spec;
    if (!caller.is_admin && caller.uid != spec.uid)
      return refuse(ErrorCode::access_denied, fmt::format("uid {} is not its owner", caller.uid));
    auto bytes = context.history.read_blob(wanted.content == JobContent::script
                                               ? spec.batch.script_id
                                               : spec.batch.environment_id);
    if (!bytes) return refuse(bytes.error().code, bytes.error().detail);
    send(frame, ScriptReply{std::move(*bytes)});
  });
}

void ping(Call& call, Ping&) {
  const ClusterConfig& config = *call.services.state().config;
  call.answer(PingReply{config.controller_host, static_cast<std::uint32_t>(getpid()),
                        config.cluster_name, SLUICE_VERSION});
}

}  // namespace sluice::rpc
