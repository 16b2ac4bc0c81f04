// why.cpp: `sluice why JOB`: the controller's own account of why a job waits, or how it ended.
#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/options.h"
#include "cli/listing/selectors.h"
#include "cli/print.h"

namespace sluice {
namespace {

struct NoOptions {};

}  // namespace

int run_why(int argc, char** argv) {
  NoOptions options;
  const CommandTexts texts{"sluice why JOB"};
  const CommandLine line = read_options<NoOptions>(argc, argv, texts, {}, options);
  if (line.exit_code) return *line.exit_code;
  if (line.words.size() != 1) return print_error(argv[0], "give one job id: sluice why JOB"), 1;
  const Result<std::vector<JobSelector>> job = parse_job_selectors(line.words.front());
  if (!job.ok()) return print_error(argv[0], job.error()), 1;
  if (job->size() != 1) return print_error(argv[0], "give one job id: sluice why JOB"), 1;
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  Client client(*config);
  const Result<WhyReply> reply = client.call<WhyReply>(QueryWhy{job->front()});
  if (!reply.ok()) return print_error(argv[0], reply.error()), exit_code_of(reply.error());
  std::string text;
  for (const std::string& why : reply->lines) text.append(why).append("\n");
  return print_result(text) ? 0 : 1;
}

}  // namespace sluice
