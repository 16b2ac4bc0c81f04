// target_script.cpp: batch scripts: what is refused or pointed at stands in a line that exists, and
// what was understood, written again as #SBATCH lines, is understood as the same job.
#include <fmt/format.h>

#include <algorithm>

#include "common/options/script.h"
#include "common/options/submit_options.h"
#include "common/wire/message_codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

constexpr std::string_view file = "job.sh";

bool is_line(std::string_view script, std::size_t line) {
  return line >= 1 && line <= lines_of(script).size();
}

void check_directives(std::string_view script, const ScriptDirectives& read) {
  const std::vector<std::string_view> lines = lines_of(script);
  std::size_t before = 0;
  for (const Directive& directive : read.directives) {
    require(directive.line > before && directive.line <= lines.size(), "directives stand in order");
    require(lines[directive.line - 1].starts_with("#SBATCH"),
            "a directive stands where it is said");
    before = directive.line;
    for (const OptionValue& word : directive.words)
      require(word.text.size() == word.quoted.size(),
              "every character knows whether it was quoted");
  }
  require(read.foreign_line <= lines.size(), "a foreign line exists");
  for (const std::string& hint : read.hints)
    require(is_line(script, line_named(hint, file)), "a hint names a line that exists", hint);
}

// None of the words was cut short on its way through getopt.
void check_whole(const ScriptDirectives& read) {
  for (const Directive& directive : read.directives)
    for (const OptionValue& word : directive.words)
      require(word.text.find('\0') == std::string::npos, "no word is understood in part",
              word.text);
}

void check_refusal(std::string_view script, const Error& error) {
  require(error.code != ErrorCode::internal, "a refusal has a reason", to_text(error));
  if (error.code == ErrorCode::script_empty) return;
  require(is_line(script, line_named(error.detail, file)), "a refusal names a line that exists",
          error.detail);
}

// In single quotes, a quote by itself in double ones.
std::string quoted(std::string_view word) {
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return text + "'";
}

std::string written(const SubmitRequest& request) {
  std::string script = "#!/bin/sh\n";
  for (const GivenOption& given : request.given) {
    script += fmt::format("#SBATCH --{}", given.name);
    if (!given.value.empty()) script += "=" + quoted(given.value);
    script += '\n';
  }
  return script;
}

// Marks of quotes decide where --export is cut; an empty value is written as none.
bool can_be_written(const SubmitRequest& request) {
  return std::none_of(request.given.begin(), request.given.end(), [](const GivenOption& given) {
    const auto row =
        std::find_if(submit_options().begin(), submit_options().end(),
                     [&](const SubmitOption& option) { return option.syntax.name == given.name; });
    const bool lacks_value = given.value.empty() && row->syntax.argument == ArgumentKind::required;
    return lacks_value || std::string_view(given.name) == "export";
  });
}

void check_request(SubmitRequest request) {
  if (can_be_written(request)) {
    SubmitRequest again;
    const std::string script = written(request);
    const auto applied = apply_script(again, script, file);
    require(applied.ok(), "what was understood can be written again", script);
    require(again.spec == request.spec, "a script written again asks for the same job", script);
  }
  const auto settled = settle(request);
  if (!settled.ok()) require(!settled.error().detail.empty(), "a contradiction is told");
  const auto decoded = from_bytes<JobSpec>(to_bytes(request.spec));
  require(decoded.ok() && *decoded == request.spec, "what can be asked for survives the wire");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view script = text_of(data, size);
  // Array steps and host lists of large numbers take memory by design.
  if (has_longer_number(script, 4) || hostlist_names_at_most(script) > 100'000) return 0;
  const auto read = in_proportion(script, 256, [&] { return read_directives(script, file); });
  if (!read.ok()) {
    check_refusal(script, read.error());
    return 0;
  }
  check_directives(script, *read);
  SubmitRequest request;
  const auto applied = apply_script(request, script, file);
  if (!applied.ok()) {
    check_refusal(script, applied.error());
    return 0;
  }
  check_whole(*read);
  check_request(std::move(request));
  return 0;
}
