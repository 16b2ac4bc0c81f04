// standing.cpp: a partition against what a job asks of it.
#include "daemon/core/standing.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

// What keeps a job out of one of its partitions.
Wait wait_for(const ClusterConfig& config, const PartitionChoice& choice) {
  const auto partition =
      std::find_if(config.partitions.begin(), config.partitions.end(),
                   [&](const PartitionConfig& row) { return row.name == choice.partition; });
  if (partition == config.partitions.end())
    return {Reason::PartitionConfig,
            fmt::format("partition {} is no longer configured", choice.partition)};
  if (partition->max_nodes && choice.demand.nodes_min > *partition->max_nodes)
    return {Reason::PartitionNodeLimit,
            fmt::format("{} nodes exceed MaxNodes={} of partition {}", choice.demand.nodes_min,
                        *partition->max_nodes, partition->name)};
  const TimeLimit& max = partition->max_time;
  if (exceeds(choice.time_limit, max))
    return {Reason::PartitionTimeLimit,
            fmt::format("the time limit exceeds MaxTime={} of partition {}", max.minutes,
                        partition->name)};
  return {};
}

}  // namespace

bool exceeds(const std::optional<TimeLimit>& limit, const TimeLimit& max) {
  const std::optional<Duration> most = length_of(max);
  if (!most) return false;
  const std::optional<Duration> length = length_of(limit);
  return !length || *length > *most;
}

bool limit_was_changed(const JobRecord& record) {
  const auto at = std::find_if(
      record.choices.begin(), record.choices.end(),
      [&](const PartitionChoice& choice) { return choice.partition == record.partition; });
  return at != record.choices.end() && record.time_limit != at->time_limit;
}

std::vector<Standing> standings_of(const ClusterConfig& config, const JobRecord& record) {
  std::vector<Standing> standings;
  for (const PartitionChoice& choice : record.choices) standings.push_back({choice, {}});
  if (standings.empty())
    standings.push_back({{record.partition, record.demand, record.time_limit, record.association,
                          record.qos},
                         {}});
  const bool changed_by_hand = limit_was_changed(record);
  for (Standing& standing : standings) {
    if (changed_by_hand) standing.choice.time_limit = record.time_limit;
    standing.wait = wait_for(config, standing.choice);
  }
  return standings;
}

}  // namespace sluice
