// sprio.cpp: `sprio`: what the priorities of waiting jobs are made of. Parse, ask, render.
#include <cstdio>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/options.h"
#include "cli/listing/priority_columns.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/manuals.h"
#include "cli/print.h"

namespace sluice {
namespace {

struct SprioOptions {
  bool has_heading = true;
  bool lists_weights = false;
  PriorityFormat format;
  std::string letters;
  std::string order = "i,r";
  std::string cluster;
  JobFilter filter;
};

Error refused(std::string detail) { return Error{ErrorCode::invalid_option, std::move(detail)}; }

Result<void> set_jobs(SprioOptions& options, std::string_view value) {
  if (value.empty()) return {};
  Result<std::vector<JobSelector>> jobs = parse_job_selectors(value);
  if (!jobs.ok()) return refused(fmt::format("Invalid job id: {}", value));
  options.filter.jobs = std::move(jobs).value();
  return {};
}
Result<void> set_users(SprioOptions& options, std::string_view value) {
  options.filter.uids.clear();
  for (const std::string& user : parse_word_list(value)) {
    const auto uid = uid_of_user(user);
    if (!uid) return refused(fmt::format("Invalid user: {}", user));
    options.filter.uids.push_back(*uid);
  }
  options.format.names_user = true;
  return {};
}
Result<void> set_partitions(SprioOptions& options, std::string_view value) {
  options.filter.partitions = parse_word_list(value);
  return {};
}
Result<void> set_long(SprioOptions& options, std::string_view) {
  options.format.is_long = true;
  return {};
}
Result<void> set_normalised(SprioOptions& options, std::string_view) {
  options.format.is_normalised = true;
  return {};
}
Result<void> set_order(SprioOptions& options, std::string_view value) {
  std::vector<JobPriority> none;
  if (const auto known = sort_priorities(value, none); !known)
    return refused(fmt::format("Invalid sort specification: {}", known.error().detail));
  options.order = value;
  return {};
}

template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<SprioOptions>;
template <auto Member>
constexpr auto set_text = SetText<Member>::template apply<SprioOptions>;

using Row = OptionRow<SprioOptions>;
constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;

constexpr Row rows[] = {
    {"clusters", 'M', required, "SLURM_CLUSTERS", set_text<&SprioOptions::cluster>,
     "this cluster's name, or all"},
    {"federation", 0, none, nullptr, already_so<SprioOptions>, "show this cluster (it is alone)"},
    {"format", 'o', required, "SPRIO_FORMAT", set_text<&SprioOptions::letters>,
     "columns, as \"%.15i %.10Y\""},
    {"jobs", 'j', OptionArgument::required, nullptr, set_jobs, "comma separated list of jobs"},
    {"local", 0, none, nullptr, already_so<SprioOptions>, "show this cluster only"},
    {"long", 'l', none, nullptr, set_long, "all factors", "SPRIO_FORMAT"},
    {"noheader", 'h', none, nullptr, set_to<&SprioOptions::has_heading, false>, "no heading"},
    {"norm", 'n', none, nullptr, set_normalised, "factors from 0 to 1, before they are weighed",
     "SPRIO_FORMAT"},
    {"partition", 'p', required, nullptr, set_partitions, "comma separated list of partitions"},
    {"sibling", 0, none, nullptr, already_so<SprioOptions>, "show this cluster (it is alone)"},
    {"sort", 'S', required, nullptr, set_order,
     "letters of columns to sort by, - before one for descending"},
    {"user", 'u', required, nullptr, set_users, "comma separated list of users"},
    {"verbose", 'v', none, nullptr, already_so<SprioOptions>, "tell more (there is no more)"},
    {"weights", 'w', none, nullptr, set_to<&SprioOptions::lists_weights, true>,
     "the weights of the factors"},
};

int show(const SprioOptions& options, const char* command, PrioritiesReply& reply,
         const ListingContext& context) {
  const Layout<PriorityRow> layout = parse_letters(
      priority_columns(),
      options.letters.empty() ? priority_letters(options.format, reply.weights) : options.letters);
  if (!layout.unknown.empty())
    return print_error(command,
                       fmt::format("Invalid job format specification: {}", layout.unknown.front())),
           1;
  std::string out;
  if (options.has_heading) append_heading(layout, out);
  if (options.lists_weights) {
    append_line(layout, {nullptr, &reply.weights}, context, out);
  } else {
    (void)sort_priorities(options.order, reply.jobs);
    for (const JobPriority& job : reply.jobs)
      append_line(layout, {&job, &reply.weights}, context, out);
  }
  return print_result(out) ? 0 : 1;
}

}  // namespace

std::vector<ManualOption> sprio_options() { return manual_options(texts_of<SprioOptions>(rows)); }

int run_sprio(int argc, char** argv) {
  SprioOptions options;
  const CommandTexts texts{"sprio [OPTIONS]"};
  const CommandLine line = read_options<SprioOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return *line.exit_code;
  if (!line.words.empty()) {
    print_error(argv[0], fmt::format("Unrecognized argument: {}", line.words.front()));
    return 1;
  }
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  if (const auto cluster = check_cluster(options.cluster, *config); !cluster)
    return print_error(argv[0], cluster.error().detail), 1;
  Client client(*config);
  Result<PrioritiesReply> reply = client.call<PrioritiesReply>(QueryPriorities{options.filter});
  if (!reply.ok()) return fail_load("Couldn't get priority factors from controller", reply.error());
  if (!reply->multifactor) {
    std::fputs(
        "You are not running a supported priority plugin\n(priority/basic).\n"
        "Only 'priority/multifactor' is supported.\n",
        stderr);
    return 1;
  }
  ListingContext context = context_of(*config);
  context.as_of = reply->as_of;
  return show(options, argv[0], *reply, context);
}

}  // namespace sluice
