// resolve.cpp: defaults and limits of partition and site.
#include "daemon/core/resolve.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/spelling.h"

namespace sluice {
namespace {

std::string limit_text(const TimeLimit& limit) {
  return limit.unlimited ? "UNLIMITED" : fmt::format("{} min", limit.minutes);
}

bool exceeds(const TimeLimit& limit, const TimeLimit& max) {
  if (max.unlimited) return false;
  return limit.unlimited || limit.minutes > max.minutes;
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

Result<Demand> resolve_counts(const ResourceRequest& request) {
  Demand demand;
  demand.cpus_per_task = request.cpus_per_task.value_or(1);
  demand.ntasks_per_node = request.ntasks_per_node.value_or(0);
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

void resolve_memory(const ResourceRequest& request, const PartitionConfig& partition,
                    const ClusterConfig& config, std::uint64_t node_mem_per_cpu_mb,
                    Demand& demand) {
  if (request.mem_per_node_mb) {
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

Result<const PartitionConfig*> resolve_partition(const JobSpec& spec, const ClusterConfig& config) {
  std::vector<std::string_view> names;
  for (const PartitionConfig& partition : config.partitions) names.push_back(partition.name);
  if (spec.placement.partitions.empty()) {
    for (const PartitionConfig& partition : config.partitions)
      if (partition.is_default) return &partition;
    return Error{ErrorCode::invalid_partition,
                 "no default partition is configured; name one with -p: " +
                     fmt::format("{}", fmt::join(names, ", "))};
  }
  if (spec.placement.partitions.size() > 1)
    return Error{ErrorCode::not_supported, "a list of partitions; name one"};
  const std::string& wanted = spec.placement.partitions.front();
  auto at = std::find_if(config.partitions.begin(), config.partitions.end(),
                         [&](const auto& partition) { return partition.name == wanted; });
  if (at == config.partitions.end())
    return Error{ErrorCode::invalid_partition,
                 fmt::format("{}{} (known: {})", wanted, did_you_mean(wanted, names),
                             fmt::join(names, ", "))};
  return &*at;
}

Result<Resolved> resolve(const JobSpec& spec, const ClusterConfig& config,
                         std::uint64_t node_mem_per_cpu_mb) {
  Resolved resolved;
  resolved.partition = TRY(resolve_partition(spec, config));
  const PartitionConfig& partition = *resolved.partition;
  resolved.demand = TRY(resolve_counts(spec.request));
  Demand& demand = resolved.demand;
  resolve_memory(spec.request, partition, config, node_mem_per_cpu_mb, demand);
  demand.gres_per_node = spec.request.gres_per_node;
  demand.exclusive = spec.request.exclusive || partition.exclusive;
  demand.nodes_min = std::max<std::uint32_t>(
      demand.nodes_min, static_cast<std::uint32_t>(spec.placement.nodelist.size()));
  demand.nodes_max = std::max(demand.nodes_max, demand.nodes_min);
  demand.ntasks = std::max(demand.ntasks, demand.nodes_min);
  if (config.enforce_part_limits && partition.max_nodes && demand.nodes_min > *partition.max_nodes)
    return Error{ErrorCode::node_count_invalid,
                 fmt::format("{} nodes exceed MaxNodes={} of partition {}", demand.nodes_min,
                             *partition.max_nodes, partition.name)};
  resolved.time_limit = TRY(resolve_time(spec, partition, config.enforce_part_limits));
  return resolved;
}

}  // namespace sluice
