// account_of.cpp: see account_of.h.
#include "daemon/core/account_of.h"

#include <algorithm>

#include "common/base/hostlist.h"
#include "daemon/core/changes.h"
#include "daemon/core/listing.h"
#include "daemon/core/priority.h"
#include "daemon/core/shapes.h"

namespace sluice {
namespace {

constexpr std::size_t holders_told_max = 5;

void tell_holders(const Snapshot& snapshot, const PartitionConfig& partition,
                  PartitionStanding& standing) {
  std::vector<ResourceHolder> holders;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (!holds_resources(entry.record.state)) return true;
    ResourceHolder holder;
    std::vector<std::string> nodes;
    for (const NodeShare& share : entry.record.allocation.shares) {
      if (std::find(partition.nodes.begin(), partition.nodes.end(), share.node) ==
          partition.nodes.end())
        continue;
      holder.cpus += share.cpus;
      nodes.push_back(share.node);
    }
    if (nodes.empty()) return true;
    holder.job = shown_id(entry.record.id, entry.record.array);
    holder.user = entry.spec->user;
    holder.nodes = compress_hostlist(nodes);
    const std::optional<Duration> length = length_of(entry.record.time_limit);
    if (entry.record.times.started && length) holder.until = *entry.record.times.started + *length;
    holders.push_back(std::move(holder));
    return true;
  });
  std::stable_sort(holders.begin(), holders.end(),
                   [](const ResourceHolder& a, const ResourceHolder& b) {
                     return a.until.value_or(WallTime::max()) < b.until.value_or(WallTime::max());
                   });
  standing.holders_count = static_cast<std::uint32_t>(holders.size());
  if (holders.size() > holders_told_max) holders.resize(holders_told_max);
  standing.holders = std::move(holders);
}

// A job is in line where it may be planned: not while it is held, and not in a partition of its
// list whose limits keep it out.
bool is_in_line(const JobEntry& entry, const std::string& partition, const ClusterConfig& config) {
  if (entry.class_id == 0) return false;
  if (entry.record.choices.empty()) return entry.record.partition == partition;
  const std::vector<Standing> standings = standings_of(config, entry.record);
  return std::any_of(standings.begin(), standings.end(), [&](const Standing& standing) {
    return standing.choice.partition == partition && standing.is_open();
  });
}

std::uint32_t place_in_line(const JobEntry& entry, const std::string& partition,
                            const Snapshot& snapshot) {
  const auto rank = [&](const JobRecord& record) {
    const std::string& first =
        record.choices.empty() ? record.partition : record.choices.front().partition;
    return std::pair(
        ~in_line(tier_of(*snapshot.config, first), shown_priority(*snapshot.ranking, record)),
        record.id);
  };
  std::uint32_t ahead = 0;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& other) {
    if (rank(other.record) < rank(entry.record) && is_in_line(other, partition, *snapshot.config))
      ++ahead;
    return true;
  });
  return ahead + 1;
}

void tell_partitions(const Snapshot& snapshot, const JobEntry& entry, WhyJob& job) {
  const ClassWait* of = snapshot.waits.find(entry.class_id);
  const bool waits_for_others =
      job.wait.reason == Reason::Resources || job.wait.reason == Reason::Priority;
  const std::vector<Standing> standings = standings_of(*snapshot.config, entry.record);
  for (const Standing& standing : standings) {
    PartitionStanding told{.partition = standing.choice.partition};
    for (const PartitionConfig& partition : snapshot.config->partitions) {
      if (partition.name != told.partition) continue;
      told.nodes = static_cast<std::uint32_t>(partition.nodes.size());
      if (waits_for_others && standing.is_open()) tell_holders(snapshot, partition, told);
    }
    told.closed = standing.wait.reason;
    told.closed_detail = standing.wait.detail;
    if (standing.is_open()) told.place = place_in_line(entry, told.partition, snapshot);
    job.partitions.push_back(std::move(told));
  }
  // The planner counts them over all partitions of the list, each in the order that they are tried.
  if (of && !job.partitions.empty())
    for (const FilterCount& row : of->ruled_out)
      job.partitions.front().ruled_out.push_back({row.filter, row.nodes});
}

// Each partition's own, where one stands in the way there.
void tell_limits(const Outlook& outlook, const JobEntry& entry, WhyJob& job) {
  const Site site(outlook);
  const OpenChoices open = open_choices(site, entry.record, *entry.spec);
  const ClassShapes of = shapes_of(site, *entry.spec, open.choices);
  for (std::size_t i = 0; i < of.subjects.size(); ++i) {
    const auto hit = check_start(*outlook.limit_rules, outlook.limits_held, of.subjects[i],
                                 least_amounts_of(of.shapes[i]));
    if (!hit) continue;
    LimitStanding told{hit->word, hit->owner, hit->used, hit->asked, hit->allowed};
    if (std::find(job.limits.begin(), job.limits.end(), told) == job.limits.end())
      job.limits.push_back(std::move(told));
  }
}

void tell_changes(const Outlook& outlook, const JobEntry& entry, WhyJob& job) {
  const Foresight foresight(outlook, entry.record.id);
  const SupposedJob as_it_is{entry.record, *entry.spec};
  const PlannedStart planned = foresight.start_of(as_it_is);
  if (planned.start && !job.wait.planned_start) {
    job.wait.planned_start = planned.start;
    job.wait.planned_nodes = planned.nodes;
  }
  for (Proposal& row : helpful_changes(foresight, outlook, as_it_is, planned, true))
    job.changes.push_back(std::move(row.change));
}

}  // namespace

WhyJob account_of(const Snapshot& snapshot, const JobEntry& entry, bool wants_changes) {
  const JobRecord& record = entry.record;
  WhyJob job;
  job.id = record.id;
  job.shown_id = shown_id(record.id, record.array);
  job.name = entry.spec->name;
  job.state = record.state;  // not a transition: a copy for the answer
  job.times = record.times;
  if (record.state != JobState::pending) return job;
  job.wait = wait_of(entry, snapshot);
  if (entry.class_id != 0) tell_partitions(snapshot, entry, job);
  if (!snapshot.outlook) return job;
  tell_limits(*snapshot.outlook, entry, job);
  if (wants_changes) tell_changes(*snapshot.outlook, entry, job);
  return job;
}

}  // namespace sluice
