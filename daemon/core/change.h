// change.h: `scontrol update job`: members of a job's spec that may change, when, and by whom. Pure
// but for apply_change(). Only files of this folder include it.
#pragma once

#include <optional>
#include <vector>

#include "common/base/result.h"
#include "daemon/core/associate.h"
#include "daemon/core/effects.h"
#include "daemon/core/state.h"

namespace sluice {

struct Change {
  JobSpec spec;
  std::optional<Dependency> dependency;  // the terms still open, where another was asked for
  std::vector<PartitionChoice> choices;  // where something else is asked of the nodes; else empty
  bool account_changes = false;          // the spec names another account or QOS
};

// What the record would become. Errors: not_supported (no member that can change), job_not_pending,
// invalid_dependency (it names what never existed, can never be met, or goes in a circle),
// invalid_account, invalid_qos, and what a submit would be refused for.
Result<Change> plan_change(const State& state, JobId id, const JobsUpdated& event, const Now& now);

void apply_change(State& state, JobId id, const Change& change, const JobsUpdated& event,
                  const Now& now, Effects& out);

}  // namespace sluice
