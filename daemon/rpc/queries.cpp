// queries.cpp: reads. They run on a reader thread, on the committed past.
#include <unistd.h>

#include <algorithm>

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
  frame(Message::type, to_bytes(message));
}

// Collects rows and sends a frame whenever enough are there.
class JobRows {
 public:
  JobRows(const SendFrame& frame, WallTime as_of) : frame_(frame) { reply_.as_of = as_of; }
  void add(JobInfo info) {
    reply_.jobs.push_back(std::move(info));
    if (reply_.jobs.size() < rows_a_frame) return;
    reply_.more = true;
    send(frame_, reply_);
    reply_.jobs.clear();
    reply_.more = false;
  }
  void finish(std::vector<JobId> unknown) {
    reply_.unknown = std::move(unknown);
    send(frame_, reply_);
  }

 private:
  const SendFrame& frame_;
  JobsReply reply_;
};

// squeue without -t all shows what has not ended.
bool is_hidden(const JobRecord& record, const JobFilter& filter) {
  return record.state == JobState::ended && filter.states.empty();
}

// Records that an id of the filter can mean are found without a walk over all jobs.
void list_queue(const Snapshot& snapshot, const QueryJobs& query, JobRows& rows) {
  std::vector<JobId> unknown;
  const bool only_plain_ids =
      !query.filter.jobs.empty() &&
      std::all_of(query.filter.jobs.begin(), query.filter.jobs.end(), [&](const JobSelector& one) {
        const JobEntry* entry = snapshot.jobs.find(one.job.value);
        return !entry || !entry->record.array;
      });
  const auto show = [&](const JobEntry& entry) {
    if (!is_hidden(entry.record, query.filter) && matches(entry, query.filter))
      rows.add(make_job_info(entry, snapshot, query.groups));
  };
  if (only_plain_ids) {
    for (const JobSelector& one : query.filter.jobs)
      if (const JobEntry* entry = snapshot.jobs.find(one.job.value)) show(*entry);
      else unknown.push_back(one.job);
  } else {
    snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
      show(entry);
      return true;
    });
    for (const JobSelector& one : query.filter.jobs)
      if (!snapshot.jobs.find(one.job.value)) unknown.push_back(one.job);
  }
  rows.finish(std::move(unknown));
}

Result<void> list_history(ReadContext& context, const QueryJobs& query, JobRows& rows) {
  auto listed = context.history.query(
      query.filter, query.earlier_runs, [&](const HistoryRow& row) {
        JobInfo info = make_job_info(*row.job, *row.spec, query.groups);
        if (row.run) {  // an earlier run: its own times, nodes and end
          info.run = row.run->id.run;
          info.state = JobState::ended;  // not a transition: shows an earlier run
          info.end = row.run->end;
          info.times = row.run->times;
          info.allocation = row.run->allocation;
          info.usage = row.run->usage;
        }
        rows.add(std::move(info));
        return true;
      });
  if (!listed) return listed.error();
  rows.finish({});
  return {};
}

}  // namespace

void query_jobs(Call& call, QueryJobs& message) {
  call.services.read(call.ref(), [query = std::move(message)](ReadContext& context,
                                                              const SendFrame& frame) {
    JobRows rows(frame, context.as_of);
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

void query_why(Call& call, QueryWhy& message) {
  call.services.read(call.ref(), [query = std::move(message)](ReadContext& context,
                                                              const SendFrame& frame) {
    const WhyReply reply = explain(*context.snapshot, query, context.as_of);
    if (!reply.lines.empty()) return send(frame, reply);
    send(frame, ErrorReply{ErrorCode::invalid_job_id,
                           fmt::format("{} is not known to the controller; sacct -j {} may know it",
                                       query.job.job.value, query.job.job.value),
                           {}});
  });
}

void get_script(Call& call, GetScript& message) {
  const JobId id = message.job;
  const Caller caller = call.session.caller;
  call.services.read(call.ref(), [id, caller](ReadContext& context, const SendFrame& frame) {
    const auto refuse = [&](ErrorCode code, std::string detail) {
      send(frame, ErrorReply{code, std::move(detail), {}});
    };
    auto row = context.history.find_job(id);
    if (!row) return refuse(row.error().code, row.error().detail);
    if (!*row) return refuse(ErrorCode::invalid_job_id, fmt::format("{}", id.value));
    const JobSpec& spec = *(*row)->spec;
    if (!caller.is_admin && caller.uid != spec.uid)
      return refuse(ErrorCode::access_denied, fmt::format("uid {} is not its owner", caller.uid));
    auto script = context.history.read_blob(spec.batch.script_id);
    if (!script) return refuse(script.error().code, script.error().detail);
    send(frame, ScriptReply{std::move(*script)});
  });
}

void ping(Call& call, Ping&) {
  const ClusterConfig& config = *call.services.state().config;
  call.answer(PingReply{config.controller_host, static_cast<std::uint32_t>(getpid()),
                        config.cluster_name, SLUICE_VERSION});
}

}  // namespace sluice::rpc
