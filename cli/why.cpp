// why.cpp: `sluice why JOB`: the controller's own account of why a job waits, or how it ended.
#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/foresee_document.h"
#include "cli/listing/options.h"
#include "cli/listing/selectors.h"
#include "cli/print.h"

namespace sluice {
namespace {

constexpr std::string_view plugin = "sluice/why";

struct WhyOptions {
  std::optional<DocumentStyle> document;
};

template <bool IsYaml>
Result<void> set_document(WhyOptions& options, std::string_view value) {
  options.document = TRY(parse_document_style(IsYaml, value));
  return {};
}

using enum ArgumentKind;
constexpr OptionRow<WhyOptions> rows[] = {
    {"json", 0, optional, nullptr, set_document<false>, "JSON"},
    {"yaml", 0, optional, nullptr, set_document<true>, "YAML"},
};

int show(const WhyOptions& options, std::string_view command, const WhyReply& reply) {
  if (options.document) {
    DocumentOutput output(*options.document, command, plugin);
    write_why(reply, output.document());
    return output.finish(0);
  }
  std::string text;
  for (const std::string& why : reply.lines) text.append(why).append("\n");
  return print_result(text) ? 0 : 1;
}

}  // namespace

int run_why(int argc, char** argv) {
  WhyOptions options;
  const CommandTexts texts{"sluice why [OPTIONS] JOB"};
  const CommandLine line = read_options<WhyOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return end_early(line, argc, argv, plugin);
  const auto refuse = [&](std::string text) {
    return fail_command(argv[0], options.document, plugin, std::move(text));
  };
  if (line.words.size() != 1) return refuse("give one job id: sluice why JOB");
  const Result<std::vector<JobSelector>> job = parse_job_selectors(line.words.front());
  if (!job.ok()) return refuse(to_text(job.error()));
  if (job->size() != 1) return refuse("give one job id: sluice why JOB");
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return refuse(to_text(config.error()));
  Client client(*config);
  const Result<WhyReply> reply = client.call<WhyReply>(QueryWhy{job->front()});
  if (reply.ok()) return show(options, argv[0], *reply);
  print_error(argv[0], reply.error());
  const int exit_code = exit_code_of(reply.error());
  if (!options.document) return exit_code;
  return fail_document(*options.document, argv[0], plugin, reply.error(), exit_code);
}

}  // namespace sluice
