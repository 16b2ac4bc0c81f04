// submit_line.cpp: see submit_line.h.
#include "cli/submit_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/listing/time_text.h"
#include "cli/print.h"
#include "common/base/clock.h"
#include "common/options/submit_options.h"

namespace sluice {

int fail_submit_line(std::string_view command, std::string_view text, int code) {
  print_error(command, text);
  return code;
}

void print_notes(const SubmitRequest& request, std::string_view command,
                 const std::vector<std::string>& notes) {
  if (request.quiet) return;
  for (const std::string& note : notes) print_note(command, note);
}

namespace {

// What getopt refuses is no "error:" of Slurm's.
int fail_usage(std::string_view command, const Error& error) {
  if (error.code != ErrorCode::invalid_option)
    return fail_submit_line(command, error.detail, exit_code_of_usage(error));
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
    return fail_submit_line(command, error.detail, 255);
  return fail_submit_line(command, to_text(error), 1);
}

const char* origin_text(OptionOrigin origin) {
  switch (origin) {
    case OptionOrigin::script:
      return "script";
    case OptionOrigin::environment:
      return "environment";
    case OptionOrigin::command_line:
      return "command line";
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
    const bool overridden = std::any_of(
        request.given.begin() + static_cast<std::ptrdiff_t>(i) + 1, request.given.end(),
        [&](const GivenOption& later) { return std::string_view(later.name) == given.name; });
    if (overridden) continue;
    print_note(command, fmt::format("{:<18}: {} ({})", given.name, shown_value(request, given),
                                    origin_text(given.origin)));
  }
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

int read_script(std::string_view command, ScriptSource script, const ParsedWords& parsed,
                std::string text, SubmitLine& line) {
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
  submission->message.spec.batch.submit_line = std::move(text);
  line.request = std::move(request).value();
  line.submission = std::move(submission).value();
  return 0;
}

}  // namespace

std::string submit_text(int argc, char** argv) {
  constexpr std::size_t bytes_max = 2048;
  std::string line;
  for (int i = 0; i < argc && line.size() <= bytes_max; ++i)
    line.append(i == 0 ? "" : " ").append(argv[i]);
  if (line.size() > bytes_max) line.replace(bytes_max, std::string::npos, "...");
  return line;
}

SubmitLine read_submit_line(std::string_view command, std::span<char* const> words,
                            std::string text) {
  SubmitLine line;
  const Result<ParsedWords> parsed =
      parse_words(submit_syntax(), {words.begin(), words.end()}, OperandRule::ends);
  if (!parsed.ok()) return line.exit_code = fail_usage(command, parsed.error()), line;
  SubmitRequest said;  // on the command line alone
  said.now_s = to_seconds(read_clocks().wall);
  const Result<void> applied = apply_words(said, *parsed);
  if (!applied.ok()) return line.exit_code = fail_usage(command, applied.error()), line;
  if (said.help || said.usage || said.version) {
    line.is_about = true;
    line.request = std::move(said);
    return line;
  }
  Result<ScriptSource> script = load_script(said.wrap, parsed->operands);
  if (!script.ok()) {
    line.exit_code = fail_submit_line(command, script.error().detail, 1);
    return line;
  }
  const int failed =
      read_script(command, std::move(script).value(), *parsed, std::move(text), line);
  if (failed != 0) line.exit_code = failed;
  return line;
}

}  // namespace sluice
