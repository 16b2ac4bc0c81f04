// pending.cpp: may a pending job be planned now, and if not, why.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "daemon/core/handlers.h"

namespace sluice {
namespace {

constexpr Duration just_after = std::chrono::microseconds{1};

struct Wait {
  Reason reason = Reason::None;
  std::string detail;
};

std::string describe_dependency(const Dependency& dependency) {
  std::string text = dependency.any ? "waits for any of" : "waits for";
  for (const DependencyTerm& term : dependency.terms)
    text += fmt::format(" {}:{}", enum_name(term.type), term.job.value);
  return text;
}

// What keeps a job out of one of its partitions.
Wait wait_for_partition(const State& state, const PartitionChoice& choice) {
  const PartitionConfig* partition = state.find_partition(choice.partition);
  if (!partition)
    return {Reason::PartitionConfig,
            fmt::format("partition {} is no longer configured", choice.partition)};
  if (partition->max_nodes && choice.demand.nodes_min > *partition->max_nodes)
    return {Reason::PartitionNodeLimit,
            fmt::format("{} nodes exceed MaxNodes={} of partition {}", choice.demand.nodes_min,
                        *partition->max_nodes, partition->name)};
  const TimeLimit& max = partition->max_time;
  if (!max.unlimited && (!choice.time_limit || choice.time_limit->minutes > max.minutes))
    return {Reason::PartitionTimeLimit,
            fmt::format("the time limit exceeds MaxTime={} of partition {}", max.minutes,
                        partition->name)};
  return {};
}

// Since the submit gave it the limit of the partition that it is in.
bool limit_was_changed(const JobRecord& record) {
  const auto at = std::find_if(
      record.choices.begin(), record.choices.end(),
      [&](const PartitionChoice& choice) { return choice.partition == record.partition; });
  return at != record.choices.end() && record.time_limit != at->time_limit;
}

// What it asks of each partition that it may start in; a time limit changed by hand holds in all.
std::vector<PartitionChoice> choices_of(const JobRecord& record) {
  if (record.choices.empty()) return {{record.partition, record.demand, record.time_limit}};
  std::vector<PartitionChoice> choices = record.choices;
  if (limit_was_changed(record))
    for (PartitionChoice& choice : choices) choice.time_limit = record.time_limit;
  return choices;
}

// Leaves the partitions that may take it. None: the job waits, as the first of them says.
Wait leave_open_ones(const State& state, std::vector<PartitionChoice>& choices) {
  const Wait wait = wait_for_partition(state, choices.front());
  std::erase_if(choices, [&](const PartitionChoice& choice) {
    return wait_for_partition(state, choice).reason != Reason::None;
  });
  return choices.empty() ? wait : Wait{};
}

// What keeps this job, whatever the nodes are doing. Reason::None: nothing does.
Wait own_wait(const State& state, const JobRecord& record, const Now& now) {
  if (record.hold == Hold::admin)
    return {Reason::JobHeldAdmin, "held by an administrator; scontrol release lets it go"};
  if (record.hold == Hold::user)
    return {Reason::JobHeldUser,
            fmt::format("held by its owner; scontrol release {} lets it go", record.id.value)};
  if (!record.dependency.terms.empty())
    return {Reason::Dependency, describe_dependency(record.dependency)};
  if (record.times.begin && now.wall < *record.times.begin)
    return {Reason::BeginTime,
            fmt::format("--begin: not before {}", utc_text(*record.times.begin))};
  if (state.tasks_startable(record) == 0)
    return {Reason::JobArrayTaskLimit,
            fmt::format("{} tasks of the array run, its limit is {}",
                        state.arrays.at(record.array->array_id).running, record.array->max_running)};
  return {};
}

}  // namespace

std::uint64_t priority_of(const JobRecord& record) {
  constexpr std::uint64_t start = 4'294'000'000;  // the multifactor rule replaces this
  return start - static_cast<std::uint64_t>(static_cast<std::int64_t>(record.nice));
}

void settle_pending(State& state, JobId id, const Now& now) {
  const JobRecord& record = state.job(id);
  ASSERT(record.state == JobState::pending);
  state.dequeue(id);
  Wait wait = own_wait(state, state.job(id), now);
  std::vector<PartitionChoice> choices;
  if (wait.reason == Reason::None) {
    choices = choices_of(state.job(id));
    wait = leave_open_ones(state, choices);
  }
  if (const auto last = last_start(state.job(id).times, state.job(id).time_limit))
    state.look_again_at.emplace(*last + just_after, id);
  if (wait.reason == Reason::BeginTime) {
    const WallTime begin = *state.job(id).times.begin;
    state.look_again_at.emplace(begin, id);
    if (state.job(id).times.eligible != begin) state.edit_job(id).times.eligible = begin;
  }
  if (wait.reason != state.job(id).reason || wait.detail != state.job(id).reason_detail) {
    JobRecord& edited = state.edit_job(id);
    edited.reason = wait.reason;
    edited.reason_detail = wait.detail;
  }
  if (wait.reason != Reason::None) return;
  if (state.job(id).times.eligible == WallTime{}) state.edit_job(id).times.eligible = now.wall;
  state.enqueue(id, std::move(choices));
}

void take_choice(JobRecord& record, const PartitionChoice& choice) {
  const bool changed_by_hand = limit_was_changed(record);
  record.partition = choice.partition;
  record.demand = choice.demand;
  if (!changed_by_hand) record.time_limit = choice.time_limit;
}

std::optional<WallTime> last_start(const JobTimes& times, const std::optional<TimeLimit>& limit) {
  if (!times.deadline) return std::nullopt;
  return *times.deadline - std::chrono::minutes{limit && !limit->unlimited ? limit->minutes : 0};
}

void look_again(State& state, const Now& now, Effects& out) {
  while (!state.look_again_at.empty() && state.look_again_at.begin()->first <= now.wall) {
    const JobId id = state.look_again_at.begin()->second;
    state.look_again_at.erase(state.look_again_at.begin());
    const JobEntry* entry = state.find_job(id);
    if (!entry || entry->record.state != JobState::pending) continue;
    const auto last = last_start(entry->record.times, entry->record.time_limit);
    if (!last || now.wall <= *last) {
      settle_pending(state, id, now);
      continue;
    }
    const std::string text =
        fmt::format("it had to start by {} to be over by its deadline {}; it waited for: {}",
                    utc_text(*last), utc_text(*entry->record.times.deadline),
                    enum_name(entry->record.reason));
    close_pending_job(state, id, Outcome::deadline,
                      {CauseKind::deadline_passed, std::nullopt, text}, now, out);
  }
}

namespace {

struct Ends {
  bool known = false;
  bool all_over = true;
  bool all_ok = true;
  bool any_started = false;
  bool all_started = true;
};

void look_at(const JobRecord& record, Ends& ends) {
  ends.known = true;
  const bool started = record.state != JobState::pending;
  ends.any_started = ends.any_started || started;
  ends.all_started = ends.all_started && started;
  if (record.state != JobState::ended) ends.all_over = false;
  else if (record.end->outcome != Outcome::completed) ends.all_ok = false;
}

// A job; or every record of an array; or one task of it.
Ends look(const State& state, JobId id, std::optional<std::uint32_t> task) {
  Ends ends;
  auto array = state.arrays.find(id);
  const JobEntry* entry = state.find_job(id);
  if (task) {
    if (array != state.arrays.end())
      if (auto at = array->second.records.find(*task); at != array->second.records.end()) {
        look_at(state.job(at->second), ends);
        return ends;
      }
    if (entry && entry->record.array && entry->record.array->waiting.contains(*task))
      look_at(entry->record, ends);
    return ends;
  }
  if (array != state.arrays.end())
    for (const auto& [index, record_id] : array->second.records) look_at(state.job(record_id), ends);
  if (entry && (array == state.arrays.end() || !entry->record.array->task)) look_at(entry->record, ends);
  return ends;
}

}  // namespace

std::optional<bool> term_fulfilled(const State& state, const DependencyTerm& term) {
  const Ends ends = look(state, term.job, term.task);
  if (!ends.known) return std::nullopt;
  switch (term.type) {
    case DependencyType::after:
      return ends.all_started ? std::optional(true) : std::nullopt;
    case DependencyType::afterany:
      return ends.all_over ? std::optional(true) : std::nullopt;
    case DependencyType::afterok:
      if (!ends.all_ok) return false;
      return ends.all_over ? std::optional(true) : std::nullopt;
    case DependencyType::afternotok:
      if (!ends.all_over) return std::nullopt;
      return !ends.all_ok;
  }
  return std::nullopt;
}

void settle_dependents(State& state, JobId ended, const Now& now, Effects& out) {
  auto at = state.dependents.find(ended);
  if (at == state.dependents.end()) return;
  const std::set<JobId> waiting = at->second;  // a copy: the loop edits the index
  for (JobId id : waiting) {
    const JobEntry* entry = state.find_job(id);
    if (!entry || entry->record.state != JobState::pending) continue;
    Dependency left{.terms = {}, .any = entry->record.dependency.any};
    bool met_one = false;
    std::optional<DependencyTerm> never;
    for (const DependencyTerm& term : entry->record.dependency.terms) {
      const std::optional<bool> met = term_fulfilled(state, term);
      if (!met) left.terms.push_back(term);
      else if (*met) met_one = true;
      else never = term;
    }
    if (left.any && met_one) left.terms.clear();
    const bool hopeless = never && !(left.any && (met_one || !left.terms.empty()));
    if (hopeless) {
      close_pending_job(state, id, Outcome::cancelled,
                        {CauseKind::dependency_never_satisfied, std::nullopt,
                         fmt::format("{}:{} can never be met", enum_name(never->type),
                                     never->job.value)},
                        now, out);
      continue;
    }
    if (left == entry->record.dependency) continue;
    state.edit_job(id).dependency = std::move(left);
    settle_pending(state, id, now);
  }
  if (auto again = state.dependents.find(ended); again != state.dependents.end()) {
    std::erase_if(again->second, [&](JobId id) {
      const JobEntry* entry = state.find_job(id);
      return !entry || entry->record.state != JobState::pending ||
             std::none_of(entry->record.dependency.terms.begin(),
                          entry->record.dependency.terms.end(),
                          [&](const DependencyTerm& term) { return term.job == ended; });
    });
    if (again->second.empty()) state.dependents.erase(again);
  }
}

}  // namespace sluice
