// pending.cpp: may a pending job be planned now, and if not, why.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "daemon/core/associate.h"
#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"
#include "daemon/core/priority.h"
#include "daemon/core/reservations.h"
#include "daemon/core/shapes.h"
#include "daemon/core/standing.h"

namespace sluice {
namespace {

constexpr Duration just_after = std::chrono::microseconds{1};

std::string describe_dependency(const Dependency& dependency) {
  std::string text = dependency.any ? "waits for any of" : "waits for";
  for (const DependencyTerm& term : dependency.terms)
    text += fmt::format(" {}{}", term_text(term), term.failed ? " (can never be met)" : "");
  return text;
}

// What keeps this job, whatever the nodes are doing. Reason::None: nothing does.
Wait own_wait(const State& state, const JobRecord& record, const Now& now) {
  if (record.hold != Hold::none && record.reason == Reason::ReservationDeleted)
    return {record.reason, record.reason_detail};
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

void settle_all_pending(State& state, const Now& now) {
  take_missing_accounts(state);
  std::vector<JobId> pending;
  state.jobs.for_each([&](std::uint32_t id, const JobEntry& entry) {
    if (entry.record.state == JobState::pending) pending.push_back(JobId{id});
    return true;
  });
  for (const JobId id : pending) settle_pending(state, id, now);
}

void settle_pending(State& state, JobId id, const Now& now) {
  const JobRecord& record = state.job(id);
  ASSERT(record.state == JobState::pending);
  state.dequeue(id);
  drop_lost_reservations(state, id, false);
  Wait wait = own_wait(state, state.job(id), now);
  OpenChoices open;
  if (wait.reason == Reason::None) {
    take_accounts(state, id);
    open = open_choices(state, state.job(id), state.spec(id));
    wait = std::move(open.wait);
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
    edited.reason_limit.clear();
    edited.reason_detail = wait.detail;
  }
  state.plan_wanted = true;  // where it leaves the queue, others may have been kept waiting for it
  if (wait.reason != Reason::None) return;
  if (state.job(id).times.eligible == WallTime{}) state.edit_job(id).times.eligible = now.wall;
  state.enqueue(id, open.choices);
}

void take_choice(JobRecord& record, const PartitionChoice& choice) {
  const bool changed_by_hand = limit_was_changed(record);
  record.partition = choice.partition;
  record.demand = choice.demand;
  record.association = choice.association;
  record.qos = choice.qos;
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
