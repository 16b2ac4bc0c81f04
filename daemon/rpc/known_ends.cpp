// known_ends.cpp: rows of history to what the core is told.
#include "daemon/rpc/known_ends.h"

#include <algorithm>

#include "daemon/core/dependency.h"

namespace sluice {
namespace {

// A task may be named by its own id and by that of its array.
void add_ends(const JobRecord& record, const JobFilter& filter, std::vector<KnownEnd>& ends) {
  if (!record.end) return;
  const JobId array = record.array ? record.array->array_id : record.id;
  for (const JobSelector& selector : filter.jobs) {
    if (selector.job != record.id && selector.job != array) continue;
    KnownEnd end{.named = selector.job,
                 .task = {},
                 .record = record.id,
                 .is_array = record.array && selector.job == array,
                 .shown_id = shown_id(record.id, record.array),
                 .end = *record.end,
                 .started = record.times.started.value_or(record.times.ended.value_or(WallTime{}))};
    if (end.is_array) end.task = record.array->task;
    ends.push_back(std::move(end));
  }
}

}  // namespace

JobFilter jobs_to_look_up(const State& state, const Dependency& dependency) {
  JobFilter filter;
  for (const DependencyTerm& term : dependency.terms) {
    const JobSelector selector{term.job, {}};
    if (wants_history(state, term) &&
        std::find(filter.jobs.begin(), filter.jobs.end(), selector) == filter.jobs.end())
      filter.jobs.push_back(selector);
  }
  return filter;
}

std::vector<KnownEnd> known_ends(HistoryReader& history, const JobFilter& filter) {
  std::vector<KnownEnd> ends;
  (void)history
      .query(filter, false,
             [&](const HistoryRow& row) {
               add_ends(*row.job, filter, ends);
               return true;
             })
      .ok();
  std::sort(ends.begin(), ends.end(), [](const KnownEnd& left, const KnownEnd& right) {
    return std::pair(left.named, left.task) < std::pair(right.named, right.task);
  });
  return ends;
}

}  // namespace sluice
