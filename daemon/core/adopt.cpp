// adopt.cpp: a state that was restored from a copy older than what runs. A run that an agent
// reports and this state never started is never killed for that: it gets the record it would have
// had, and what the agent says of it is then news like any other. Until every node has spoken no
// job starts, because it may run already.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/core/associate.h"
#include "daemon/core/handlers.h"

namespace sluice {
namespace {

// What the agent says that a run holds there; no more than there is, and on no other node.
NodeShare share_of(const State& state, const std::string& node, NodeShare said) {
  const NodeShape& shape = state.find_node(node)->record.shape;
  said.node = node;
  said.cpus = std::min(said.cpus, shape.cpus);
  said.mem_mb = std::min(said.mem_mb, shape.mem_mb);
  std::erase_if(said.gres, [&](const GresCount& gres) {
    return gres.count == 0 ||
           std::none_of(shape.gres.begin(), shape.gres.end(), [&](const GresCount& has) {
             return has.name == gres.name && has.type == gres.type && has.count >= gres.count;
           });
  });
  return said;
}

std::uint32_t minutes_of(std::uint32_t seconds) {
  return seconds / 60 + (seconds % 60 != 0 ? 1 : 0);
}

// All that is known of a job whose record was lost: what its launch order said.
void add_lost_job(State& state, const RunReport& report, const NodeShare& share) {
  JobSpec spec;
  spec.name = report.job_name;
  spec.uid = report.uid;
  spec.gid = report.gid;
  spec.user = report.user;
  spec.batch.work_dir = report.work_dir;
  const StoredSpec stored = state.intern(spec);
  JobRecord record;
  record.id = report.id.job;
  record.spec = stored.id;
  record.run = report.id.run;
  record.requeue = false;  // its script is not known here
  record.partition = report.partition;
  record.times.submitted = report.started_wall;
  record.times.eligible = report.started_wall;
  record.demand.cpus_per_task = std::max(1U, share.cpus);
  if (report.time_limit_s) record.time_limit = TimeLimit{false, minutes_of(*report.time_limit_s)};
  state.next_job.value = std::max(state.next_job.value, report.id.job.value + 1);
  state.add_job(record, stored.spec);
  state.count_live(record, 1);
  take_accounts(state, record.id);
}

// A job that waits has no run; one that runs has a part of the present run on each of its nodes.
bool is_missing(const JobRecord& record, const RunReport& report, const std::string& node) {
  const bool is_rest = record.array && !record.array->task;
  if (record.state == JobState::pending) return !is_rest && report.id.run >= record.run;
  return holds_resources(record.state) && record.run == report.id.run &&
         std::none_of(record.parts.begin(), record.parts.end(),
                      [&](const RunPart& part) { return part.node == node; });
}

// The first part is the batch host's, whoever registers first.
void add_part(State& state, JobId id, const std::string& node, const RunReport& report,
              const Now& now) {
  JobRecord& record = state.edit_job(id);
  const bool goes_first = report.role == PartRole::batch_host;
  record.parts.insert(goes_first ? record.parts.begin() : record.parts.end(),
                      RunPart{.node = node, .ordered_at = now.wall, .exit = {}});
  std::vector<NodeShare>& shares = record.allocation.shares;
  const NodeShare share = share_of(state, node, report.share);
  shares.insert(goes_first ? shares.begin() : shares.end(), share);
  state.hold_allocation(record, Allocation{{share}, record.allocation.exclusive}, now);
  state.hold_limits(record);
}

std::vector<std::string> nodes_not_registered(const State& state) {
  std::vector<std::string> silent;
  for (const auto& [name, id] : state.node_ids)
    if (state.find_node(name)->connection == 0) silent.push_back(name);
  return silent;
}

}  // namespace

void adopt_run(State& state, const std::string& node, const RunReport& report, const Now& now) {
  const JobId id = report.id.job;
  const bool is_lost_job = !state.find_job(id) && id.value < job_id_end &&
                           (id >= state.next_job || state.is_unrecorded(id));
  if (is_lost_job) add_lost_job(state, report, share_of(state, node, report.share));
  const JobEntry* entry = state.find_job(id);
  if (!entry || !is_missing(entry->record, report, node)) return;
  if (entry->record.state == JobState::pending) {
    state.edit_job(id).run = report.id.run;
    place_job(state, id, {}, now);
  }
  add_part(state, id, node, report, now);
  audit(state, now, "run_adopted", id, node, 0, is_lost_job ? "the job was not known" : "");
}

void release_starts(State& state, const Now& now) {
  if (!state.starts_held_until) return;
  const std::vector<std::string> silent = nodes_not_registered(state);
  if (!silent.empty() && now.steady < *state.starts_held_until) return;
  state.starts_held_until.reset();
  state.plan_wanted = true;
  audit(state, now, "restore_over", {}, "", 0,
        silent.empty() ? "every node has registered"
                       : fmt::format("not heard of: {}", fmt::join(silent, ",")));
}

ClassWait held_start(const State& state, const JobEntry& entry, const Now& now) {
  const auto left = std::chrono::ceil<std::chrono::seconds>(*state.starts_held_until - now.steady);
  const std::vector<std::string> silent = nodes_not_registered(state);
  ClassWait wait;
  wait.class_id = entry.class_id;
  wait.reason = Reason::ReqNodeNotAvail;
  wait.head = entry.record.id;
  wait.first_of_partition = true;
  wait.detail = fmt::format(
      "the state was restored from a backup: jobs start once all nodes have "
      "registered ({} have not, first {}), in {} s at the latest",
      silent.size(), silent.empty() ? "none" : silent.front(), left.count());
  return wait;
}

}  // namespace sluice
