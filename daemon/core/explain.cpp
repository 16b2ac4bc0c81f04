// explain.cpp: the controller's own account of why a job waits, or how it ended: `sluice why`.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/listing.h"
#include "daemon/core/select.h"
#include "daemon/core/standing.h"

namespace sluice {
namespace {

constexpr std::size_t holders_shown_max = 5;

// Who holds something on the nodes that the job could use.
struct Holder {
  const JobEntry* job = nullptr;
  std::uint32_t cpus = 0;  // of those nodes
  std::string nodes;
  std::optional<WallTime> until;  // by its time limit
};

std::vector<Holder> holders_of(const Snapshot& snapshot, const PartitionConfig& partition) {
  std::vector<Holder> holders;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (!holds_resources(entry.record.state)) return true;
    Holder holder{.job = &entry};
    for (const NodeShare& share : entry.record.allocation.shares) {
      if (std::find(partition.nodes.begin(), partition.nodes.end(), share.node) ==
          partition.nodes.end())
        continue;
      holder.cpus += share.cpus;
      holder.nodes += (holder.nodes.empty() ? "" : ",") + share.node;
    }
    if (holder.nodes.empty()) return true;
    const std::optional<Duration> length = length_of(entry.record.time_limit);
    if (entry.record.times.started && length) holder.until = *entry.record.times.started + *length;
    holders.push_back(std::move(holder));
    return true;
  });
  std::stable_sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) {
    return a.until.value_or(WallTime::max()) < b.until.value_or(WallTime::max());
  });
  return holders;
}

std::string holder_text(const Holder& holder, WallTime as_of) {
  const JobRecord& record = holder.job->record;
  std::string text = fmt::format("  job {} of {} holds {} cpus on {}", shown_id(record.id, record.array),
                                 holder.job->spec->user, holder.cpus, holder.nodes);
  if (!holder.until) return text + ", without a time limit";
  const auto left = std::chrono::ceil<std::chrono::minutes>(*holder.until - as_of).count();
  return text + fmt::format(", at most until {} (in {} min)", utc_text(*holder.until),
                            std::max<std::int64_t>(left, 0));
}

void explain_holders(const std::string& name, const Snapshot& snapshot, WallTime as_of,
                     std::vector<std::string>& lines) {
  for (const PartitionConfig& partition : snapshot.config->partitions) {
    if (partition.name != name) continue;
    const std::vector<Holder> holders = holders_of(snapshot, partition);
    if (holders.empty()) return;
    lines.push_back(
        fmt::format("{} jobs hold nodes of partition {}; the first to end:", holders.size(), name));
    for (std::size_t i = 0; i < std::min(holders.size(), holders_shown_max); ++i)
      lines.push_back(holder_text(holders[i], as_of));
  }
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

std::string place_in_line(const JobEntry& entry, const std::string& partition,
                          const Snapshot& snapshot) {
  const auto rank = [](const JobRecord& record) { return std::pair(~record.priority, record.id); };
  std::size_t ahead = 0;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& other) {
    if (rank(other.record) < rank(entry.record) && is_in_line(other, partition, *snapshot.config))
      ++ahead;
    return true;
  });
  return fmt::format("place in line of partition {}: {} (priority {})", partition, ahead + 1,
                     entry.record.priority);
}

void explain_wait(const JobEntry& entry, const Snapshot& snapshot, WallTime as_of,
                  std::vector<std::string>& lines) {
  const JobWait wait = wait_of(entry, snapshot);
  lines.push_back(fmt::format("reason: {}{}{}", enum_name(wait.reason),
                              wait.reason_detail.empty() ? "" : ": ", wait.reason_detail));
  if (wait.planned_start)
    lines.push_back(fmt::format("planned to start at {} on {}, by the time limits of what runs",
                                utc_text(*wait.planned_start), wait.planned_nodes));
  const ClassWait* of = entry.class_id == 0 ? nullptr : snapshot.waits.find(entry.class_id);
  if (!of) return;
  for (const FilterCount& row : of->ruled_out)
    lines.push_back(fmt::format("  {} nodes ruled out: {}", row.nodes, row.filter));
  const bool waits_for_others = wait.reason == Reason::Resources || wait.reason == Reason::Priority;
  for (const Standing& standing : standings_of(*snapshot.config, entry.record)) {
    const std::string& partition = standing.choice.partition;
    if (!standing.is_open()) {
      lines.push_back(fmt::format("not in line of partition {}: {}: {}", partition,
                                  enum_name(standing.wait.reason), standing.wait.detail));
      continue;
    }
    if (waits_for_others) explain_holders(partition, snapshot, as_of, lines);
    lines.push_back(place_in_line(entry, partition, snapshot));
  }
}

void explain_end(const JobEntry& entry, std::vector<std::string>& lines) {
  const JobEnd& end = *entry.record.end;
  lines.push_back(fmt::format("exit code {}, signal {}", end.status.code, end.status.signal));
  if (end.cause.kind != CauseKind::none)
    lines.push_back(fmt::format("cause: {}: {}", enum_name(end.cause.kind), end.cause.text));
}

}  // namespace

WhyReply explain(const Snapshot& snapshot, const QueryWhy& query, WallTime as_of) {
  WhyReply reply;
  const JobFilter filter{.jobs = {query.job}};
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (!matches(entry, filter)) return true;
    const JobRecord& record = entry.record;
    reply.lines.push_back(fmt::format("job {} ({}) is {}", shown_id(record.id, record.array),
                                      entry.spec->name, state_word(record.state, record.end, record.special_exit)));
    if (record.state == JobState::pending) explain_wait(entry, snapshot, as_of, reply.lines);
    if (record.state == JobState::ended) explain_end(entry, reply.lines);
    for (const RunPart& part : record.parts)
      if (record.state != JobState::ended)
        reply.lines.push_back(fmt::format("on node {}: {}", part.node, enum_name(part.state)));
    return true;
  });
  return reply;
}

}  // namespace sluice
