// step_columns.h: the table of squeue's columns of steps (-s). A job that runs has one, its batch
// script.
#pragma once

#include <span>

#include "cli/listing/job_text.h"
#include "cli/listing/layout.h"
#include "cli/listing/selectors.h"

namespace sluice {

std::span<const Column<JobRow>> step_columns();

// It runs a batch step that one of the selectors means; no selectors: any.
bool shows_batch_step(const JobInfo& job, const std::vector<StepSelector>& selectors);

}  // namespace sluice
