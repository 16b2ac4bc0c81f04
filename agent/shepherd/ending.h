// ending.h: how a run ends: the sentences for its user and its exit record. Pure but for the lines
// written to the job's own error file.
#pragma once

#include <cstdint>
#include <string>

#include "agent/core/spooled_run.h"
#include "agent/exec/cgroup.h"
#include "common/base/time.h"
#include "common/model/run.h"

namespace sluice::agent {

// Slurm's line in the job's output: "... *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:00 DUE TO ...".
std::string cancelled_line(const SpooledRun& run, CauseKind cause, WallTime at);
std::string out_of_memory_line(const SpooledRun& run, const CgroupUsage& usage);

Cause time_limit_cause(const SpooledRun& run);
Cause lease_cause(const SpooledRun& run);

// What the counters of the kernel add to a run that nobody ended.
Cause cause_of_counters(const SpooledRun& run, const CgroupUsage& usage);

// Of all reaped processes of this one, and of the run's control groups.
Usage usage_of_run(const CgroupUsage& counters);
ExitStatus to_exit_status(int wait_status);

}  // namespace sluice::agent
