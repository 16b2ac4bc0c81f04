// resolve.h: a JobSpec with the site's defaults applied. Pure; says what is wrong with the request and
// what would be right. Whether it could ever fit is asked of the planner (sched/fit.h).
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/model/config.h"
#include "common/model/job.h"

namespace sluice {

struct Resolved {
  const PartitionConfig* partition = nullptr;  // points into `config`
  Demand demand;
  std::optional<TimeLimit> time_limit;         // none: unlimited
};

// `node_mem_per_cpu_mb` is the default of a job that states no memory and whose partition and site
// state none: the smallest memory per cpu of the partition's nodes.
// Errors: invalid_partition, time_limit_invalid, node_count_invalid, invalid_argument.
Result<Resolved> resolve(const JobSpec& spec, const ClusterConfig& config,
                         std::uint64_t node_mem_per_cpu_mb);

// The partition a spec asks for: the first it names, or the default. Errors: invalid_partition.
Result<const PartitionConfig*> resolve_partition(const JobSpec& spec, const ClusterConfig& config);

}  // namespace sluice
