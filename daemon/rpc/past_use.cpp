// past_use.cpp: rows of the history into the book of usage.
#include "daemon/rpc/past_use.h"

#include "daemon/core/priority.h"

namespace sluice {

Result<void> count_past_use(HistoryReader& history, State& state, const Now& now) {
  if (!has_accounts(*state.accounts)) return {};
  TRY(history.runs_since(counts_from(state.config->priority, now.wall),
                         [&](const JobRecord& job, const RunRecord* run) {
                           count_run(state, job, run ? run->times : job.times,
                                     run ? run->allocation : job.allocation, now);
                         }));
  state.set_ranking(make_ranking(state, now.wall));
  return {};
}

}  // namespace sluice
