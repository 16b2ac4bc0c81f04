// statistics.cpp: see statistics.h.
#include "daemon/server/statistics.h"

#include <algorithm>
#include <set>

namespace sluice {
namespace {

std::uint64_t of(const std::map<Outcome, std::uint64_t>& counts, Outcome outcome) {
  const auto at = counts.find(outcome);
  return at == counts.end() ? 0 : at->second;
}

std::uint64_t all_of(const std::map<Outcome, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [outcome, count] : counts) sum += count;
  return sum;
}

void count_now(const State& state, StatisticsReply& reply) {
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    const bool is_rest = record.array && !record.array->task;
    if (record.state == JobState::pending)
      reply.pending += is_rest ? record.array->waiting.size() : 1;
    else if (holds_resources(record.state)) ++reply.running;
    return true;
  });
}

}  // namespace

std::uint64_t count_backfilled(const View& view, const Plan& plan) {
  std::map<JobId, std::uint32_t> placed;  // of an array, so many of its tasks
  for (const Placement& placement : plan.placements) ++placed[placement.job];
  std::map<std::string, std::uint64_t> first_waiting;  // by partition, the highest priority
  std::map<JobId, std::uint64_t> priorities;
  for (const ClassView& of_class : view.classes)
    for (const PendingJob& job : of_class.heads) {
      const auto at = placed.find(job.id);
      if (at != placed.end()) priorities[job.id] = job.priority;
      if (at != placed.end() && at->second >= job.copies) continue;
      for (const JobShape& shape : *of_class.shapes) {
        std::uint64_t& first = first_waiting[shape.partition];
        first = std::max(first, job.priority);
      }
    }
  return static_cast<std::uint64_t>(std::count_if(
      plan.placements.begin(), plan.placements.end(), [&](const Placement& placement) {
        const auto first = first_waiting.find(placement.partition);
        return first != first_waiting.end() && priorities[placement.job] < first->second;
      }));
}

void Statistics::add(const PassFigures& pass, WallTime now) {
  PassStatistics& of_kind = pass.is_full ? full_ : quick_;
  const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, pass.took.count()));
  ++of_kind.count;
  of_kind.last_us = us;
  of_kind.max_us = std::max(of_kind.max_us, us);
  of_kind.total_us += us;
  of_kind.depth_last = of_kind.queue_last = pass.depth;
  of_kind.depth_total += pass.depth;
  of_kind.queue_total += pass.depth;
  of_kind.last_at = now;
  backfilled_ += pass.backfilled;
}

void Statistics::reset(const Totals& totals, const ServerTotals& server, WallTime now) {
  since_ = now;
  before_ = totals;
  requests_before_ = server.requests;
  quick_ = {};
  full_ = {};
  backfilled_before_ = backfilled_;
}

StatisticsReply Statistics::reply(const State& state, const ServerTotals& server,
                                  WallTime now) const {
  const Totals& totals = state.totals;
  const auto ended = [&](Outcome outcome) {
    return of(totals.ended, outcome) - of(before_.ended, outcome);
  };
  StatisticsReply reply;
  reply.as_of = now;
  reply.since = since_;
  reply.submitted = totals.submitted - before_.submitted;
  reply.started = totals.started - before_.started;
  reply.completed = ended(Outcome::completed);
  reply.cancelled = ended(Outcome::cancelled);
  reply.failed = all_of(totals.ended) - all_of(before_.ended) - reply.completed - reply.cancelled;
  count_now(state, reply);
  reply.orders_unanswered = state.unacknowledged.size();
  reply.backfilled = backfilled_;
  reply.backfilled_since_reset = backfilled_ - backfilled_before_;
  reply.quick = quick_;
  reply.full = full_;
  for (const auto& [message, count] : server.requests) {
    const auto before = requests_before_.find(message);
    const std::uint64_t since = count - (before == requests_before_.end() ? 0 : before->second);
    if (since > 0) reply.requests.push_back({std::string(message), since});
  }
  return reply;
}

}  // namespace sluice
