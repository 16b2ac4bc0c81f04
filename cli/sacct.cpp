// sacct.cpp: `sacct`: every job ever accepted. Parse, ask, render.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/job_list.h"
#include "cli/listing/records.h"
#include "cli/print.h"
#include "cli/sacct_options.h"

namespace sluice {
namespace {

constexpr std::string_view plugin = "openapi/db";

// "NAME=value" lines of an environment, whose parts a NUL divides.
std::string lines_of(std::string environment) {
  std::replace(environment.begin(), environment.end(), '\0', '\n');
  return environment;
}

int show_contents(Client& client, JobContent content, const std::vector<JobInfo>& jobs) {
  std::string out;
  for (const JobInfo& job : jobs) {
    const Result<ScriptReply> reply = client.call<ScriptReply>(GetScript{job.id, content});
    if (!reply.ok()) return fail_load("sacct", reply.error());
    const bool is_script = content == JobContent::script;
    out += fmt::format("{} {}{}\n{:-<80}\n{}\n",
                       is_script ? "Batch Script for" : "Environment used for", job.id.value,
                       is_script ? "" : " (must be batch to display)", "",
                       is_script ? reply->script : lines_of(reply->script));
  }
  return print_result(out) ? 0 : 1;
}

int show_rows(const SacctOptions& options, const std::vector<AccountCell>& cells,
              std::vector<JobInfo>& jobs, const ListingContext& context) {
  std::string out;
  if (options.has_heading) append_account_heading(cells, options.style, out);
  for (const AccountRow& row : account_rows(jobs, options.rows))
    append_account_line(cells, options.style, row, context, out);
  return print_result(out) ? 0 : 1;
}

// What the controller does not do: filters of its own, and times within the window.
void select(const SacctOptions& options, const ListingContext& context,
            std::vector<JobInfo>& jobs) {
  std::erase_if(jobs, [&](const JobInfo& job) { return !passes(options.filter, job, context); });
  if (!options.truncates) return;
  for (JobInfo& job : jobs)
    truncate_times(options.query.filter.since, options.query.filter.until, context.as_of, job);
}

int show_document(const SacctOptions& options, const char* command, Client& client,
                  ListingContext& context) {
  DocumentOutput output(*options.document, command, plugin);
  output.document().begin_list("jobs");
  const Result<void> asked = visit_pages(client, options.query, [&](JobsReply&& part) {
    context.as_of = part.as_of;
    narrow_to_selected(part.jobs, options.query.filter.jobs);
    select(options, context, part.jobs);
    for (const JobInfo& job : part.jobs) write_account_record(output.document(), job, context);
  });
  output.document().end_list();
  if (asked.ok()) return output.finish(0);
  output.add_error("slurmdb_jobs_get", asked.error());
  return output.finish(fail_load("slurmdb_jobs_get", asked.error()));
}

int show_listing(SacctOptions& options, const std::vector<AccountCell>& cells, Client& client,
                 ListingContext& context) {
  for (const AccountCell& cell : cells) add_words(cell.column->groups, options.query.groups);
  add_words("run times", options.query.groups);  // the order of rows, and whether there is a step
  add_words(groups_of(options.filter), options.query.groups);
  Result<JobsAnswer> answer = ask_jobs(client, options.query);
  if (!answer.ok()) return fail_load("slurmdb_jobs_get", answer.error());
  context.as_of = answer->as_of;
  select(options, context, answer->jobs);
  if (options.content) return show_contents(client, *options.content, answer->jobs);
  return show_rows(options, cells, answer->jobs, context);
}

}  // namespace

int run_sacct(int argc, char** argv) {
  SacctOptions options;
  const CommandLine line = read_sacct_options(argc, argv, options);
  if (line.exit_code) return end_early(line, argc, argv, plugin);
  const auto refuse = [&](std::string text) {
    return fail_command(argv[0], options.document, plugin, std::move(text));
  };
  if (!line.words.empty())
    return refuse(fmt::format("Unrecognized argument: {}", line.words.front()));
  if (options.asks_completion) return std::fputs("Slurm job completion is disabled\n", stderr), 1;
  if (options.lists_columns) return print_result(account_column_list()) ? 0 : 1;
  const Result<std::vector<AccountCell>> cells =
      parse_account_format(options.format.empty() ? options.preset : options.format);
  if (!cells.ok())
    return refuse(fmt::format("Invalid field requested: \"{}\"", cells.error().detail));

  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return refuse(to_text(config.error()));
  const Result<void> cluster = check_cluster(options.cluster, *config);
  if (!cluster.ok()) return refuse(cluster.error().detail);
  Client client(*config);
  ListingContext context = context_of(*config);
  context.mem = options.mem;
  return options.document ? show_document(options, argv[0], client, context)
                          : show_listing(options, *cells, client, context);
}

}  // namespace sluice
