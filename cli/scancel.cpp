// scancel.cpp: `scancel` and `sluice cancel`: ends or signals jobs. Silent unless something is wrong
// or -v asks; a job that is already over is not wrong, because ending it was the wish.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "cli/accounts_of_machine.h"
#include "cli/cancel_options.h"
#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/job_text.h"
#include "cli/listing/version.h"
#include "cli/print.h"
#include "cli/submission.h"

namespace sluice {
namespace {

constexpr const char* usage_line = "Usage: {} [OPTIONS] [job_id[_array_id][.step_id]]\n";
constexpr int exit_failed = 1;

int fail(std::string_view command, std::string_view text) {
  print_error(command, text);
  return exit_failed;
}

// Without ids and without a user, filters mean one's own jobs; root's mean everybody's.
Result<void> set_user(CancelRequest& request) {
  JobFilter& filter = request.message.filter;
  if (request.user) {
    const std::optional<std::uint32_t> uid = uid_of_user(*request.user);
    if (!uid)
      return Error{ErrorCode::invalid_argument, fmt::format("Invalid user name: {}", *request.user)};
    filter.uids = {*uid};
  } else if (request.own_jobs || (filter.jobs.empty() && geteuid() != 0)) {
    filter.uids = {getuid()};
  }
  return {};
}

bool names_nothing(const CancelRequest& request) {
  return request.message.filter.jobs.empty() && request.filters.empty() && !request.own_jobs;
}

std::string intent(const CancelJobs& message, std::string_view job) {
  if (!message.signal) return fmt::format("Terminating job {}", job);
  return fmt::format("Signal {} to {}job {}", *message.signal, message.batch_only ? "batch " : "",
                     job);
}

bool is_over(ErrorCode code) {
  return code == ErrorCode::invalid_job_id || code == ErrorCode::job_finished;
}

// Prints what is to be known of one job; the exit code it asks for.
int report(std::string_view command, const CancelRequest& request, const ActionAnswer& answer) {
  const bool verbose = request.verbose > 0;
  if (verbose) print_note(command, intent(request.message, answer.shown_id));
  if (!answer.error) return 0;
  const bool harmless = is_over(*answer.error) && !request.message.signal && !request.interactive;
  if (request.quiet && is_over(*answer.error)) return harmless ? 0 : exit_failed;
  if (harmless && !verbose) return 0;
  print_error(command, fmt::format("Kill job error on job id {}: {}", answer.shown_id,
                                   to_text(Error{*answer.error, answer.detail})));
  return harmless ? 0 : exit_failed;
}

int report_all(std::string_view command, const CancelRequest& request, const ActionReply& reply) {
  int code = 0;
  for (const ActionAnswer& answer : reply.answers)
    code = std::max(code, report(command, request, answer));
  if (!reply.answers.empty() || request.verbose == 0 || request.filters.empty()) return code;
  std::string filters;
  for (const std::string& filter : request.filters) filters += filter + " ";
  print_error(command, "No active jobs match ALL job filters, including: " + filters);
  return code;
}

int cancel(std::string_view command, const CancelRequest& request, Client& client) {
  const Result<ActionReply> reply = client.call<ActionReply>(request.message);
  if (reply.ok()) return report_all(command, request, *reply);
  print_error(command, reply.error());
  return exit_code_of(reply.error());
}

// True for a line that begins with y; the end of input is no.
bool ask(const std::string& question) {
  std::fputs(question.c_str(), stdout);
  std::fflush(stdout);
  char line[256];
  while (std::fgets(line, sizeof line, stdin)) {
    if (line[0] == 'y' || line[0] == 'Y') return true;
    if (line[0] == 'n' || line[0] == 'N') return false;
    std::fputs(question.c_str(), stdout);
    std::fflush(stdout);
  }
  return false;
}

int ask_and_cancel(std::string_view command, CancelRequest request, Client& client) {
  QueryJobs query;
  query.filter = request.message.filter;
  query.groups = {"names"};
  std::vector<JobInfo> jobs;
  std::vector<JobId> unknown;
  const Result<void> listed = client.call_parts<JobsReply>(query, [&](JobsReply&& part) {
    std::move(part.jobs.begin(), part.jobs.end(), std::back_inserter(jobs));
    unknown.insert(unknown.end(), part.unknown.begin(), part.unknown.end());
  });
  if (!listed.ok()) return print_error(command, listed.error()), exit_code_of(listed.error());
  int code = 0;
  for (JobId id : unknown)
    code = report(command, request, {id, fmt::format("{}", id.value), ErrorCode::invalid_job_id, ""});
  for (const JobInfo& job : jobs) {
    if (job.state == JobState::ended) continue;
    if (!ask(fmt::format("Cancel job_id={} name={} partition={} [y/n]? ",
                         shown_id(job.id, job.array), job.names.name, job.names.partition)))
      continue;
    request.message.filter.jobs = {selector_of(job)};
    code = std::max(code, cancel(command, request, client));
  }
  return code;
}

int print_about(std::string_view command, const CancelRequest& request) {
  if (request.version) return print_result(std::string(version_line) + "\n") ? 0 : exit_failed;
  std::string text = fmt::format(fmt::runtime(usage_line), command);
  if (request.help) text += cancel_help() + "\nHelp options:\n  --help, --usage\n";
  return print_result(text) ? 0 : exit_failed;
}

}  // namespace

int run_scancel(int argc, char** argv) {
  const std::string command = argv[0];
  Result<CancelRequest> request = parse_cancel({argv + 1, argv + argc}, environment_of_process());
  if (!request.ok() && request.error().code == ErrorCode::invalid_option)
    return print_usage_problem(command, request.error()), exit_failed;
  if (!request.ok()) return fail(command, request.error().detail);
  if (request->help || request->usage || request->version) return print_about(command, *request);
  if (names_nothing(*request)) return fail(command, "No job identification provided");
  const Result<void> user_known = set_user(*request);
  if (!user_known.ok()) return fail(command, user_known.error().detail);
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return fail(command, to_text(config.error()));
  if (request->cluster && *request->cluster != "all" && *request->cluster != config->cluster_name)
    return fail(command, fmt::format("'{}' is no cluster known here, only '{}' is",
                                     *request->cluster, config->cluster_name));
  Client client(*config);
  return request->interactive ? ask_and_cancel(command, *request, client)
                              : cancel(command, *request, client);
}

}  // namespace sluice
