// explain.cpp: the controller's own account of why a job waits, or how it ended, in words: `sluice
// why`.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/account_of.h"
#include "daemon/core/listing.h"
#include "daemon/core/priority.h"
#include "daemon/core/select.h"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

std::int64_t minutes_up(Duration time) {
  return std::max<std::int64_t>(std::chrono::ceil<std::chrono::minutes>(time).count(), 0);
}

std::string holder_text(const ResourceHolder& holder, WallTime as_of) {
  const std::string text = fmt::format("  job {} of {} holds {} cpus on {}", holder.job,
                                       holder.user, holder.cpus, holder.nodes);
  if (!holder.until) return text + ", without a time limit";
  return text + fmt::format(", at most until {} (in {} min)", utc_text(*holder.until),
                            minutes_up(*holder.until - as_of));
}

// What its priority is made of; empty where the site's rule has no parts.
std::string parts_of_priority(const JobRecord& record, const Ranking& ranking) {
  const PriorityConfig& config = ranking.config->priority;
  if (record.hold != Hold::none) return {};
  if (record.priority_asked)
    return fmt::format("priority {}: given by an administrator", *record.priority_asked);
  if (!config.multifactor) return {};
  const std::string& partition = partition_of_priority(ranking, record);
  const PriorityFactors factors = factors_of(ranking, record, partition);
  const PriorityWeights& weights = config.weights;
  struct Part {
    std::string name;
    double factor;
    double weight;
  };
  std::vector<Part> parts{{"age", factors.age, 1.0 * weights.age},
                          {"association", factors.association, 1.0 * weights.association},
                          {"fair share", factors.fair_share, 1.0 * weights.fair_share},
                          {"job size", factors.job_size, 1.0 * weights.job_size},
                          {"partition " + partition, factors.partition, 1.0 * weights.partition},
                          {"QOS", factors.qos, 1.0 * weights.qos}};
  for (const TresFactor& tres : factors.tres)
    parts.push_back(
        {tres.tres, tres.factor, static_cast<double>(count_of(weights.tres, tres.tres))});
  std::string text;
  for (const Part& part : parts)
    if (part.weight > 0)
      text += fmt::format("{}{} {:.1f} ({:.4f} of {})", text.empty() ? " = " : " + ", part.name,
                          part.factor * part.weight, part.factor, part.weight);
  if (record.nice != 0) text += fmt::format(" - nice {}", record.nice);
  return fmt::format("priority {}{}, as of {}", priority_of(ranking, record), text,
                     utc_text(ranking.as_of));
}

void explain_partitions(const JobEntry& entry, const WhyJob& job, const Snapshot& snapshot,
                        WallTime as_of, Lines& lines) {
  for (const PartitionStanding& row : job.partitions) {
    if (row.closed != Reason::None) {
      lines.push_back(fmt::format("not in line of partition {}: {}: {}", row.partition,
                                  enum_name(row.closed), row.closed_detail));
      continue;
    }
    if (row.holders_count > 0)
      lines.push_back(fmt::format("{} jobs hold nodes of partition {}; the first to end:",
                                  row.holders_count, row.partition));
    for (const ResourceHolder& holder : row.holders) lines.push_back(holder_text(holder, as_of));
    lines.push_back(fmt::format("place in line of partition {}: {} (priority {})", row.partition,
                                row.place, job.wait.priority));
  }
  if (job.partitions.empty()) return;
  if (const std::string parts = parts_of_priority(entry.record, *snapshot.ranking); !parts.empty())
    lines.push_back(parts);
}

// Others were told to end for it.
void explain_claim(const JobRecord& record, Lines& lines) {
  for (const Claim& claim : record.claims) {
    std::string victims;
    for (const RunId& id : claim.victims)
      victims += fmt::format("{}{}", victims.empty() ? "" : ", ", id.job.value);
    lines.push_back(
        fmt::format("it starts when jobs {} are gone, which were told to end for it: by "
                    "{} at the latest",
                    victims, utc_text(claim.free_by)));
  }
}

