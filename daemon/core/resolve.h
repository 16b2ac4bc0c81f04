// resolve.h: a JobSpec with the site's defaults applied. Pure; says what is wrong with the request and
// what would be right. Whether it could ever fit is asked of the planner (sched/fit.h).
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/model/config.h"
#include "common/model/job.h"

namespace sluice {

// `node_mem_per_cpu_mb` is the default of a job that states no memory and whose partition and site
// state none: the smallest memory per cpu of the partition's nodes.
// Errors: time_limit_invalid, time_min_invalid, node_count_invalid, invalid_argument,
// invalid_feature, invalid_license, invalid_gres.
Result<PartitionChoice> resolve(const JobSpec& spec, const PartitionConfig& partition,
                                const ClusterConfig& config, std::uint64_t node_mem_per_cpu_mb);

// The partitions a spec names, each once, or the default. They point into `config`.
// Errors: invalid_partition.
Result<std::vector<const PartitionConfig*>> resolve_partitions(const JobSpec& spec,
                                                               const ClusterConfig& config);

}  // namespace sluice
