// watch_options.cpp: see watch_options.h.
#include "cli/watch_options.h"

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/listing/selectors.h"
#include "common/options/text.h"

namespace sluice {
namespace {

Result<void> set_since(WatchOptions& options, std::string_view value) {
  options.wanted.token = value == "start" ? "0" : std::string(value);
  return {};
}

Result<void> add_jobs(WatchOptions& options, std::string_view value) {
  for (JobSelector& job : TRY(parse_job_selectors(std::string(value))))
    options.wanted.jobs.push_back(std::move(job));
  return {};
}

Result<void> add_users(WatchOptions& options, std::string_view value) {
  for (std::string_view name : split(value, ',')) {
    const auto uid = uid_of_user(std::string(name));
    if (!uid) return Error{ErrorCode::unknown_user, fmt::format("Invalid user: {}", name)};
    options.wanted.uids.push_back(*uid);
  }
  return {};
}

Result<void> add_kinds(WatchOptions& options, std::string_view value) {
  for (std::string_view kind : split(value, ',')) options.wanted.kinds.emplace_back(kind);
  return {};
}

Result<void> set_count(WatchOptions& options, std::string_view value) {
  const auto count = parse_number(value);
  if (!count || *count == 0)
    return Error{ErrorCode::invalid_argument, fmt::format("--count: '{}' is no positive number", value)};
  options.count = *count;
  return {};
}

Result<void> set_no_wait(WatchOptions& options, std::string_view) {
  options.wanted.wait = false;
  return {};
}

using enum ArgumentKind;
constexpr OptionRow<WatchOptions> rows[] = {
    {"since", 0, required, nullptr, set_since,
     "go on behind the event of this token; `start`: from the first one"},
    {"jobs", 'j', required, nullptr, add_jobs, "events of these jobs and arrays only"},
    {"user", 'u', required, nullptr, add_users, "events of these users' jobs only"},
    {"events", 'e', required, nullptr, add_kinds,
     "events of these kinds only, such as job_submitted,run_started,job_ended"},
    {"count", 'n', required, nullptr, set_count, "end after so many events"},
    {"no-wait", 0, none, nullptr, set_no_wait, "print what there is since the token, and end"},
};

}  // namespace

std::span<const OptionRow<WatchOptions>> watch_rows() { return rows; }

}  // namespace sluice
