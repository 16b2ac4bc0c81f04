// resolve.cpp: defaults and limits of partition and site.
#include "daemon/core/resolve.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/spelling.h"
#include "daemon/core/resolve_gpus.h"
#include "daemon/core/standing.h"

namespace sluice {
namespace {

std::string limit_text(const TimeLimit& limit) {
  if (limit.unlimited) return "UNLIMITED";
  return limit.seconds == 0 ? fmt::format("{} min", limit.minutes)
                            : fmt::format("{} min {} s", limit.minutes, limit.seconds);
}

Result<std::optional<TimeLimit>> resolve_time(const JobSpec& spec, const PartitionConfig& partition,
                                              bool enforce) {
  if (!spec.start.time_limit) {
    const TimeLimit limit = partition.default_time.value_or(partition.max_time);
    return limit.unlimited ? std::nullopt : std::optional(limit);
  }
  const TimeLimit limit = *spec.start.time_limit;
  if (enforce && exceeds(limit, partition.max_time))
    return Error{ErrorCode::time_limit_invalid,
                 fmt::format("--time={} exceeds MaxTime={} of partition {}", limit_text(limit),
                             limit_text(partition.max_time), partition.name)};
  return limit.unlimited ? std::nullopt : std::optional(limit);
}

Result<void> check_time_min(const JobSpec& spec, const PartitionConfig& partition,
                            const std::optional<TimeLimit>& limit) {
  if (!spec.start.time_min) return {};
  const TimeLimit least = *spec.start.time_min;
  if (exceeds(least, limit.value_or(TimeLimit{.unlimited = true})))
    return Error{ErrorCode::time_min_invalid, fmt::format("--time-min={} exceeds the time limit {}",
                                                          limit_text(least), limit_text(*limit))};
  if (exceeds(least, partition.max_time))
    return Error{ErrorCode::time_min_invalid,
                 fmt::format("--time-min={} exceeds MaxTime={} of partition {}", limit_text(least),
                             limit_text(partition.max_time), partition.name)};
  return {};
}

Result<Demand> resolve_counts(const ResourceRequest& request) {
  Demand demand;
  demand.cpus_per_task = request.cpus_per_task.value_or(1);
  demand.ntasks_per_node = request.ntasks_per_node.value_or(0);
  demand.ntasks_per_socket = request.ntasks_per_socket.value_or(0);
  demand.ntasks_per_core = request.ntasks_per_core.value_or(0);
  demand.sockets_per_node_min = request.sockets_per_node.value_or(0);
  demand.cpus_per_node_min = request.cpus_per_node_min.value_or(0);
  demand.tmp_per_node_mb = request.tmp_per_node_mb.value_or(0);
  const bool nodes_said = request.nodes_min.has_value();
  demand.nodes_min = request.nodes_min.value_or(1);
  if (request.ntasks) demand.ntasks = *request.ntasks;
  else if (demand.ntasks_per_node > 0) demand.ntasks = demand.nodes_min * demand.ntasks_per_node;
  else demand.ntasks = demand.nodes_min;
  if (demand.ntasks == 0 || demand.cpus_per_task == 0 || demand.nodes_min == 0)
    return Error{ErrorCode::invalid_argument, "nodes, tasks and cpus per task must be at least 1"};
  // More nodes than tasks cannot be used: Slurm lowers the count with a warning.
  demand.nodes_min = std::min(demand.nodes_min, demand.ntasks);
  if (!nodes_said && demand.ntasks_per_node > 0)
    demand.nodes_min = (demand.ntasks + demand.ntasks_per_node - 1) / demand.ntasks_per_node;
  if (request.nodes_max) demand.nodes_max = *request.nodes_max;
  else demand.nodes_max = nodes_said ? demand.nodes_min : demand.ntasks;
  demand.nodes_max = std::max(demand.nodes_max, demand.nodes_min);
  if (request.nodes_max && *request.nodes_max < request.nodes_min.value_or(1))
    return Error{ErrorCode::node_count_invalid,
                 fmt::format("-N {}-{}", *request.nodes_min, *request.nodes_max)};
  return demand;
}

// Counted features ask for so many nodes; without -N that is the size of the job.
Result<void> resolve_features(const JobSpec& spec, Demand& demand) {
  if (spec.placement.constraint.empty()) return {};
  demand.features = TRY(parse_constraint(spec.placement.constraint));
  std::uint32_t nodes = UINT32_MAX;
  std::uint32_t largest_count = UINT32_MAX;
  for (const FeatureChoice& choice : demand.features) {
    nodes = std::min(nodes, nodes_counted(choice));
    std::uint32_t largest = 0;
    for (const FeatureCount& count : choice.counts) largest = std::max(largest, count.nodes);
    largest_count = std::min(largest_count, largest);
  }
  if (!spec.request.nodes_min && nodes > demand.nodes_min) {
    demand.nodes_min = nodes;
    demand.nodes_max = std::max(demand.nodes_max, nodes);
  }
  if (largest_count > demand.nodes_max)
    return Error{
        ErrorCode::node_count_invalid,
        fmt::format("--constraint={} asks for {} nodes, --nodes allows {}",
                    shown_constraint(spec.placement.constraint), largest_count, demand.nodes_max)};
  return {};
}

Result<void> resolve_licenses(const JobSpec& spec, const ClusterConfig& config, Demand& demand) {
  if (spec.request.licenses.empty()) return {};
  demand.licenses = TRY(parse_licenses(spec.request.licenses));
  for (const LicenseCount& want : demand.licenses) {
    const std::uint32_t total = count_of(config.licenses, want.name);
    if (total == 0)
      return Error{ErrorCode::invalid_license,
                   fmt::format("{} is no licence of this site (there are: {})", want.name,
                               config.licenses.empty() ? "none" : to_text(config.licenses))};
    if (want.count > total)
      return Error{ErrorCode::invalid_license,
                   fmt::format("{}: {} asked, the site has {}", want.name, want.count, total)};
  }
  return {};
}

void resolve_memory(const ResourceRequest& request, const PartitionConfig& partition,
                    const ClusterConfig& config, std::uint64_t node_mem_per_cpu_mb,
                    Demand& demand) {
  if (request.mem_per_gpu_mb) {
    demand.mem_per_gpu_mb = *request.mem_per_gpu_mb;
  } else if (request.mem_per_node_mb) {
    demand.mem_whole_node = *request.mem_per_node_mb == 0;
    demand.mem_per_node_mb = *request.mem_per_node_mb;
  } else if (request.mem_per_cpu_mb) {
    demand.mem_per_cpu_mb = *request.mem_per_cpu_mb;
  } else if (partition.def_mem_per_node_mb) {
    demand.mem_per_node_mb = *partition.def_mem_per_node_mb;
  } else {
    demand.mem_per_cpu_mb = partition.def_mem_per_cpu_mb.value_or(
        config.def_mem_per_cpu_mb.value_or(node_mem_per_cpu_mb));
  }
}

}  // namespace

Result<std::vector<const PartitionConfig*>> resolve_partitions(const JobSpec& spec,
                                                               const ClusterConfig& config) {
  std::vector<std::string_view> names;
  for (const PartitionConfig& partition : config.partitions) names.push_back(partition.name);
  std::vector<const PartitionConfig*> found;
  if (spec.placement.partitions.empty()) {
    for (const PartitionConfig& partition : config.partitions)
      if (partition.is_default) return std::vector{&partition};
    return Error{ErrorCode::invalid_partition,
                 "no default partition is configured; name one with -p: " +
                     fmt::format("{}", fmt::join(names, ", "))};
  }
  for (const std::string& wanted : spec.placement.partitions) {
    const auto at = std::find_if(config.partitions.begin(), config.partitions.end(),
                                 [&](const auto& partition) { return partition.name == wanted; });
    if (at == config.partitions.end())
      return Error{ErrorCode::invalid_partition,
                   fmt::format("{}{} (known: {})", wanted, did_you_mean(wanted, names),
                               fmt::join(names, ", "))};
    if (std::find(found.begin(), found.end(), &*at) == found.end()) found.push_back(&*at);
  }
  return found;
}

Result<PartitionChoice> resolve(const JobSpec& spec, const PartitionConfig& partition,
                                const ClusterConfig& config, std::uint64_t node_mem_per_cpu_mb) {
  PartitionChoice resolved{.partition = partition.name, .demand = {}, .time_limit = {}};
  resolved.demand = TRY(resolve_counts(spec.request));
  Demand& demand = resolved.demand;
  TRY(resolve_gpus(spec.request, demand));
  resolve_memory(spec.request, partition, config, node_mem_per_cpu_mb, demand);
  TRY(resolve_features(spec, demand));
  TRY(resolve_licenses(spec, config, demand));
  const Sharing sharing = spec.request.sharing;
  demand.exclusive = sharing == Sharing::exclusive || partition.exclusive;
  if (sharing == Sharing::user) demand.exclusive_uid = spec.uid;
  demand.nodes_min = std::max<std::uint32_t>(
      demand.nodes_min, static_cast<std::uint32_t>(spec.placement.nodelist.size()));
  demand.nodes_max = std::max(demand.nodes_max, demand.nodes_min);
  demand.ntasks = std::max(demand.ntasks, demand.nodes_min);
  if (config.enforce_part_limits && partition.max_nodes && demand.nodes_min > *partition.max_nodes)
    return Error{ErrorCode::node_count_invalid,
                 fmt::format("{} nodes exceed MaxNodes={} of partition {}", demand.nodes_min,
                             *partition.max_nodes, partition.name)};
  resolved.time_limit = TRY(resolve_time(spec, partition, config.enforce_part_limits));
  TRY(check_time_min(spec, partition, resolved.time_limit));
  return resolved;
}

}  // namespace sluice
