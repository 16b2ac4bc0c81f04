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
#include "cli/submission.h"
#include "common/base/clock.h"
#include "common/options/submit_options.h"

namespace sluice {
namespace {

constexpr const char* usage_line =
    "Usage: {} [OPTIONS(0)...] [ : [OPTIONS(N)...]] script(0) [args(0)...]\n";

int fail(std::string_view command, std::string_view text, int code) {
  print_error(command, text);
  return code;
}

// What getopt refuses is no "error:" of Slurm's.
int fail_usage(std::string_view command, const Error& error) {
  if (error.code != ErrorCode::invalid_option)
    return fail(command, error.detail, exit_code_of_usage(error));
  print_usage_problem(command, error);
  return exit_code_of_usage(error);
}

int fail_settling(std::string_view command, const Error& error) {
  if (error.code != ErrorCode::invalid_memory) return fail_usage(command, error);
  print_note(command, "fatal: " + error.detail);
  return 1;
}

int fail_submission(std::string_view command, const Error& error) {
  if (error.code == ErrorCode::access_denied || error.code == ErrorCode::unknown_user)
    return fail(command, error.detail, 255);
  return fail(command, to_text(error), 1);
}

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

void print_notes(const SubmitRequest& request, std::string_view command,
                 const std::vector<std::string>& notes) {
  if (request.quiet) return;
  for (const std::string& note : notes) print_note(command, note);
}

const char* origin_text(OptionOrigin origin) {
  switch (origin) {
    case OptionOrigin::script: return "script";
    case OptionOrigin::environment: return "environment";
    case OptionOrigin::command_line: return "command line";
  }
  return "";
}

// Times in the form that scontrol shows, the count of -v, all else as it was given.
std::string shown_value(const SubmitRequest& request, const GivenOption& given) {
  const std::string_view name = given.name;
  if (name == "verbose") return fmt::format("{}", request.verbose);
  if (name != "time") return given.value.empty() ? "set" : given.value;
  std::string text;
  append_long_limit(*request.spec.start.time_limit, text);
  return text;
}

// The last word on each option, with who said it.
void print_given(const SubmitRequest& request, std::string_view command) {
  for (std::size_t i = 0; i < request.given.size(); ++i) {
    const GivenOption& given = request.given[i];
    const bool overridden =
        std::any_of(request.given.begin() + static_cast<std::ptrdiff_t>(i) + 1, request.given.end(),
                    [&](const GivenOption& later) {
                      return std::string_view(later.name) == given.name;
                    });
    if (overridden) continue;
    print_note(command, fmt::format("{:<18}: {} ({})", given.name, shown_value(request, given),
                                    origin_text(given.origin)));
  }
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
  if (!config.ok()) return fail(command, to_text(config.error()), 1);
  if (request.cluster && *request.cluster != config->cluster_name)
    return fail(command, fmt::format("'{}' can't be reached now, or it is an invalid entry for "
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

// Options of script, environment and command line, the later ones the stronger. Notes are printed.
Result<SubmitRequest> gather(const ScriptSource& script, const ParsedWords& parsed,
                             std::vector<std::string>& hints) {
  SubmitRequest request;
  request.now_s = to_seconds(read_clocks().wall);
  if (!script.is_wrapped) hints = TRY(apply_script(request, script.bytes, script.label));
  TRY(apply_environment(request, environment_of_process()));
  TRY(apply_words(request, parsed));
  return request;
}

// For accounting; of a line with a program inside (--wrap) the beginning is enough.
std::string submit_line(int argc, char** argv) {
  constexpr std::size_t bytes_max = 2048;
  std::string line;
  for (int i = 0; i < argc && line.size() <= bytes_max; ++i)
    line.append(i == 0 ? "" : " ").append(argv[i]);
  if (line.size() > bytes_max) line.replace(bytes_max, std::string::npos, "...");
  return line;
}

int submit_script(std::string_view command, ScriptSource script, const ParsedWords& parsed,
                  std::string line) {
  std::vector<std::string> hints;
  Result<SubmitRequest> request = gather(script, parsed, hints);
  if (!request.ok()) return fail_usage(command, request.error());
  print_notes(*request, command, hints);
  print_notes(*request, command, request->notes);
  const Result<std::vector<std::string>> settled = settle(*request);
  if (!settled.ok()) return fail_settling(command, settled.error());
  print_notes(*request, command, *settled);
  if (request->verbose > 0) print_given(*request, command);
  Result<Submission> submission = make_submission(*request, std::move(script));
  if (!submission.ok()) return fail_submission(command, submission.error());
  print_notes(*request, command, submission->notes);
  submission->message.spec.batch.submit_line = std::move(line);
  return submit(command, *request, submission->message);
}

int print_about(std::string_view command, const SubmitRequest& request) {
  if (request.version) return print_result(std::string(version_line) + "\n") ? 0 : 1;
  const std::string usage = fmt::format(fmt::runtime(usage_line), command);
  return print_result(request.help ? usage + submit_help() : usage) ? 0 : 1;
}

}  // namespace

int run_sbatch(int argc, char** argv) {
  const std::string command = argv[0];
  const Result<ParsedWords> parsed =
      parse_words(submit_syntax(), {argv + 1, argv + argc}, OperandRule::ends);
  if (!parsed.ok()) return fail_usage(command, parsed.error());
  SubmitRequest said;  // on the command line alone
  said.now_s = to_seconds(read_clocks().wall);
  const Result<void> applied = apply_words(said, *parsed);
  if (!applied.ok()) return fail_usage(command, applied.error());
  if (said.help || said.usage || said.version) return print_about(command, said);
  Result<ScriptSource> script = load_script(said.wrap, parsed->operands);
  if (!script.ok()) return fail(command, script.error().detail, 1);
  return submit_script(command, std::move(script).value(), *parsed, submit_line(argc, argv));
}

}  // namespace sluice
