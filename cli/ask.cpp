// ask.cpp: the questions of the listing commands.
#include "cli/ask.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/listing/job_list.h"
#include "cli/print.h"
#include "common/base/clock.h"

namespace sluice {

Result<JobsAnswer> ask_jobs(Client& client, const QueryJobs& query) {
  JobsAnswer answer;
  const Result<void> asked = client.call_parts<JobsReply>(query, [&](JobsReply&& part) {
    answer.as_of = part.as_of;
    answer.unknown.insert(answer.unknown.end(), part.unknown.begin(), part.unknown.end());
    std::move(part.jobs.begin(), part.jobs.end(), std::back_inserter(answer.jobs));
  });
  if (!asked.ok()) return asked.error();
  narrow_to_selected(answer.jobs, query.filter.jobs);
  return answer;
}

int fail_load(const char* what, const Error& error) {
  const std::string text = fmt::format("{} error: {}\n", what, to_text(error));
  std::fwrite(text.data(), 1, text.size(), stderr);
  return exit_code_of(error);
}

ListingContext context_of(const ClusterConfig& config) {
  ListingContext context;
  context.as_of = read_clocks().wall;
  if (const char* format = std::getenv("SLURM_TIME_FORMAT")) context.times = TimeText(format);
  context.cluster = config.cluster_name;
  context.user_name = user_name_of;
  context.group_name = group_name_of;
  return context;
}

Result<void> check_cluster(const std::string& asked, const ClusterConfig& config) {
  if (asked.empty() || asked == "all" || asked == config.cluster_name) return {};
  return Error{ErrorCode::invalid_argument,
               fmt::format("No cluster '{}' is known here, only '{}'", asked, config.cluster_name)};
}

}  // namespace sluice
