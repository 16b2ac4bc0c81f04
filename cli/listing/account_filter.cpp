// account_filter.cpp: conditions on records of accounting.
#include "cli/listing/account_filter.h"

#include <algorithm>

#include "cli/listing/account_text.h"
#include "cli/listing/job_columns.h"
#include "common/options/text.h"

namespace sluice {
namespace {

bool holds(const std::optional<NumberRange>& range, std::uint64_t value) {
  return !range || (range->first <= value && value <= range->last);
}

std::uint64_t minutes_of(const TimeLimit& limit) {
  return limit.unlimited ? UINT64_MAX : limit.minutes;
}

bool limit_fits(const AccountFilter& filter, const JobInfo& job) {
  const std::uint64_t minutes = minutes_of(limit_of(job));
  if (filter.limit_min && !filter.limit_max) return minutes == minutes_of(*filter.limit_min);
  return (!filter.limit_min || minutes >= minutes_of(*filter.limit_min)) &&
         (!filter.limit_max || minutes <= minutes_of(*filter.limit_max));
}

// Names within the text of a constraint: "a&b|c*2".
bool names_one_of(std::string_view constraint, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto is_part = [](char c) {
      return std::string_view("&|,*()[]").find(c) == std::string_view::npos;
    };
    for (std::size_t at = constraint.find(name); at != std::string_view::npos;
         at = constraint.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool begins = at == 0 || !is_part(constraint[at - 1]);
      if (begins && (end == constraint.size() || !is_part(constraint[end]))) return true;
    }
    return false;
  });
}

}  // namespace

std::optional<NumberRange> parse_number_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return NumberRange{*first, *last};
}

bool passes(const AccountFilter& filter, const JobInfo& job, const ListingContext& context) {
  const TresAmounts held = tres_held_by(job, false);
  if (!holds(filter.cpus, held.cpus) || !holds(filter.nodes, held.nodes)) return false;
  if (!filter.reservations.empty() &&
      !names_one_of(job_column_value(job, "reservation", context), filter.reservations))
    return false;
  if (!filter.constraints.empty() &&
      !names_one_of(job_column_value(job, "feature", context), filter.constraints))
    return false;
  return limit_fits(filter, job);
}

std::string_view groups_of(const AccountFilter& filter) {
  const bool asks = filter.cpus || filter.nodes || filter.limit_min || filter.limit_max ||
                    !filter.constraints.empty() || !filter.reservations.empty();
  return asks ? "asked allocation" : "";
}

void truncate_times(std::optional<WallTime> since, std::optional<WallTime> until, WallTime as_of,
                    JobInfo& job) {
  if (!job.times.started) return;
  const WallTime end = job.times.ended.value_or(as_of);
  const WallTime first = since ? std::max(*job.times.started, *since) : *job.times.started;
  const WallTime last = until ? std::min(end, *until) : end;
  if (first == *job.times.started && last == end) return;
  job.times.started = first;
  if (job.times.ended || last < end) job.times.ended = last;
  job.times.elapsed = std::max(Duration{}, std::chrono::duration_cast<Duration>(last - first));
}

}  // namespace sluice
