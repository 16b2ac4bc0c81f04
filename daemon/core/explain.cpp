// explain.cpp: the controller's own account of why a job waits, or how it ended: `sluice why`.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/listing.h"
#include "daemon/core/priority.h"
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
  const auto rank = [&](const JobRecord& record) {
    const std::string& first =
        record.choices.empty() ? record.partition : record.choices.front().partition;
    return std::pair(~in_line(tier_of(*snapshot.config, first),
                              shown_priority(*snapshot.ranking, record)),
                     record.id);
  };
  std::size_t ahead = 0;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& other) {
    if (rank(other.record) < rank(entry.record) && is_in_line(other, partition, *snapshot.config))
      ++ahead;
    return true;
  });
  return fmt::format("place in line of partition {}: {} (priority {})", partition, ahead + 1,
                     shown_priority(*snapshot.ranking, entry.record));
}

// What its priority is made of; empty where the site's rule has no parts.
std::string parts_of_priority(const JobRecord& record, const Ranking& ranking) {
  const PriorityConfig& config = ranking.config->priority;
  if (record.hold != Hold::none) return {};
  if (record.priority_asked)
    return fmt::format("priority {}: given by an administrator", *record.priority_asked);
  if (!config.multifactor) return {};
  const std::string& partition = partition_of_priority(ranking, record);
  const PriorityFactors factors = factors_of(ranking, record, partition);
  const PriorityWeights& weights = config.weights;
  struct Part {
    std::string name;
    double factor;
    double weight;
  };
  std::vector<Part> parts{{"age", factors.age, 1.0 * weights.age},
                          {"association", factors.association, 1.0 * weights.association},
                          {"fair share", factors.fair_share, 1.0 * weights.fair_share},
                          {"job size", factors.job_size, 1.0 * weights.job_size},
                          {"partition " + partition, factors.partition, 1.0 * weights.partition},
                          {"QOS", factors.qos, 1.0 * weights.qos}};
  for (const TresFactor& tres : factors.tres)
    parts.push_back({tres.tres, tres.factor, static_cast<double>(count_of(weights.tres, tres.tres))});
  std::string text;
  for (const Part& part : parts)
    if (part.weight > 0)
      text += fmt::format("{}{} {:.1f} ({:.4f} of {})", text.empty() ? " = " : " + ", part.name,
                          part.factor * part.weight, part.factor, part.weight);
  if (record.nice != 0) text += fmt::format(" - nice {}", record.nice);
  return fmt::format("priority {}{}, as of {}", priority_of(ranking, record), text,
                     utc_text(ranking.as_of));
}

void explain_wait(const JobEntry& entry, const Snapshot& snapshot, WallTime as_of,
                  std::vector<std::string>& lines) {
  const JobWait wait = wait_of(entry, snapshot);
  lines.push_back(fmt::format("reason: {}{}{}",
                              wait.reason_limit.empty() ? enum_name(wait.reason)
                                                        : wait.reason_limit.c_str(),
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
  if (const std::string parts = parts_of_priority(entry.record, *snapshot.ranking); !parts.empty())
    lines.push_back(parts);
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
