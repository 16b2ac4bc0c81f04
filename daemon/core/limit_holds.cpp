// limit_holds.cpp: what runs and waits against limits of associations and QOS, kept in step with
// the jobs; and what the limits say to a start.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/core/associate.h"
#include "daemon/core/handlers.h"

namespace sluice {

LimitSubject State::limit_subject(const JobRecord& record) const {
  return limit_rules->subject(record.association, record.qos, record.partition);
}

LimitSubjects State::submit_subjects(const JobRecord& record) const {
  LimitSubjects subjects;
  const auto add = [&](const LimitSubject& subject) {
    if (subject != LimitSubject{} &&
        std::find(subjects.begin(), subjects.end(), subject) == subjects.end())
      subjects.push_back(subject);
  };
  if (record.state == JobState::pending)
    for (const PartitionChoice& choice : record.choices)
      add(limit_rules->subject(choice.association, choice.qos, choice.partition));
  if (record.state != JobState::pending || record.choices.empty()) add(limit_subject(record));
  return subjects;
}

void State::hold_limits(const JobRecord& record) {
  free_limits(record.id);
  const LimitSubject subject = limit_subject(record);
  if (subject == LimitSubject{}) return;
  TresCounts tres =
      amounts_of(record.allocation.shares, record.demand.licenses, record.time_limit).total;
  limits_held.add(*limit_rules, {subject}, 1, tres);
  ++limits_version;
  allowances.clear();
  limit_holds[record.id] = {subject, std::move(tres)};
}

void State::free_limits(JobId id) {
  const auto at = limit_holds.find(id);
  if (at == limit_holds.end()) return;
  limits_held.remove(*limit_rules, {at->second.subject}, 1, at->second.tres);
  limit_holds.erase(at);
  ++limits_version;
  allowances.clear();
  plan_wanted = true;
  ++version;
}

void State::count_live(const JobRecord& record, std::int64_t tasks) {
  jobs_live += static_cast<std::uint64_t>(tasks);
  const LimitSubjects subjects = submit_subjects(record);
  if (subjects.empty()) return;
  if (tasks > 0)
    limits_submitted.add(*limit_rules, subjects, static_cast<std::uint64_t>(tasks), {});
  else limits_submitted.remove(*limit_rules, subjects, static_cast<std::uint64_t>(-tasks), {});
}

// Parents may be others now, and partitions may have another QOS: all is counted anew.
void State::refresh_limits() {
  limit_rules = std::make_shared<const LimitRules>(make_limit_rules(accounts, *config));
  limit_holds.clear();
  ++limits_version;
  allowances.clear();
  limits_held = {};
  limits_submitted = {};
  jobs_live = 0;
  jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    if (record.state == JobState::ended) return true;
    count_live(record, static_cast<std::int64_t>(task_count(record)));
    if (holds_resources(record.state)) hold_limits(record);
    return true;
  });
}

const Allowance& State::allowance(const LimitSubject& subject) {
  const auto known = allowances.find(subject);
  if (known != allowances.end()) return known->second;
  return allowances.emplace(subject, Allowance(*limit_rules, limits_held, subject)).first->second;
}

Result<void> check_submit_limits(const State& state, const JobRecord* present,
                                 const std::vector<PartitionChoice>& choices, std::uint64_t tasks) {
  const LimitRules& rules = *state.limit_rules;
  if (!rules.in_force) return {};
  LimitSubjects subjects;
  for (const PartitionChoice& choice : choices)
    subjects.push_back(rules.subject(choice.association, choice.qos, choice.partition));
  LimitLedger others;
  if (present) {
    others = state.limits_submitted;
    others.remove(rules, state.submit_subjects(*present), tasks, {});
  }
  const auto hit = check_submit(rules, present ? others : state.limits_submitted, subjects, tasks);
  if (!hit) return {};
  return Error{ErrorCode::policy_violated, fmt::format("{}: {}", hit->word, hit->detail)};
}

// --- at a start

std::vector<std::uint64_t> startable_by_limits(State& state, const PendingClass& of) {
  std::vector<std::uint64_t> rooms;
  for (const ShapeLimits& shape : of.limits) {
    const bool is_refused = shape.refused && shape.refused_at == state.limits_version;
    rooms.push_back(
        is_refused ? 0 : state.allowance(shape.subject).room_for(shape.least, no_limit_near));
  }
  return rooms;
}

std::optional<LimitHit> limit_of_class(State& state, const PendingClass& of) {
  const std::vector<std::uint64_t> rooms = startable_by_limits(state, of);
  if (rooms.empty() || std::any_of(rooms.begin(), rooms.end(), [](auto room) { return room > 0; }))
    return std::nullopt;
  const ShapeLimits& first = of.limits.front();
  if (first.refused && first.refused_at == state.limits_version) return first.refused;
  return check_start(*state.limit_rules, state.limits_held, first.subject, first.least);
}

std::optional<LimitHit> limit_of_start(const State& state, const ShapeLimits& limits,
                                       const JobShape& shape, const Placement& placement) {
  const std::optional<TimeLimit>& limit =
      placement.time_limit ? placement.time_limit : shape.time_limit;
  return check_start(*state.limit_rules, state.limits_held, limits.subject,
                     amounts_of(placement.shares, shape.demand.licenses, limit));
}

ClassWait wait_for_limit(std::uint32_t class_id, JobId head, const LimitHit& hit) {
  ClassWait wait;
  wait.class_id = class_id;
  wait.reason = hit.reason;
  wait.limit = hit.word;
  wait.detail = hit.detail;
  wait.head = head;
  return wait;
}

}  // namespace sluice
