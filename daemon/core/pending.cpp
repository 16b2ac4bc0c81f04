// pending.cpp: may a pending job be planned now, and if not, why.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "daemon/core/dependency.h"
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
    text += fmt::format(" {}{}", term_text(term), term.failed ? " (can never be met)" : "");
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
  if (is_hopeless(record.dependency))
    return {Reason::DependencyNeverSatisfied, describe_dependency(record.dependency)};
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
  if (record.priority_asked) return *record.priority_asked;
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
  state.plan_wanted = true;  // where it leaves the queue, others may have been kept waiting for it
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
  return *times.deadline - length_of(limit).value_or(Duration::zero());
}

void look_again(State& state, const Now& now, Effects& out) {
  while (!state.look_again_at.empty() && state.look_again_at.begin()->first <= now.wall) {
    const JobId id = state.look_again_at.begin()->second;
    state.look_again_at.erase(state.look_again_at.begin());
    const JobEntry* entry = state.find_job(id);
    if (!entry || entry->record.state != JobState::pending) continue;
    const auto last = last_start(entry->record.times, entry->record.time_limit);
    if (!last || now.wall <= *last) {
      if (!entry->record.dependency.terms.empty()) settle_dependency(state, id, {}, now, out);
      if (state.find_job(id) && state.job(id).state == JobState::pending)
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

}  // namespace sluice
