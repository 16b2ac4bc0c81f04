// job_environment.h: the SLURM_* variables of a batch job. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/model/config.h"
#include "common/model/job.h"

namespace sluice {

// NAME=value, for the part of the run on allocation.shares[share_index]. Source of the list: the
// compatibility contract, "Environment".
std::vector<std::string> job_environment(const JobRecord& record, const JobSpec& spec,
                                         std::size_t share_index, const ClusterConfig& config);

}  // namespace sluice
