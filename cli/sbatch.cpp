// sbatch.cpp: `sbatch` and `sluice submit`: reads what is asked, submits it, prints the job's id.
// Nothing but the id goes to stdout: programs read it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/time_text.h"
#include "cli/listing/version.h"
#include "cli/print.h"
#include "cli/submit_line.h"
#include "common/options/submit_options.h"

namespace sluice {
namespace {

constexpr const char* usage_line =
    "Usage: {} [OPTIONS(0)...] [ : [OPTIONS(N)...]] script(0) [args(0)...]\n";

int fail_submit(std::string_view command, const SubmitJob& message, const Client& client,
                const Error& error) {
  for (const std::string& note : client.notes()) print_error(command, note);
  const std::string text = to_text(error);
  const bool stands_alone =
      error.code == ErrorCode::invalid_gres || error.code == ErrorCode::outcome_unknown;
  if (message.test_only) print_error(command, "allocation failure: " + text);
  else print_error(command, stands_alone ? text : "Batch job submission failed: " + text);
  return exit_code_of(error);
}

int report_test(std::string_view command, const SubmitReply& reply) {
  if (reply.planned.empty())
    return print_error(command, "the controller's answer to --test-only names no start"), 1;
  const PlannedStart& first = reply.planned.front();
  const std::string start = first.start ? TimeText().text(*first.start) : "Unknown";
  print_note(command, fmt::format("Job {} to start at {} using {} processors on nodes {} in "
                                  "partition {}",
                                  reply.job.value, start, first.cpus, first.nodes,
                                  first.partition));
  return 0;
}

bool report_job(const SubmitRequest& request, const SubmitReply& reply) {
  if (request.parsable)
    return print_result(request.cluster ? fmt::format("{};{}\n", reply.job.value, *request.cluster)
                                        : fmt::format("{}\n", reply.job.value));
  if (request.quiet) return true;
  const std::string where = request.cluster ? " on cluster " + *request.cluster : "";
  return print_result(fmt::format("Submitted batch job {}{}\n", reply.job.value, where));
}

// The job's own exit code; 1 where a signal or a limit ended it.
int exit_code_of_job(const JobEnd& end) {
  if (end.status.signal == 0 && end.status.code != 0) return static_cast<int>(end.status.code);
  return end.outcome == Outcome::completed && end.status.signal == 0 ? 0 : 1;
}

int wait_for_end(std::string_view command, Client& client, JobId job) {
  const Result<WaitReply> reply = client.call_and_wait<WaitReply>(WaitJob{job});
  if (reply.ok()) return exit_code_of_job(reply->end);
  print_error(command, reply.error());
  return exit_code_of(reply.error());
}

// A full queue is waited for, as long as Slurm's users are used to: two minutes in all.
Result<SubmitReply> submit_patiently(std::string_view command, const SubmitJob& message,
                                     Client& client) {
  constexpr unsigned retries_max = 15;
  for (unsigned retry = 0;; ++retry) {
    Result<SubmitReply> reply = client.call<SubmitReply>(message);
    const bool may_pass = !reply.ok() && reply.error().code == ErrorCode::job_limit_reached;
    if (!may_pass || message.test_only || retry == retries_max) return reply;
    if (retry == 0)
      print_error(command, fmt::format("Slurm temporarily unable to accept job, sleeping and "
                                       "retrying: {}",
                                       reply.error().detail));
    sleep(retry + 1);
  }
}

int submit(std::string_view command, const SubmitRequest& request, const SubmitJob& message) {
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return fail_submit_line(command, to_text(config.error()), 1);
  if (request.cluster && *request.cluster != config->cluster_name)
    return fail_submit_line(command, fmt::format("'{}' can't be reached now, or it is an invalid entry for "
                                     "--cluster; this cluster is '{}'",
                                     *request.cluster, config->cluster_name), 1);
  Client client(*config);
  const Result<SubmitReply> reply = submit_patiently(command, message, client);
  if (!reply.ok()) return fail_submit(command, message, client, reply.error());
  print_notes(request, command, reply->notes);
  if (message.test_only) return report_test(command, *reply);
  if (!report_job(request, *reply))
    print_error(command, fmt::format("job {} was submitted, but stdout cannot be written",
                                     reply->job.value));
  return request.wait ? wait_for_end(command, client, reply->job) : 0;
}

int print_about(std::string_view command, const SubmitRequest& request) {
  if (request.version) return print_result(std::string(version_line) + "\n") ? 0 : 1;
  const std::string usage = fmt::format(fmt::runtime(usage_line), command);
  return print_result(request.help ? usage + submit_help() : usage) ? 0 : 1;
}

}  // namespace

int run_sbatch(int argc, char** argv) {
  const std::string command = argv[0];
  SubmitLine line = read_submit_line(command, {argv + 1, argv + argc}, submit_text(argc, argv));
  if (line.exit_code) return *line.exit_code;
  if (line.is_about) return print_about(command, line.request);
  return submit(command, line.request, line.submission.message);
}

}  // namespace sluice
