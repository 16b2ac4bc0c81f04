// dependency.cpp: which terms of a dependency are met, and what follows for the jobs that wait on
// them. A job is judged by its record while it is in memory, else by what history says of it. A
// term that was met is taken out of the record; one that never can be stays as failed, or ends the
// job.
#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"

namespace sluice {
namespace {

// What is known of a job, of all tasks of an array, or of one.
struct Ends {
  bool known = false;
  bool all_over = true;
  bool all_started = true;
  std::optional<std::string> bad;  // one that did not end well, and how: "job 5 ended FAILED"
};

bool is_rest(const JobRecord& record) { return record.array && !record.array->task; }

std::string how_it_ended(const std::string& id, const JobEnd& end) {
  std::string text = fmt::format("job {} ended {}", id, state_word(JobState::ended, end));
  if (end.status.signal != 0) text += fmt::format(" (signal {})", end.status.signal);
  else if (end.status.code != 0) text += fmt::format(" (exit code {})", end.status.code);
  return text;
}

void look_at(const JobRecord& record, Ends& ends) {
  ends.known = true;
  const bool is_over = record.state == JobState::ended;
  ends.all_over = ends.all_over && is_over;
  ends.all_started = ends.all_started && record.state != JobState::pending;
  if (is_over && record.end->outcome != Outcome::completed && !ends.bad)
    ends.bad = how_it_ended(shown_id(record.id, record.array), *record.end);
}

void look_at(const KnownEnd& past, Ends& ends) {
  ends.known = true;
  if (past.end.outcome != Outcome::completed && !ends.bad)
    ends.bad = how_it_ended(past.shown_id, past.end);
}

// By counts: an array may have very many records, and this is asked after each of its ends.
void look_at_array(const State& state, const ArrayTasks& tasks, Ends& ends) {
  ends.known = true;
  ends.all_over = ends.all_over && tasks.open == 0;
  ends.all_started = ends.all_started && tasks.pending.empty();
  if (tasks.bad == 0) return;
  for (const auto& [task, id] : tasks.records) {
    if (ends.bad) return;
    look_at(state.job(id), ends);
  }
}

Ends look_at_task(const State& state, JobId array_id, std::uint32_t task) {
  Ends ends;
  if (const auto array = state.arrays.find(array_id); array != state.arrays.end())
    if (const auto at = array->second.records.find(task); at != array->second.records.end()) {
      look_at(state.job(at->second), ends);
      return ends;
    }
  const JobEntry* entry = state.find_job(array_id);
  if (entry && is_rest(entry->record) && entry->record.array->waiting.contains(task))
    look_at(entry->record, ends);
  return ends;
}

// What history says of the job, or of one task of the array. It is sorted by name and task.
std::span<const KnownEnd> past_of(JobId id, std::optional<std::uint32_t> task,
                                  const std::vector<KnownEnd>& history) {
  const auto key = [](const KnownEnd& past) { return std::pair(past.named, past.task); };
  const auto first =
      std::partition_point(history.begin(), history.end(), [&](const KnownEnd& past) {
        return task ? key(past) < std::pair(id, task) : past.named < id;
      });
  const auto end = std::partition_point(first, history.end(), [&](const KnownEnd& past) {
    return task ? key(past) <= std::pair(id, task) : past.named <= id;
  });
  return {first, end};
}

Ends look(const State& state, JobId id, std::optional<std::uint32_t> task,
          const std::vector<KnownEnd>& history) {
  Ends ends;
  if (task) {
    ends = look_at_task(state, id, *task);
  } else {
    const auto array = state.arrays.find(id);
    if (array != state.arrays.end()) look_at_array(state, array->second, ends);
    const JobEntry* entry = state.find_job(id);
    if (entry && (array == state.arrays.end() || is_rest(entry->record)))
      look_at(entry->record, ends);
  }
  for (const KnownEnd& past : past_of(id, task, history))
    if (!state.find_job(past.record)) look_at(past, ends);
  return ends;
}

// The latest start; of what ended without one its end. None: something has not started yet.
std::optional<WallTime> latest_start(const State& state, const DependencyTerm& term,
                                     const std::vector<KnownEnd>& history) {
  WallTime latest;
  bool all = true;
  const auto note = [&](const JobRecord& record) {
    const auto at = record.times.started ? record.times.started : record.times.ended;
    all = all && at;
    latest = std::max(latest, at.value_or(latest));
  };
  for (const KnownEnd& past : past_of(term.job, term.task, history))
    latest = std::max(latest, past.started);
  const auto array = state.arrays.find(term.job);
  if (array == state.arrays.end()) {
    if (const JobEntry* entry = state.find_job(term.job)) note(entry->record);
  } else {
    for (const auto& [task, id] : array->second.records)
      if (!term.task || *term.task == task) note(state.job(id));
  }
  return all && latest != WallTime{} ? std::optional(latest) : std::nullopt;
}

// --- one term ----------------------------------------------------------------------------------

struct Judged {
  std::optional<bool> met;  // none: not decided yet
  std::optional<WallTime> due;
  std::string why_never;
};

Judged judge_start(const State& state, const Ends& ends, const DependencyTerm& term,
                   const std::vector<KnownEnd>& history, const Now& now) {
  if (!ends.all_started) return {std::nullopt, term.due, {}};
  if (term.delay_min == 0) return {true, {}, {}};
  std::optional<WallTime> due = term.due;
  if (!due)
    if (const auto started = latest_start(state, term, history))
      due = *started + std::chrono::minutes{term.delay_min};
  if (due && *due <= now.wall) return {true, due, {}};
  return {std::nullopt, due, {}};
}

Judged judge_end(const Ends& ends, DependencyType type) {
  const bool wants_ok = type == DependencyType::afterok || type == DependencyType::aftercorr;
  if (wants_ok && ends.bad) return {false, {}, *ends.bad};
  if (!ends.all_over) return {};
  if (type == DependencyType::afternotok && !ends.bad) return {false, {}, "it ended well"};
  return {true, {}, {}};
}

// The order of submits: tasks came with their array.
JobId submitted_as(const JobRecord& record) {
  return record.array ? record.array->array_id : record.id;
}

// Others of the same user and name that were submitted before, or run. `self` 0: not submitted yet.
bool has_older_twin(const State& state, const std::string& twins, const Waiter& self) {
  const auto at = state.by_name.find(twins);
  if (at == state.by_name.end()) return false;
  return std::any_of(at->second.open.begin(), at->second.open.end(), [&](JobId id) {
    const JobRecord& other = state.job(id);
    if (id == self.id || (self.array && other.array && other.array->array_id == *self.array))
      return false;
    const bool is_older = self.id == JobId{} || submitted_as(other) < self.array.value_or(self.id);
    return is_older || holds_resources(other.state);
  });
}

Judged judge(const State& state, const DependencyTerm& term, const Waiter& self,
             const std::vector<KnownEnd>& history, const Now& now) {
  if (term.failed) return {false, {}, "it failed before"};
  if (term.type == DependencyType::singleton)
    return {has_older_twin(state, self.twins, self) ? std::nullopt : std::optional(true), {}, {}};
  if (term.due && *term.due <= now.wall) return {true, term.due, {}};
  const bool by_task = term.type == DependencyType::aftercorr && term.is_array && self.task;
  const Ends ends = look(state, term.job, by_task ? self.task : term.task, history);
  if (!ends.known && by_task)
    return {false, {}, fmt::format("array {} has no task {}", term.job.value, *self.task)};
  if (!ends.known) return {std::nullopt, term.due, {}};
  if (term.type == DependencyType::after) return judge_start(state, ends, term, history, now);
  return judge_end(ends, term.type);
}

std::string never_text(const DependencyTerm& term, const std::string& why) {
  return fmt::format("{} can never be met: {}", term_text(term), why);
}

// Tasks of the waiting rest of an array whose partners decide for them, one by one.
bool goes_by_task(const DependencyTerm& term) {
  return term.type == DependencyType::aftercorr && term.is_array && !term.task;
}

}  // namespace

std::string twins_of(const JobSpec& spec) { return fmt::format("{}:{}", spec.uid, spec.name); }

Waiter waiter_of(const State& state, const JobRecord& record) {
  Waiter self{.id = record.id, .array = {}, .task = {}, .twins = twins_of(state.spec(record.id))};
  if (!record.array) return self;
  self.array = record.array->array_id;
  self.task = record.array->task;
  return self;
}

std::string term_text(const DependencyTerm& term) {
  if (term.type == DependencyType::singleton) return "singleton";
  std::string text = fmt::format("{}:{}", enum_name(term.type), term.job.value);
  if (term.task) text += fmt::format("_{}", *term.task);
  else if (term.is_array) text += "_*";
  if (term.delay_min > 0) text += fmt::format("+{}", term.delay_min);
  return text;
}

bool is_hopeless(const Dependency& dependency) {
  const auto failed = [](const DependencyTerm& term) { return term.failed; };
  const auto& terms = dependency.terms;
  if (terms.empty()) return false;
  return dependency.any ? std::all_of(terms.begin(), terms.end(), failed)
                        : std::any_of(terms.begin(), terms.end(), failed);
}

bool is_by_task(const Dependency& dependency) {
  return std::any_of(dependency.terms.begin(), dependency.terms.end(), goes_by_task);
}

bool wants_history(const State& state, const DependencyTerm& term) {
  if (term.type == DependencyType::singleton) return false;
  const JobEntry* entry = state.find_job(term.job);
  if (entry && entry->record.state != JobState::ended) return false;
  const auto array = state.arrays.find(term.job);
  return array == state.arrays.end() || array->second.open == 0;
}

OpenTerms open_terms(const State& state, const Dependency& asked, const Waiter& self,
                     const std::vector<KnownEnd>& history, const Now& now) {
  OpenTerms open{.dependency = {.terms = {}, .any = asked.any}, .why_never = {}};
  bool one_met = false;
  for (DependencyTerm term : asked.terms) {
    const Judged judged = judge(state, term, self, history, now);
    if (judged.met == true) {
      one_met = true;
      continue;
    }
    term.due = judged.due;
    term.failed = judged.met == false;
    if (term.failed && open.why_never.empty()) open.why_never = never_text(term, judged.why_never);
    open.dependency.terms.push_back(std::move(term));
  }
  if (asked.any && one_met) open.dependency.terms.clear();
  return open;
}

Result<Dependency> known_terms(const State& state, const Dependency& asked, const IndexSet& tasks,
                               const std::vector<KnownEnd>& history) {
  Dependency known = asked;
  for (DependencyTerm& term : known.terms) {
    term.due.reset();  // the lower members are never taken from a request
    term.failed = false;
    if (term.type == DependencyType::singleton) continue;
    const JobEntry* entry = state.find_job(term.job);
    const bool was_array = std::any_of(history.begin(), history.end(), [&](const KnownEnd& past) {
      return past.named == term.job && past.is_array;
    });
    term.is_array = !term.task && (state.arrays.contains(term.job) || was_array ||
                                   (entry && is_rest(entry->record)));
    if (!look(state, term.job, term.task, history).known)
      return Error{ErrorCode::invalid_dependency,
                   term.task
                       ? fmt::format("task {} of job {} never existed", *term.task, term.job.value)
                       : fmt::format("job {} never existed", term.job.value)};
    if (!goes_by_task(term)) continue;
    for (const IndexRange& range : tasks.ranges)
      for (std::uint64_t i = range.first; i <= range.last; i += range.step)
        if (!look(state, term.job, static_cast<std::uint32_t>(i), history).known)
          return Error{ErrorCode::invalid_dependency,
                       fmt::format("aftercorr:{}: it has no task {}", term.job.value, i)};
  }
  return known;
}

std::optional<std::string> find_cycle(const State& state, JobId id, const Dependency& dependency) {
  std::map<JobId, JobId> reached_from;
  std::vector<std::pair<JobId, JobId>> to_visit;  // job, from
  const auto follow = [&](const Dependency& of, JobId from) {
    for (const DependencyTerm& term : of.terms)
      if (term.type != DependencyType::singleton) to_visit.emplace_back(term.job, from);
  };
  follow(dependency, id);
  while (!to_visit.empty()) {
    const auto [job, from] = to_visit.back();
    to_visit.pop_back();
    if (!reached_from.emplace(job, from).second) continue;
    if (job == id) {
      std::string text = fmt::format("{}", id.value);
      for (JobId at = from; at != id; at = reached_from.at(at))
        text = fmt::format("{} -> {}", at.value, text);
      return fmt::format("the dependencies would go in a circle: {} -> {}", id.value, text);
    }
    if (const JobEntry* entry = state.find_job(job);
        entry && entry->record.state == JobState::pending)
      follow(entry->record.dependency, job);
  }
  return std::nullopt;
}

void index_dependency(State& state, JobId id) {
  const JobRecord& record = state.job(id);
  for (const DependencyTerm& term : record.dependency.terms) {
    if (term.type == DependencyType::singleton)
      state.by_name[twins_of(state.spec(id))].singletons.insert(id);
    else state.dependents[term.job].insert(id);
    if (term.due) state.look_again_at.emplace(*term.due, id);
  }
}

namespace {

void settle_one(State& state, JobId id, const std::vector<KnownEnd>& history, const Now& now,
                Effects& out) {
  const JobEntry* entry = state.find_job(id);
  if (!entry || entry->record.state != JobState::pending) return;
  const JobRecord& record = entry->record;
  // What was judged by tasks stays with the rest until they are records of their own.
  const Waiter self = waiter_of(state, record);
  Dependency judged_as_whole = record.dependency;
  std::vector<DependencyTerm> by_task;
  if (is_rest(record))
    std::erase_if(judged_as_whole.terms, [&](const DependencyTerm& term) {
      if (goes_by_task(term)) by_task.push_back(term);
      return goes_by_task(term);
    });
  const std::size_t before = judged_as_whole.terms.size();
  OpenTerms left = open_terms(state, judged_as_whole, self, history, now);
  const bool is_free = record.dependency.any && before > 0 && left.dependency.terms.empty();
  if (!is_free)
    left.dependency.terms.insert(left.dependency.terms.end(), by_task.begin(), by_task.end());
  if (left.dependency == record.dependency) return;
  const bool was_hopeless = is_hopeless(record.dependency);
  if (is_hopeless(left.dependency) && state.spec(id).start.kill_on_invalid_dep) {
    mail_job(state, id, MailType::INVALID_DEPEND, out);
    return close_pending_job(state, id, Outcome::cancelled,
                             {CauseKind::dependency_never_satisfied, std::nullopt, left.why_never},
                             now, out);
  }
  state.edit_job(id).dependency = std::move(left.dependency);
  if (!was_hopeless && is_hopeless(state.job(id).dependency))
    mail_job(state, id, MailType::INVALID_DEPEND, out);
  index_dependency(state, id);
  settle_pending(state, id, now);
}

// True: the partners of the task have decided, so that it becomes a record of its own.
bool is_decided(const State& state, const JobRecord& rest, std::uint32_t task,
                const std::vector<KnownEnd>& history, const Now& now) {
  Waiter self = waiter_of(state, rest);
  self.task = task;
  return std::any_of(
      rest.dependency.terms.begin(), rest.dependency.terms.end(), [&](const DependencyTerm& term) {
        return goes_by_task(term) && judge(state, term, self, history, now).met.has_value();
      });
}

// Of the rest of an array: each task goes as its partner did. `only`: no other partner has news.
void settle_tasks(State& state, JobId id, std::optional<std::uint32_t> only,
                  const std::vector<KnownEnd>& history, const Now& now, Effects& out) {
  const JobEntry* entry = state.find_job(id);
  if (!entry || entry->record.state != JobState::pending || !is_rest(entry->record)) return;
  if (!is_by_task(entry->record.dependency)) return;
  std::vector<std::uint32_t> decided;
  const auto look_at_one = [&](std::uint32_t task) {
    if (is_decided(state, entry->record, task, history, now)) decided.push_back(task);
  };
  if (only) {
    if (entry->record.array->waiting.contains(*only)) look_at_one(*only);
  } else {
    for (const IndexRange& range : entry->record.array->waiting.ranges)
      for (std::uint64_t i = range.first; i <= range.last; i += range.step)
        look_at_one(static_cast<std::uint32_t>(i));
  }
  for (const std::uint32_t task : decided) {
    if (state.next_job >= state.ids_end && state.job(id).array->waiting.size() > 1) {
      state.look_again_at.emplace(now.wall + std::chrono::seconds{1}, id);  // ids are on their way
      return;
    }
    settle_one(state, split_task(state, id, task), history, now, out);
  }
}

}  // namespace

void settle_dependency(State& state, JobId id, const std::vector<KnownEnd>& history, const Now& now,
                       Effects& out) {
  settle_tasks(state, id, std::nullopt, history, now, out);
  settle_one(state, id, history, now, out);
}

void settle_dependents(State& state, JobId changed, std::optional<std::uint32_t> task,
                       const Now& now, Effects& out) {
  auto at = state.dependents.find(changed);
  if (at == state.dependents.end()) return;
  const std::set<JobId> waiting = at->second;  // a copy: the loop edits the index
  for (JobId id : waiting) {
    settle_tasks(state, id, task, {}, now, out);
    settle_one(state, id, {}, now, out);
  }
  if (auto again = state.dependents.find(changed); again != state.dependents.end()) {
    std::erase_if(again->second, [&](JobId id) {
      const JobEntry* entry = state.find_job(id);
      return !entry || entry->record.state != JobState::pending ||
             std::none_of(entry->record.dependency.terms.begin(),
                          entry->record.dependency.terms.end(),
                          [&](const DependencyTerm& term) { return term.job == changed; });
    });
    if (again->second.empty()) state.dependents.erase(again);
  }
}

void settle_singletons(State& state, const std::string& twins, const Now& now, Effects& out) {
  const auto at = state.by_name.find(twins);
  if (at == state.by_name.end()) return;
  const std::set<JobId> waiting = at->second.singletons;
  for (JobId id : waiting) settle_one(state, id, {}, now, out);
  const auto again = state.by_name.find(twins);
  if (again == state.by_name.end()) return;
  std::erase_if(again->second.singletons, [&](JobId id) {
    const JobEntry* entry = state.find_job(id);
    return !entry || entry->record.state != JobState::pending ||
           std::none_of(
               entry->record.dependency.terms.begin(), entry->record.dependency.terms.end(),
               [](const DependencyTerm& term) { return term.type == DependencyType::singleton; });
  });
  if (again->second.open.empty() && again->second.singletons.empty()) state.by_name.erase(again);
}

}  // namespace sluice
