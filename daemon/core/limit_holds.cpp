// limit_holds.cpp: what runs and waits against limits of associations and QOS, kept in step with
// the jobs; and what the limits say to a start.
#include <tuple>

#include "daemon/core/associate.h"
#include "daemon/core/handlers.h"

namespace sluice {

LimitSubject State::limit_subject(const JobRecord& record) const {
  return limit_rules->subject(record.association, record.qos, record.partition);
}

namespace {
// Nobody's jobs count for nothing.
bool counts(const LimitSubject& subject) { return subject != LimitSubject{}; }
}  // namespace

void State::hold_limits(const JobRecord& record) {
  free_limits(record.id);
  const LimitSubject subject = limit_subject(record);
  if (!counts(subject)) return;
  TresCounts tres =
      amounts_of(record.allocation.shares, record.demand.licenses, record.time_limit).total;
  limits_held.add(*limit_rules, subject, 1, tres);
  ++limits_version;
  limit_holds[record.id] = {subject, std::move(tres)};
}

void State::free_limits(JobId id) {
  const auto at = limit_holds.find(id);
  if (at == limit_holds.end()) return;
  limits_held.remove(*limit_rules, at->second.subject, 1, at->second.tres);
  limit_holds.erase(at);
  ++limits_version;
  plan_wanted = true;
  ++version;
}

void State::count_live(const JobRecord& record, std::int64_t tasks) {
  jobs_live += static_cast<std::uint64_t>(tasks);
  const LimitSubject subject = limit_subject(record);
  if (!counts(subject)) return;
  if (tasks > 0) limits_submitted.add(*limit_rules, subject, static_cast<std::uint64_t>(tasks), {});
  else limits_submitted.remove(*limit_rules, subject, static_cast<std::uint64_t>(-tasks), {});
}

// Parents may be others now, and partitions may have another QOS: all is counted anew.
void State::refresh_limits() {
  limit_rules = std::make_shared<const LimitRules>(make_limit_rules(accounts, *config));
  limit_holds.clear();
  ++limits_version;
  limits_held = {};
  limits_submitted = {};
  jobs_live = 0;
  jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    if (record.state == JobState::ended) return true;
    const bool is_rest = record.array && !record.array->task;
    count_live(record, is_rest ? static_cast<std::int64_t>(record.array->waiting.size()) : 1);
    if (holds_resources(record.state)) hold_limits(record);
    return true;
  });
}

// --- at a start

namespace {

// How many of so many such jobs there is room for.
std::uint64_t room_for(const State& state, const LimitSubject& subject, const JobAmounts& job,
                       std::uint64_t copies_max) {
  const auto fits = [&](std::uint64_t copies) {
    return !check_start(*state.limit_rules, state.limits_held, subject, job, copies);
  };
  if (fits(copies_max)) return copies_max;
  std::uint64_t good = 0;
  std::uint64_t bad = copies_max;
  while (bad - good > 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

LimitSubject subject_of(const State& state, const PendingClass& of, const JobShape& shape) {
  return state.limit_rules->subject(of.association, of.qos, shape.partition);
}

}  // namespace

std::uint64_t startable_by_limits(const State& state, const PendingClass& of) {
  constexpr std::uint64_t copies_max = 1U << 20;
  if (!state.limit_rules->in_force) return copies_max;
  if (of.refused_at == state.limits_version) return 0;
  std::uint64_t most = 0;
  for (const JobShape& shape : *of.shapes)
    most = std::max(most, room_for(state, subject_of(state, of, shape),
                                   least_amounts(shape.demand, shape.time_min ? shape.time_min
                                                                              : shape.time_limit),
                                   copies_max));
  return most;
}

std::optional<LimitHit> limit_of_class(const State& state, const PendingClass& of) {
  if (of.refused_at == state.limits_version) return of.refused;
  std::optional<LimitHit> first;
  for (const JobShape& shape : *of.shapes) {
    auto hit = check_start(
        *state.limit_rules, state.limits_held, subject_of(state, of, shape),
        least_amounts(shape.demand, shape.time_min ? shape.time_min : shape.time_limit));
    if (!hit) return std::nullopt;
    if (!first) first = std::move(hit);
  }
  return first;
}

std::optional<LimitHit> limit_of_start(const State& state, const JobRecord& record,
                                       const JobShape& shape, const Placement& placement) {
  AssociationId association = record.association;
  QosId qos = record.qos;
  if (!record.choices.empty()) {  // it may have another one in this partition
    const Result<JobAccount> account = find_job_account(*state.accounts, state.config->accounting,
                                                        state.spec(record.id), placement.partition);
    if (account) std::tie(association, qos) = std::tie(account->association, account->qos);
  }
  const LimitSubject subject = state.limit_rules->subject(association, qos, placement.partition);
  const std::optional<TimeLimit>& limit =
      placement.time_limit ? placement.time_limit : shape.time_limit;
  return check_start(*state.limit_rules, state.limits_held, subject,
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
