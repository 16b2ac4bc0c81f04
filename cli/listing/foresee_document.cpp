// foresee_document.cpp: see foresee_document.h.
#include "cli/listing/foresee_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/listing/time_text.h"

namespace sluice {
namespace {

void moment(Document& document, std::string_view name, const std::optional<WallTime>& time) {
  if (time) document.number(name, to_seconds(*time));
  else document.null(name);
}

void words_or_null(Document& document, std::string_view name, Reason reason) {
  document.text_or_null(name, reason == Reason::None ? "" : enum_name(reason));
}

void write_start(const PlannedStart& planned, Document& document) {
  document.text("partition", planned.partition);
  document.text_or_null("reservation", planned.reservation);
  moment(document, "start", planned.start);
  document.text_or_null("nodes", planned.nodes);
  document.number("node_count", planned.node_count);
  document.number("cpus", planned.cpus);
  const bool is_endless = !planned.time_limit || planned.time_limit->unlimited;
  document.amount(
      "time_limit_minutes",
      is_endless ? std::nullopt : std::optional<std::uint64_t>(planned.time_limit->minutes),
      is_endless);
  words_or_null(document, "reason", planned.reason);
  document.text_or_null("detail", planned.detail);
}

void write_changes(const std::vector<SmallChange>& changes, Document& document) {
  document.begin_list("changes");
  for (const SmallChange& change : changes) {
    document.begin_object();
    document.text("option", change.option);
    document.text_or_null("update", change.update);
    document.flag("starts_now", change.starts_now);
    write_start(change.planned, document);
    document.end_object();
  }
  document.end_list();
}

void write_partition(const PartitionStanding& row, Document& document) {
  document.begin_object();
  document.text("partition", row.partition);
  words_or_null(document, "closed", row.closed);
  document.text_or_null("closed_detail", row.closed_detail);
  if (row.place > 0) document.number("place", row.place);
  else document.null("place");
  document.number("nodes", row.nodes);
  document.begin_list("ruled_out");
  for (const RuledOut& out : row.ruled_out) {
    document.begin_object();
    document.text("filter", out.filter);
    document.number("nodes", out.nodes);
    document.end_object();
  }
  document.end_list();
  document.number("holders_count", row.holders_count);
  document.begin_list("holders");
  for (const ResourceHolder& holder : row.holders) {
    document.begin_object();
    document.text("job", holder.job);
    document.text("user", holder.user);
    document.number("cpus", holder.cpus);
    document.text("nodes", holder.nodes);
    moment(document, "until", holder.until);
    document.end_object();
  }
  document.end_list();
  document.end_object();
}

void write_limits(const std::vector<LimitStanding>& limits, Document& document) {
  document.begin_list("limits");
  for (const LimitStanding& limit : limits) {
    document.begin_object();
    document.text("limit", limit.limit);
    document.text("owner", limit.owner);
    document.number("used", limit.used);
    document.number("asked", limit.asked);
    document.number("allowed", limit.allowed);
    document.end_object();
  }
  document.end_list();
}

void write_job(const WhyJob& job, Document& document) {
  document.begin_object();
  document.number("job_id", job.id.value);
  document.text("shown_id", job.shown_id);
  document.text("name", job.name);
  document.text("state", enum_name(job.state));
  words_or_null(document, "reason", job.wait.reason);
  document.text_or_null("limit", job.wait.reason_limit);
  document.text_or_null("detail", job.wait.reason_detail);
  document.number("priority", job.wait.priority);
  moment(document, "planned_start", job.wait.planned_start);
  document.text_or_null("planned_nodes", job.wait.planned_nodes);
  moment(document, "started", job.times.started);
  const std::optional<Forecast>& forecast = job.times.forecast;
  moment(document, "forecast_start", forecast ? std::optional(forecast->start) : std::nullopt);
  moment(document, "forecast_made_at", forecast ? std::optional(forecast->made_at) : std::nullopt);
  document.begin_list("partitions");
  for (const PartitionStanding& row : job.partitions) write_partition(row, document);
  document.end_list();
  write_limits(job.limits, document);
  write_changes(job.changes, document);
  document.end_object();
}

// --- text

constexpr std::size_t plan_columns = 8;
using Cells = std::array<std::string, plan_columns>;

std::string wait_text(WallTime start, WallTime as_of) {
  std::string text;
  const Duration wait = std::max(start - as_of, Duration{});
  append_short_duration(std::chrono::ceil<std::chrono::seconds>(wait).count(), text);
  return text;
}

Cells cells_of(const PlannedStart& row, WallTime as_of, const ListingContext& context) {
  std::string limit;
  append_short_limit(row.time_limit.value_or(TimeLimit{.unlimited = true}), limit);
  return {row.partition,
          row.start ? context.times.text(*row.start) : "Unknown",
          row.start ? wait_text(*row.start, as_of) : "Unknown",
          fmt::format("{}", row.node_count),
          row.nodes.empty() ? "(none)" : row.nodes,
          fmt::format("{}", row.cpus),
          limit,
          row.reason == Reason::None ? "None"
                                     : fmt::format("{}{}{}", enum_name(row.reason),
                                                   row.detail.empty() ? "" : ": ", row.detail)};
}

}  // namespace

void write_why(const WhyReply& reply, Document& document) {
  document.number("as_of", to_seconds(reply.as_of));
  document.begin_list("jobs");
  for (const WhyJob& job : reply.jobs) write_job(job, document);
  document.end_list();
}

void write_plan(const PlanReply& reply, Document& document) {
  document.number("as_of", to_seconds(reply.as_of));
  document.begin_list("planned");
  for (const PlannedStart& planned : reply.planned) {
    document.begin_object();
    write_start(planned, document);
    document.end_object();
  }
  document.end_list();
  write_changes(reply.changes, document);
}

std::string plan_text(const PlanReply& reply, const ListingContext& context) {
  std::vector<Cells> rows{
      {"PARTITION", "START", "WAIT", "NODES", "NODELIST", "CPUS", "TIMELIMIT", "REASON"}};
  for (const PlannedStart& planned : reply.planned)
    rows.push_back(cells_of(planned, reply.as_of, context));
  std::array<std::size_t, plan_columns> widths{};
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < plan_columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i + 1 < plan_columns; ++i)
      text += fmt::format("{:<{}} ", row[i], widths[i]);
    text += row.back() + "\n";
  }
  if (!reply.changes.empty()) text += "What would start it earlier; each was planned:\n";
  for (const SmallChange& change : reply.changes)
    text += fmt::format("  {}: {} on {}, partition {}\n", change.option,
                        change.starts_now
                            ? "now"
                            : fmt::format("in {}", wait_text(*change.planned.start, reply.as_of)),
                        change.planned.nodes, change.planned.partition);
  return text;
}

}  // namespace sluice
