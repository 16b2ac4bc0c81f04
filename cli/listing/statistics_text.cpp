// statistics_text.cpp: Slurm's lines, which monitoring reads by how they begin: of passes in strict
// order first, then of those that plan ahead.
#include "cli/listing/statistics_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/listing/time_text.h"

namespace sluice {
namespace {

constexpr std::string_view stars = "*******************************************************\n";

std::string moment(WallTime time) {
  if (time == WallTime{}) return "N/A";
  return fmt::format("{} ({})", date_line(time), to_seconds(time));
}

std::uint64_t mean(std::uint64_t total, std::uint64_t count) {
  return count == 0 ? 0 : total / count;
}

std::uint64_t a_minute(std::uint64_t count, const StatisticsReply& r) {
  const auto minutes = std::max<std::int64_t>(1, (to_seconds(r.as_of) - to_seconds(r.since)) / 60);
  return count / static_cast<std::uint64_t>(minutes);
}

std::string head(const StatisticsReply& r) {
  return fmt::format(
      "{0}sdiag output at {1}\nData since      {2}\n{0}"
      "Server thread count:  {3}\nAgent queue size:     {4}\nAgent count:          {4}\n"
      "Agent thread count:   0\nDBD Agent queue size: {5}\n\n",
      stars, moment(r.as_of), moment(r.since), r.connections, r.orders_unanswered, r.rows_waiting);
}

std::string jobs(const StatisticsReply& r) {
  return fmt::format(
      "Jobs submitted: {}\nJobs started:   {}\nJobs completed: {}\nJobs canceled:  {}\n"
      "Jobs failed:    {}\n\nJob states ts:  {}\nJobs pending:   {}\nJobs running:   {}\n\n",
      r.submitted, r.started, r.completed, r.cancelled, r.failed, moment(r.as_of), r.pending,
      r.running);
}

std::string strict_passes(const StatisticsReply& r) {
  const PassStatistics& p = r.quick;
  return fmt::format(
      "Main schedule statistics (microseconds):\n\tLast cycle:   {}\n\tMax cycle:    {}\n"
      "\tTotal cycles: {}\n\tMean cycle:   {}\n\tMean depth cycle:  {}\n"
      "\tCycles per minute: {}\n\tLast queue length: {}\n\n",
      p.last_us, p.max_us, p.count, mean(p.total_us, p.count), mean(p.depth_total, p.count),
      a_minute(p.count, r), p.queue_last);
}

std::string full_passes(const StatisticsReply& r) {
  const PassStatistics& p = r.full;
  return fmt::format(
      "Backfilling stats\n"
      "\tTotal backfilled jobs (since last slurm start): {}\n"
      "\tTotal backfilled jobs (since last stats cycle start): {}\n"
      "\tTotal backfilled heterogeneous job components: 0\n"
      "\tTotal cycles: {}\n\tLast cycle when: {}\n\tLast cycle: {}\n\tMax cycle:  {}\n"
      "\tMean cycle: {}\n\tLast depth cycle: {}\n\tLast depth cycle (try sched): {}\n"
      "\tDepth Mean: {}\n\tDepth Mean (try depth): {}\n\tLast queue length: {}\n"
      "\tQueue length mean: {}\n\n",
      r.backfilled, r.backfilled_since_reset, p.count, moment(p.last_at), p.last_us, p.max_us,
      mean(p.total_us, p.count), p.depth_last, p.depth_last, mean(p.depth_total, p.count),
      mean(p.depth_total, p.count), p.queue_last, mean(p.queue_total, p.count));
}

std::string requests(const StatisticsReply& r, const StatisticsOrder& order) {
  std::vector<RequestCount> counts = r.requests;
  std::sort(counts.begin(), counts.end(), [&](const RequestCount& a, const RequestCount& b) {
    if (!order.by_message && a.count != b.count) return a.count > b.count;
    return a.message < b.message;
  });
  std::string out = "Remote Procedure Call statistics by message type\n";
  for (const RequestCount& row : counts)
    out += fmt::format("\t{:<40} count:{}\n", row.message, row.count);
  return out;
}

}  // namespace

std::string statistics_text(const StatisticsReply& r, const StatisticsOrder& order) {
  return head(r) + jobs(r) + strict_passes(r) + full_passes(r) + requests(r, order);
}

}  // namespace sluice
