// account_filter.h: what sacct filters by after the answer has come: few ask for it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/listing/job_text.h"

namespace sluice {

struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
};
// "2" or "2-4".
std::optional<NumberRange> parse_number_range(std::string_view text);

// All that is said must hold.
struct AccountFilter {
  std::optional<NumberRange> cpus;
  std::optional<NumberRange> nodes;
  std::optional<TimeLimit> limit_min;  // alone: this limit exactly, as in Slurm
  std::optional<TimeLimit> limit_max;
  std::vector<std::string> constraints;
  std::vector<std::string> reservations;
};
bool passes(const AccountFilter& filter, const JobInfo& job, const ListingContext& context);
// Members of a record that it reads, divided by blanks.
std::string_view groups_of(const AccountFilter& filter);

// As if nothing had happened outside of the window. `as_of` is the end of what still runs.
void truncate_times(std::optional<WallTime> since, std::optional<WallTime> until, WallTime as_of,
                    JobInfo& job);

}  // namespace sluice