// What was foretold against what came of it.
void explain_forecast(const WhyJob& job, Lines& lines) {
  if (!job.times.forecast) return;
  const Forecast& first = *job.times.forecast;
  const bool has_started = job.state != JobState::pending && job.times.started;
  const std::optional<WallTime> now_said = has_started ? job.times.started : job.wait.planned_start;
  std::string text = fmt::format("first foreseen to start at {}, as of {}", utc_text(first.start),
                                 utc_text(first.made_at));
  if (now_said) {
    const auto late =
        std::chrono::duration_cast<std::chrono::seconds>(*now_said - first.start).count();
    if (late == 0) text += has_started ? "; it did" : "; that holds";
    else
      text += fmt::format("; {} {} min {}", has_started ? "it started" : "that moved by",
                          (std::abs(late) + 59) / 60, late > 0 ? "later" : "earlier");
  }
  lines.push_back(std::move(text));
}

void explain_changes(const WhyJob& job, WallTime as_of, Lines& lines) {
  if (job.changes.empty()) return;
  lines.emplace_back("what would start it now or much earlier; each was planned:");
  for (const SmallChange& change : job.changes) {
    const PlannedStart& planned = change.planned;
    const std::string when = change.starts_now
                                 ? "now"
                                 : fmt::format("at {} (in {} min)", utc_text(*planned.start),
                                               minutes_up(*planned.start - as_of));
    const std::string how = change.update.empty() ? "cancel it and submit it anew"
                                                  : fmt::format("scontrol update job {} {}",
                                                                job.shown_id, change.update);
    lines.push_back(fmt::format("  {}: it would start {} on {}, partition {} ({})", change.option,
                                when, planned.nodes, planned.partition, how));
  }
}

void explain_wait(const JobEntry& entry, const WhyJob& job, const Snapshot& snapshot,
                  WallTime as_of, Lines& lines) {
  const JobWait& wait = job.wait;
  if (wait.reason == Reason::None && entry.record.claims.empty())
    lines.emplace_back("reason: the planner has not looked at it yet");
  else
    lines.push_back(
        fmt::format("reason: {}{}{}",
                    wait.reason_limit.empty() ? enum_name(wait.reason) : wait.reason_limit.c_str(),
                    wait.reason_detail.empty() ? "" : ": ", wait.reason_detail));
  explain_claim(entry.record, lines);
  for (const LimitStanding& limit : job.limits)
    lines.push_back(fmt::format("limit {} of {}: {} of {} in use, {} asked", limit.limit,
                                limit.owner, limit.used, limit.allowed, limit.asked));
  if (wait.planned_start)
    lines.push_back(fmt::format("planned to start at {} on {}, by the time limits of what runs",
                                utc_text(*wait.planned_start), wait.planned_nodes));
  for (const PartitionStanding& row : job.partitions)
    for (const RuledOut& out : row.ruled_out)
      lines.push_back(fmt::format("  {} nodes ruled out: {}", out.nodes, out.filter));
  explain_partitions(entry, job, snapshot, as_of, lines);
  explain_forecast(job, lines);
  explain_changes(job, as_of, lines);
}

void explain_end(const JobEntry& entry, Lines& lines) {
  const JobEnd& end = *entry.record.end;
  lines.push_back(fmt::format("exit code {}, signal {}", end.status.code, end.status.signal));
  if (end.cause.kind != CauseKind::none)
    lines.push_back(fmt::format("cause: {}: {}", enum_name(end.cause.kind), end.cause.text));
}

}  // namespace

WhyReply explain(const Snapshot& snapshot, const QueryWhy& query, WallTime as_of) {
  constexpr std::size_t changed_max = 1;  // looking for changes costs a few passes
  WhyReply reply;
  reply.as_of = as_of;
  Lines& lines = reply.lines;
  std::size_t changed = 0;
  const JobFilter filter{.jobs = {query.job}};
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (!matches(entry, filter)) return true;
    const JobRecord& record = entry.record;
    const bool waits = record.state == JobState::pending;
    const WhyJob job = account_of(snapshot, entry, waits && changed < changed_max);
    if (waits) ++changed;
    lines.push_back(fmt::format("job {} ({}) is {}", job.shown_id, job.name,
                                state_word(record.state, record.end, record.special_exit)));
    if (waits) explain_wait(entry, job, snapshot, as_of, lines);
    else explain_forecast(job, lines);
    if (record.state == JobState::ended) explain_end(entry, lines);
    for (const RunPart& part : record.parts)
      if (record.state != JobState::ended)
        lines.push_back(fmt::format("on node {}: {}", part.node, enum_name(part.state)));
    reply.jobs.push_back(job);
    return true;
  });
  return reply;
}

}  // namespace sluice
