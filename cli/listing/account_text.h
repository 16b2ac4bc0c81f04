// account_text.h: the facts of a job as accounting tells them, where that differs from the queue.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/listing/job_text.h"

namespace sluice {

// The state word. A run that was put back into the queue by request is REQUEUED; a step is
// CANCELLED by whoever ended its job.
const char* account_state(const JobInfo& job, bool is_batch_step);
// The same, of a job with who cancelled it: "CANCELLED by 1001".
void append_account_state(const JobInfo& job, bool is_batch_step, std::string& out);

// A job that was told to end has 0:0; how its script died is in the step's row.
ExitStatus account_exit(const JobInfo& job, bool is_batch_step);

// Its script began; then it has a row of its own.
bool has_batch_step(const JobInfo& job);

// What was held: by the step, its share of the first node. Nothing while waiting.
TresAmounts tres_held_by(const JobInfo& job, bool is_batch_step);

// A job that ended without a start has its end for a start, as in Slurm.
std::optional<WallTime> account_start(const JobInfo& job);

// From being eligible to the start, or until now.
std::int64_t waited_s(const JobInfo& job, WallTime as_of);

}  // namespace sluice
