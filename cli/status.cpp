// status.cpp: `sluice status`, and bare `sluice`: the first thing a person wants to know.
#include <unistd.h>

#include "cli/accounts_of_machine.h"
#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/options.h"
#include "cli/listing/selectors.h"
#include "cli/listing/status_text.h"
#include "cli/print.h"

namespace sluice {
namespace {

struct NoOptions {};

QueryJobs own_jobs() {
  QueryJobs query;
  query.filter.uids = {getuid()};
  query.filter.states = live_job_states();
  query.groups = {"names", "asked", "wait", "times", "allocation"};
  return query;
}

}  // namespace

int run_status(int argc, char** argv) {
  NoOptions options;
  const CommandTexts texts{"sluice status"};
  const CommandLine line = read_options<NoOptions>(argc, argv, texts, {}, options);
  if (line.exit_code) return *line.exit_code;
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  Client client(*config);
  const Result<NodesReply> nodes = client.call<NodesReply>(QueryNodes{});
  if (!nodes.ok()) return print_error(argv[0], nodes.error()), exit_code_of(nodes.error());
  const Result<JobsAnswer> jobs = ask_jobs(client, own_jobs());
  if (!jobs.ok()) return print_error(argv[0], jobs.error()), exit_code_of(jobs.error());
  ListingContext context = context_of(*config);
  context.as_of = jobs->as_of;
  const std::string text = cluster_use_text(nodes->nodes, context) +
                           own_jobs_text(jobs->jobs, user_name_of(getuid()), context);
  return print_result(text) ? 0 : 1;
}

}  // namespace sluice
