// history_sql.h: a JobFilter as SQL. Pure text; what SQL cannot see (nodes, task ranges) is left to
// the reader.
#pragma once

#include <string>
#include <vector>

#include "common/wire/messages.h"

namespace sluice {

struct HistorySql {
  std::string text;
  std::vector<std::string> values;  // of the parameters ?1, ?2, ...
};

// Jobs: job_id, spec_id, record, in ascending job id.
//
// With a window (since, until) a state means "was in it within the window": PENDING and RUNNING by
// the times, also of jobs that have gone on since; an end state when the end lies in the window.
// Without states every job known in the window matches. Without a window the present state counts.
HistorySql job_history_sql(const JobFilter& filter);

// Earlier runs of the same jobs: job_id, spec_id, the job's record, the run's record, in ascending
// job id and run. States and window are those of the run.
HistorySql run_history_sql(const JobFilter& filter);

}  // namespace sluice
