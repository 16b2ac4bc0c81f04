// dependency.h: dependencies of jobs that wait: judged at submit, at changes, and at each start and
// end of a job that others name. Only files of this folder include it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "daemon/core/effects.h"
#include "daemon/core/state.h"

namespace sluice {

// For whom a term is judged.
struct Waiter {
  JobId id;  // 0: not submitted yet
  std::optional<JobId> array;
  std::optional<std::uint32_t> task;  // none: not of an array, or its waiting rest
  std::string twins;                  // twins_of() its spec
};

Waiter waiter_of(const State& state, const JobRecord& record);

// Jobs of one user and one name: what a singleton waits for.
std::string twins_of(const JobSpec& spec);

// "afterok:5_*", "after:5+10".
std::string term_text(const DependencyTerm& term);

// No term, or not enough of them, can ever be met.
bool is_hopeless(const Dependency& dependency);

// Each task of the array that waits goes as its partner does (aftercorr).
bool is_by_task(const Dependency& dependency);

// Is history to be asked for the ends of the job the term names? Memory does not hold it (any
// more), or may not hold all of it.
bool wants_history(const State& state, const DependencyTerm& term);

// The terms with what they name looked up. Errors: invalid_dependency, it names what never existed.
// `tasks`: of the array that waits, if it is one.
Result<Dependency> known_terms(const State& state, const Dependency& asked, const IndexSet& tasks,
                               const std::vector<KnownEnd>& history);

struct OpenTerms {
  Dependency dependency;  // without what is met
  std::string why_never;  // of the first that failed
};
OpenTerms open_terms(const State& state, const Dependency& asked, const Waiter& self,
                     const std::vector<KnownEnd>& history, const Now& now);

// The sentence with the ids, when `id` waiting for these would wait for itself.
std::optional<std::string> find_cycle(const State& state, JobId id, const Dependency& dependency);

// Enters the record's terms where their news will look for it.
void index_dependency(State& state, JobId id);

// Judges the record's terms again; it may become free, split its tasks off, or end.
void settle_dependency(State& state, JobId id, const std::vector<KnownEnd>& history, const Now& now,
                       Effects& out);
// Tells those that wait for a job, or for an array of which this task had news.
void settle_dependents(State& state, JobId changed, std::optional<std::uint32_t> task,
                       const Now& now, Effects& out);
void settle_singletons(State& state, const std::string& twins, const Now& now, Effects& out);

}  // namespace sluice
