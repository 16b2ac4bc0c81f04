// select.h: which jobs a filter means. Pure reads of State or of a snapshot's tables.
#pragma once

#include <vector>

#include "daemon/core/state.h"

namespace sluice {

bool matches(const JobEntry& entry, const JobFilter& filter);

// Records that the filter means, ascending. An id of an array means all its records. Ids that no job
// has go to `unknown`.
std::vector<JobId> select_jobs(const State& state, const JobFilter& filter,
                               std::vector<JobSelector>& unknown);

}  // namespace sluice
