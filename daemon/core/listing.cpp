// listing.cpp: records to rows.
#include "daemon/core/listing.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/hostlist.h"
#include "common/model/path_pattern.h"
#include "daemon/core/dependency.h"
#include "daemon/core/priority.h"
#include "daemon/core/select.h"

namespace sluice {
namespace {

bool wants(const std::vector<std::string>& groups, const char* group) {
  return groups.empty() || std::find(groups.begin(), groups.end(), group) != groups.end();
}

JobNames names_of(const JobRecord& record, const JobSpec& spec) {
  return {spec.name,    spec.uid, spec.gid,   spec.user,    spec.group,
          spec.account, spec.qos, spec.wckey, spec.comment, shown_partition(record)};
}

JobAsked asked_of(const JobRecord& record, const JobSpec& spec) {
  JobAsked asked;
  asked.demand = record.demand;
  asked.request = spec.request;
  asked.placement = spec.placement;
  if (!record.reservation.empty()) asked.placement.reservations = {record.reservation};
  asked.time_limit = record.time_limit;
  asked.time_min = spec.start.time_min;
  asked.dependency = dependency_text(record.dependency);
  asked.array_max_running = record.array ? record.array->max_running : 0;
  asked.requeue = record.requeue;
  asked.nice = record.nice;
  asked.signal = spec.start.signal;
  asked.mail = spec.mail;
  asked.retries_by_node = record.retries_by_node;
  asked.retries_by_exit = record.retries_by_exit;
  return asked;
}

JobWait own_wait_of(const JobRecord& record) {
  return {record.priority, record.reason, record.reason_limit, record.reason_detail, {}, {}};
}

JobFiles files_of(const JobRecord& record, const JobSpec& spec) {
  const std::string output = output_path(record, spec);
  const std::string error = error_path(record, spec);
  const std::string input = input_path(record, spec);
  return {spec.batch.command, spec.batch.work_dir, spec.batch.submit_host, spec.batch.submit_line,
          output, error.empty() ? output : error, input.empty() ? "/dev/null" : input};
}

// What an earlier run had of its own: its number, end, times, nodes and use.
JobRecord as_of_run(const JobRecord& record, const RunRecord& run) {
  JobRecord then = record;
  then.run = run.id.run;
  then.state = JobState::ended;  // not a transition: a copy for the listing
  then.end = run.end;
  then.times = run.times;
  then.allocation = run.allocation;
  then.usage = run.usage;
  then.reason = Reason::None;
  then.reason_limit.clear();
  then.reason_detail.clear();
  return then;
}

}  // namespace

namespace {
// Of an array the first of its tasks to start.
void tell_planned_start(JobWait& wait, JobId job, const Snapshot& snapshot) {
  if (!snapshot.promises) return;
  const auto at =
      std::lower_bound(snapshot.promises->begin(), snapshot.promises->end(), job,
                       [](const Promise& promise, JobId id) { return promise.job < id; });
  if (at == snapshot.promises->end() || at->job != job) return;
  wait.planned_start = at->start;
  std::vector<std::string> names;
  for (const NodeShare& share : at->shares) names.push_back(share.node);
  wait.planned_nodes = compress_hostlist(names);
}

// What made a window too near: the limit, and who set it.
std::string limit_text(const JobEntry& entry, const Snapshot& snapshot) {
  const JobRecord& record = entry.record;
  const bool is_endless = !record.time_limit || record.time_limit->unlimited;
  std::string text = is_endless ? "; it has no time limit"
                                : fmt::format("; its time limit is {} min", record.time_limit->minutes);
  if (entry.spec->start.time_limit) return text;
  for (const PartitionConfig& partition : snapshot.config->partitions)
    if (partition.name == record.partition)
      text += fmt::format(", by {} of partition {}, for want of --time",
                          partition.default_time ? "DefaultTime" : "MaxTime", partition.name);
  return text;
}
}  // namespace

JobWait wait_of(const JobEntry& entry, const Snapshot& snapshot) {
  JobWait wait = own_wait_of(entry.record);
  wait.priority = shown_priority(*snapshot.ranking, entry.record);
  if (entry.class_id == 0) return wait;
  tell_planned_start(wait, entry.record.id, snapshot);
  const ClassWait* of = snapshot.waits.find(entry.class_id);
  if (!of) return wait;
  wait.reason_detail = of->detail;
  wait.reason_limit = of->limit;
  wait.reason = of->reason;
  if (!of->reservation.empty()) wait.reason_detail += limit_text(entry, snapshot);
  const bool first = of->first_of_partition && of->head == entry.record.id;
  if (of->reason == Reason::Resources && !first) wait.reason = Reason::Priority;
  return wait;
}

std::string dependency_text(const Dependency& dependency) {
  std::string text;
  for (const DependencyTerm& term : dependency.terms) {
    if (!text.empty()) text += dependency.any ? '?' : ',';
    text += term_text(term) + (term.failed ? "(failed)" : "(unfulfilled)");
  }
  return text;
}

JobInfo make_job_info(const JobRecord& record, const JobSpec& spec,
                      const std::vector<std::string>& groups) {
  JobInfo info;
  info.id = record.id;
  info.state = record.state;  // not a transition: a copy for the listing
  info.special_exit = record.special_exit && record.state == JobState::pending;
  info.array = record.array;
  info.run = record.run;
  info.end = record.end;
  if (wants(groups, "names")) info.names = names_of(record, spec);
  if (wants(groups, "asked")) info.asked = asked_of(record, spec);
  if (wants(groups, "wait")) info.wait = own_wait_of(record);
  if (wants(groups, "times")) info.times = record.times;
  if (wants(groups, "allocation")) info.allocation = record.allocation;
  if (wants(groups, "files")) info.files = files_of(record, spec);
  if (wants(groups, "usage")) info.usage = record.usage;
  return info;
}

JobInfo make_job_info(const JobRecord& record, const JobSpec& spec, const RunRecord& earlier_run,
                      const std::vector<std::string>& groups) {
  return make_job_info(as_of_run(record, earlier_run), spec, groups);
}

JobInfo make_job_info(const JobEntry& entry, const Snapshot& snapshot,
                      const std::vector<std::string>& groups) {
  JobInfo info = make_job_info(entry.record, *entry.spec, groups);
  if (wants(groups, "wait")) info.wait = wait_of(entry, snapshot);
  return info;
}

namespace {

// Of the reservations that have a node as a whole now; maintenance wins.
void tell_reservation(const Snapshot& snapshot, WallTime as_of, NodeInfo& info) {
  for (const auto& [name, reservation] : *snapshot.reservations) {
    const ReservedWindow& window = reservation.window;
    const std::vector<std::string>& nodes = reservation.nodes;
    if (as_of < window.start || as_of >= window.end || !reservation.cores.empty() ||
        info.in_maintenance ||
        std::find(nodes.begin(), nodes.end(), info.node.name) == nodes.end())
      continue;
    info.reservation = name;
    info.in_maintenance = has_flag(reservation, ReservationFlag::MAINT);
  }
}

}  // namespace

ReservationsReply list_reservations(const Snapshot& snapshot, WallTime as_of) {
  ReservationsReply reply;
  reply.as_of = as_of;
  std::map<std::string, const NodeShape*> shapes;
  snapshot.nodes.for_each([&](std::uint32_t, const NodeEntry& entry) {
    shapes[entry.record.name] = &entry.record.shape;
    return true;
  });
  for (const auto& [name, reservation] : *snapshot.reservations) {
    ReservationInfo info{reservation, 0, 0};
    for (std::size_t i = 0; i < reservation.nodes.size(); ++i) {
      const auto at = shapes.find(reservation.nodes[i]);
      if (at == shapes.end()) continue;
      const std::uint32_t cpus = reservation.cores.empty() ? at->second->cpus : reservation.cores[i];
      info.cpus += cpus;
      info.cores += cpus / std::max(1U, at->second->threads_per_core);
    }
    reply.reservations.push_back(std::move(info));
  }
  std::stable_sort(reply.reservations.begin(), reply.reservations.end(),
                   [](const ReservationInfo& a, const ReservationInfo& b) {
                     return a.reservation.window.start < b.reservation.window.start;
                   });
  return reply;
}

NodesReply list_nodes(const Snapshot& snapshot, const QueryNodes& query, WallTime as_of) {
  NodesReply reply;
  reply.partitions = snapshot.config->partitions;
  reply.as_of = as_of;
  std::map<std::string, std::uint32_t> ending;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (entry.record.state == JobState::completing)
      for (const RunPart& part : entry.record.parts)
        if (part.state != PartState::over) ++ending[part.node];
    return true;
  });
  snapshot.nodes.for_each([&](std::uint32_t id, const NodeEntry& entry) {
    const std::string& name = entry.record.name;
    const auto& wanted = query.nodes;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return true;
    const NodeView& view = *snapshot.node_views.find(id);
    NodeInfo info;
    info.node = entry.record;
    for (const PartitionConfig& partition : snapshot.config->partitions)
      if (std::find(partition.nodes.begin(), partition.nodes.end(), name) != partition.nodes.end())
        info.partitions.push_back(partition.name);
    info.cpus_allocated = view.cpus_used;
    info.mem_allocated_mb = view.mem_used_mb;
    info.gres_used = view.gres_used;
    info.jobs = view.jobs;
    info.completing = ending.contains(name);
    info.vitals = entry.vitals;
    info.address = entry.record.identity.address;
    tell_reservation(snapshot, as_of, info);
    reply.nodes.push_back(std::move(info));
    return true;
  });
  return reply;
}

}  // namespace sluice
