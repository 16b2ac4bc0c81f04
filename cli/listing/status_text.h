// status_text.h: the overview of `sluice status`: how much of the cluster is in use, and the
// caller's jobs with where they run or why they wait. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/listing/job_text.h"
#include "cli/listing/node_text.h"

namespace sluice {

std::string cluster_use_text(const std::vector<NodeInfo>& nodes, const ListingContext& context);
std::string own_jobs_text(const std::vector<JobInfo>& jobs, const std::string& user,
                          const ListingContext& context);

}  // namespace sluice
