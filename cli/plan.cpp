// plan.cpp: `sluice plan [--json|--yaml] SBATCH-OPTIONS SCRIPT`: where and when the script's job
// would start, and what would start it earlier. Nothing is submitted.
#include <fmt/format.h>

#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/foresee_document.h"
#include "cli/print.h"
#include "cli/submit_line.h"
#include "common/options/submit_options.h"

namespace sluice {
namespace {

constexpr std::string_view plugin = "sluice/plan";
constexpr const char* about =
    "Usage: {} [--json|--yaml] [OPTIONS] script [args...]\n"
    "Says when and where the script's job would start, and what would start it earlier.\n"
    "The options are those of sbatch; --json and --yaml stand before them.\n";

// Before all options of sbatch, which has none of that name.
Result<std::optional<DocumentStyle>> take_style(std::span<char*>& words) {
  std::optional<DocumentStyle> style;
  while (!words.empty()) {
    const std::string_view word = words.front();
    const bool is_yaml = word == "--yaml" || word.starts_with("--yaml=");
    if (!is_yaml && word != "--json" && !word.starts_with("--json=")) break;
    style = TRY(parse_document_style(is_yaml, word.substr(std::min<std::size_t>(word.size(), 7))));
    words = words.subspan(1);
  }
  return style;
}

int fail(const std::optional<DocumentStyle>& style, std::string_view command, const Error& error) {
  const int exit_code = exit_code_of(error);
  return style ? fail_document(*style, command, plugin, error, exit_code) : exit_code;
}

}  // namespace

int run_plan(int argc, char** argv) {
  const std::string command = argv[0];
  std::span<char*> words{argv + 1, argv + argc};
  const Result<std::optional<DocumentStyle>> style = take_style(words);
  if (!style.ok()) return print_error(command, style.error().detail), 1;
  SubmitLine line = read_submit_line(command, words, submit_text(argc, argv));
  if (line.exit_code) return *line.exit_code;
  if (line.is_about)
    return print_result(fmt::format(fmt::runtime(about), command) + submit_help()) ? 0 : 1;
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return fail_command(command, *style, plugin, to_text(config.error()));
  Client client(*config);
  const Result<PlanReply> reply = client.call<PlanReply>(PlanJob{line.submission.message});
  if (!reply.ok()) {
    for (const std::string& note : client.notes()) print_error(command, note);
    print_error(command, reply.error());
    return fail(*style, command, reply.error());
  }
  print_notes(line.request, command, reply->notes);
  if (*style) {
    DocumentOutput output(**style, command, plugin);
    write_plan(*reply, output.document());
    return output.finish(0);
  }
  return print_result(plan_text(*reply, context_of(*config))) ? 0 : 1;
}

}  // namespace sluice
