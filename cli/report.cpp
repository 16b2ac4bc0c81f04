// report.cpp: `sluice report wait|forecast|util|efficiency`: sums over the record of past jobs.
#include <fmt/format.h>

#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/report.h"
#include "cli/print.h"
#include "cli/report_options.h"
#include "common/base/clock.h"

namespace sluice {
namespace {

constexpr std::string_view plugin = "sluice/report";

QueryJobs runs_within(const ReportOptions& options) {
  QueryJobs query;
  query.source = JobSource::history;
  query.earlier_runs = true;
  query.filter.since = options.window.since;
  query.filter.until = options.window.until;
  query.groups.assign(std::begin(report_groups), std::end(report_groups));
  return query;
}

int show(const ReportOptions& options, std::string_view command, const Report& report) {
  if (!options.document) return print_result(report.text()) ? 0 : 1;
  DocumentOutput output(*options.document, command, plugin);
  report.write(output.document());
  return output.finish(0);
}

}  // namespace

int run_report(int argc, char** argv) {
  ReportOptions options;
  const CommandTexts texts{"sluice report wait|forecast|util|efficiency [OPTIONS]"};
  const WallTime now = read_clocks().wall;
  options.window = {now - std::chrono::hours{24 * 30}, now};
  const CommandLine line = read_options<ReportOptions>(argc, argv, texts, report_rows(), options);
  if (line.exit_code) return end_early(line, argc, argv, plugin);
  const auto refuse = [&](std::string text) {
    return fail_command(argv[0], options.document, plugin, std::move(text));
  };
  if (line.words.size() != 1) return refuse("give one report: wait, forecast, util or efficiency");
  const Result<ReportKind> kind = parse_report_kind(line.words.front());
  if (!kind.ok()) return refuse(kind.error().detail);
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return refuse(to_text(config.error()));
  Client client(*config);
  Report report(*kind, options.group, options.window);
  const Result<void> asked = visit_pages(client, runs_within(options), [&](JobsReply&& part) {
    for (const JobInfo& run : part.jobs) report.add(run);
  });
  if (asked.ok()) return show(options, argv[0], report);
  print_error(argv[0], asked.error());
  const int exit_code = exit_code_of(asked.error());
  if (!options.document) return exit_code;
  return fail_document(*options.document, argv[0], plugin, asked.error(), exit_code);
}

}  // namespace sluice
