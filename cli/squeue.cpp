// squeue.cpp: `squeue`: the queue as the controller has it. Parse, ask, render.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/job_list.h"
#include "cli/listing/options.h"
#include "cli/listing/records.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/listing/step_columns.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "common/base/hostlist.h"

namespace sluice {
namespace {

constexpr const char* default_format = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
constexpr const char* long_format = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
constexpr const char* step_format = "%.15i %.8j %.9P %.8u %.9M %N";
constexpr const char* start_format = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
// What is said of the text listing does not touch a document, nor one of the fixed layouts.
constexpr const char* text_variables = "SQUEUE_FORMAT SQUEUE_FORMAT2";
constexpr const char* order_variables = "SQUEUE_FORMAT SQUEUE_FORMAT2 SQUEUE_SORT";

struct SqueueOptions {
  QueryJobs query;
  std::size_t ids_named = 0;
  bool has_heading = true;
  bool is_long = false;
  bool each_task = false;
  bool matches_nobody = false;  // users were named and none of them exists
  std::string letters;
  std::string fields;
  std::string order;  // empty: the layout's own
  std::vector<ColumnFilter> column_filters;
  std::optional<DocumentStyle> document;  // --json, --yaml
  bool tells_date = false;
  bool shows_starts = false;
  bool shows_steps = false;
  std::vector<StepSelector> steps;  // empty: all
  std::string cluster;
  std::vector<std::string> complaints;  // told, but no reason to stop
  unsigned repeat_s = 0;
  MemStyle mem;
};

Error refused(std::string detail) { return Error{ErrorCode::invalid_option, std::move(detail)}; }

Result<void> set_jobs(SqueueOptions& options, std::string_view value) {
  Result<std::vector<JobSelector>> selectors = parse_job_selectors(value);
  if (!selectors.ok()) return refused(fmt::format("Invalid job id: {}", selectors.error().detail));
  options.ids_named = selectors->size();
  options.query.filter.jobs = std::move(selectors).value();
  return {};
}

Result<void> set_states(SqueueOptions& options, std::string_view value) {
  Result<std::vector<std::string>> states = parse_job_states(value);
  if (states.ok()) {
    options.query.filter.states = std::move(states).value();
    return {};
  }
  return refused(
      fmt::format("Invalid job state specified: {}\nsqueue: error: Valid job states include: {}",
                  states.error().detail, job_state_list()));
}

Result<void> set_users(SqueueOptions& options, std::string_view value) {
  std::vector<std::uint32_t> uids;
  for (const std::string& user : parse_word_list(value)) {
    if (const auto uid = uid_of_user(user)) uids.push_back(*uid);
    else options.complaints.push_back(fmt::format("Invalid user: {}", user));
  }
  options.matches_nobody = uids.empty() && !options.complaints.empty();
  options.query.filter.uids = std::move(uids);
  return {};
}

Result<void> set_nodes(SqueueOptions& options, std::string_view value) {
  Result<std::vector<std::string>> nodes = expand_hostlist(value);
  if (!nodes.ok()) return refused(to_text(nodes.error()));
  options.query.filter.nodes = std::move(nodes).value();
  return {};
}

Result<void> set_steps(SqueueOptions& options, std::string_view value) {
  Result<std::vector<StepSelector>> steps = parse_step_selectors(value);
  if (!steps.ok()) return refused(fmt::format("Invalid job step id: {}", steps.error().detail));
  options.steps = std::move(steps).value();
  options.shows_steps = true;
  return {};
}

Result<void> add_column_filter(SqueueOptions& options, std::string_view column,
                               std::string_view value) {
  options.column_filters.push_back({column, parse_word_list(value)});
  add_words(column_of_name(job_columns(), column)->traits, options.query.groups);
  return {};
}
Result<void> set_licenses(SqueueOptions& options, std::string_view value) {
  return add_column_filter(options, "licenses", value);
}
Result<void> set_reservation(SqueueOptions& options, std::string_view value) {
  return add_column_filter(options, "reservation", value);
}

template <bool IsYaml>
Result<void> set_document(SqueueOptions& options, std::string_view value) {
  options.document = TRY(parse_document_style(IsYaml, value));
  return {};
}

Result<void> set_repeat(SqueueOptions& options, std::string_view value) {
  const auto seconds = parse_number(value);
  if (!seconds || *seconds == 0 || *seconds > 86400)
    return refused(fmt::format("Invalid --iterate value: {}", value));
  options.repeat_s = static_cast<unsigned>(*seconds);
  return {};
}

template <std::vector<std::string> JobFilter::*Member>
Result<void> set_words(SqueueOptions& options, std::string_view value) {
  options.query.filter.*Member = parse_word_list(value);
  return {};
}

template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<SqueueOptions>;
template <auto Member>
constexpr auto set_text = SetText<Member>::template apply<SqueueOptions>;

// The two ways to name columns replace one another; the last one counts.
Result<void> set_letters(SqueueOptions& options, std::string_view value) {
  options.letters = value;
  options.fields.clear();
  return {};
}
Result<void> set_fields(SqueueOptions& options, std::string_view value) {
  options.fields = value;
  options.letters.clear();
  return {};
}

using Row = OptionRow<SqueueOptions>;
constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;

constexpr Row rows[] = {
    {"account", 'A', required, "SQUEUE_ACCOUNT", set_words<&JobFilter::accounts>,
     "comma separated list of accounts"},
    {"all", 'a', none, "SQUEUE_ALL", already_so<SqueueOptions>,
     "show jobs in hidden partitions too"},
    {"array", 'r', none, "SQUEUE_ARRAY", set_to<&SqueueOptions::each_task, true>,
     "one line for each task of an array"},
    {"array-unique", 0, none, "SQUEUE_ARRAY_UNIQUE", set_to<&SqueueOptions::each_task, true>,
     "the same"},
    {"clusters", 'M', required, "SLURM_CLUSTERS", set_text<&SqueueOptions::cluster>,
     "this cluster's name, or all"},
    {"federation", 0, none, nullptr, already_so<SqueueOptions>, "show this cluster (it is alone)"},
    {"format", 'o', required, "SQUEUE_FORMAT", set_letters, "columns, as \"%.18i %j\"",
     text_variables},
    {"Format", 'O', required, "SQUEUE_FORMAT2", set_fields,
     "columns by name, \"field[:[.]width],...\"", text_variables},
    {"hide", 0, none, nullptr, already_so<SqueueOptions>, "do not show jobs in hidden partitions"},
    {"iterate", 'i', required, nullptr, set_repeat, "repeat every VALUE seconds"},
    {"jobs", 'j', required, nullptr, set_jobs, "comma separated list of job ids"},
    {"json", 0, OptionArgument::optional, nullptr, set_document<false>, "as one JSON document",
     order_variables},
    {"licenses", 'L', required, "SQUEUE_LICENSES", set_licenses,
     "comma separated list of licences"},
    {"local", 0, none, nullptr, already_so<SqueueOptions>, "show jobs of this cluster only"},
    {"long", 'l', none, nullptr, set_to<&SqueueOptions::is_long, true>, "long report",
     text_variables},
    {"me", 0, none, nullptr,
     [](SqueueOptions& options, std::string_view) -> Result<void> {
       options.query.filter.uids = {getuid()};
       return {};
     },
     "the caller's jobs"},
    {"name", 'n', required, "SQUEUE_NAMES", set_words<&JobFilter::names>,
     "comma separated list of job names"},
    {"nodelist", 'w', required, nullptr, set_nodes, "jobs on these nodes"},
    {"noconvert", 0, none, nullptr,
     [](SqueueOptions& options, std::string_view) -> Result<void> {
       options.mem.exact = true;
       return {};
     },
     "do not convert amounts to larger units"},
    {"noheader", 'h', none, nullptr, set_to<&SqueueOptions::has_heading, false>, "no heading"},
    {"partition", 'p', required, "SQUEUE_PARTITION", set_words<&JobFilter::partitions>,
     "comma separated list of partitions"},
    {"priority", 'P', none, "SQUEUE_PRIORITY", nullptr, ""},
    {"qos", 'q', required, "SQUEUE_QOS", set_words<&JobFilter::qos>, "comma separated list of qos"},
    {"reservation", 'R', required, nullptr, set_reservation, "jobs of this reservation"},
    {"sibling", 0, none, nullptr, already_so<SqueueOptions>, "show this cluster (it is alone)"},
    {"sort", 'S', required, "SQUEUE_SORT", set_text<&SqueueOptions::order>,
     "letters of columns to sort by, - before one for descending"},
    {"start", 0, none, nullptr, set_to<&SqueueOptions::shows_starts, true>,
     "when waiting jobs may start", order_variables},
    {"states", 't', required, "SQUEUE_STATES", set_states,
     "comma separated list of states, or all"},
    {"steps", 's', OptionArgument::optional, nullptr, set_steps, "steps, of these jobs or all",
     text_variables},
    {"user", 'u', required, "SQUEUE_USERS", set_users, "comma separated list of users"},
    {"verbose", 'v', none, nullptr, set_to<&SqueueOptions::tells_date, true>,
     "with the date above"},
    {"yaml", 0, OptionArgument::optional, nullptr, set_document<true>, "the same in YAML",
     order_variables},
};

std::string letters_of(const SqueueOptions& options) {
  if (!options.letters.empty()) return options.letters;
  if (options.shows_steps) return step_format;
  if (options.shows_starts) return start_format;
  return options.is_long ? long_format : default_format;
}

Layout<JobRow> layout_of(const SqueueOptions& options) {
  const auto columns = options.shows_steps ? step_columns() : job_columns();
  if (!options.fields.empty()) return parse_fields(columns, options.fields);
  return parse_letters(columns, letters_of(options));
}

Result<std::vector<SortKey>> order_of(const SqueueOptions& options) {
  if (!options.order.empty()) return parse_job_order(options.order);
  return parse_job_order(options.shows_starts ? start_job_order : default_job_order);
}

// One id that never was is a mistake; of several, those that are known are shown.
std::optional<Error> missing_job(const SqueueOptions& options, const std::vector<JobId>& unknown) {
  if (options.ids_named != 1 || unknown.empty()) return std::nullopt;
  return Error{ErrorCode::invalid_job_id, ""};
}

Result<void> check_nodes(Client& client, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return {};
  const NodesReply reply = TRY(client.call<NodesReply>(QueryNodes{nodes}));
  for (const std::string& name : nodes) {
    const bool known = std::any_of(reply.nodes.begin(), reply.nodes.end(),
                                   [&](const NodeInfo& info) { return info.node.name == name; });
    if (!known) return Error{ErrorCode::invalid_node, name};
  }
  return {};
}

// Record by record: in the order of ids, because ordering means to hold all of them.
int show_document(const SqueueOptions& options, const char* command, Client& client,
                  ListingContext& context) {
  DocumentOutput output(*options.document, command, "openapi");
  output.document().begin_list("jobs");
  std::vector<JobId> unknown;
  Result<void> asked;
  if (!options.matches_nobody)
    asked = visit_pages(client, options.query, [&](JobsReply&& part) {
      context.as_of = part.as_of;
      unknown.insert(unknown.end(), part.unknown.begin(), part.unknown.end());
      narrow_to_selected(part.jobs, options.query.filter.jobs);
      for (const JobInfo& job : part.jobs)
        if (passes(options.column_filters, job, context))
          write_job_record(output.document(), job, context);
    });
  output.document().end_list();
  int exit_code = 0;
  for (const std::string& complaint : options.complaints) {
    output.add_error(command, {ErrorCode::unknown_user, complaint});
    exit_code = 1;
  }
  const std::optional<Error> problem =
      asked.ok() ? missing_job(options, unknown) : std::optional(asked.error());
  if (problem) {
    output.add_error("slurm_load_jobs", *problem);
    exit_code = fail_load("slurm_load_jobs", *problem);
  }
  return output.finish(exit_code);
}

int show_once(const SqueueOptions& options, Client& client, const Layout<JobRow>& layout,
              const std::vector<SortKey>& order, ListingContext& context) {
  std::vector<JobInfo> jobs;
  if (!options.matches_nobody) {
    Result<JobsAnswer> answer = ask_jobs(client, options.query);
    if (!answer.ok()) return fail_load("slurm_load_jobs", answer.error());
    if (const auto problem = missing_job(options, answer->unknown))
      return fail_load("slurm_load_jobs", *problem);
    context.as_of = answer->as_of;
    jobs = std::move(answer->jobs);
    std::erase_if(jobs, [&](const JobInfo& job) {
      return !passes(options.column_filters, job, context) ||
             (options.shows_steps && !shows_batch_step(job, options.steps));
    });
  }
  std::string out;
  const bool tells_date = options.is_long || options.tells_date || options.repeat_s > 0;
  if (options.has_heading && tells_date) out += date_line(context.as_of) + '\n';
  if (options.has_heading) append_heading(layout, out);
  for (const JobRow& row : job_rows(jobs, options.each_task, order, context))
    append_line(layout, row, context, out);
  if (options.repeat_s > 0) out += '\n';
  return print_result(out) ? 0 : 1;
}

int show_listing(SqueueOptions& options, const char* command, Client& client,
                 ListingContext& context) {
  const Layout<JobRow> layout = layout_of(options);
  for (const std::string& unknown : layout.unknown)
    print_error(command, fmt::format("Invalid job format specification: {}", unknown));
  if (!options.fields.empty() && !layout.unknown.empty()) return 1;
  const Result<std::vector<SortKey>> order = order_of(options);
  if (!order.ok()) {
    print_error(command, fmt::format("Invalid sort specification: {}", order.error().detail));
    return 1;
  }
  add_groups(layout, options.query.groups);
  if (options.shows_steps) add_words("times", options.query.groups);  // whether there is one
  add_groups(*order, options.query.groups);
  return repeat_every(options.repeat_s,
                      [&] { return show_once(options, client, layout, *order, context); });
}

int show(SqueueOptions& options, const char* command) {
  const auto refuse = [&](std::string text) {
    return fail_command(command, options.document, "openapi", std::move(text));
  };
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return refuse(to_text(config.error()));
  const Result<void> cluster = check_cluster(options.cluster, *config);
  if (!cluster.ok()) return refuse(cluster.error().detail);
  ListingContext context = context_of(*config);
  context.mem = options.mem;
  Client client(*config);
  const Result<void> nodes = check_nodes(client, options.query.filter.nodes);
  if (!nodes.ok() && nodes.error().code == ErrorCode::invalid_node)
    return refuse(fmt::format("Invalid node name {}", nodes.error().detail));
  if (!options.document) {
    if (!nodes.ok()) return fail_load("slurm_load_node", nodes.error());
    return show_listing(options, command, client, context);
  }
  if (!nodes.ok())
    return fail_document(*options.document, command, "openapi", nodes.error(),
                         fail_load("slurm_load_node", nodes.error()));
  options.query.groups.clear();
  return repeat_every(options.repeat_s,
                      [&] { return show_document(options, command, client, context); });
}

}  // namespace

std::vector<ManualOption> squeue_options() { return manual_options(texts_of<SqueueOptions>(rows)); }

int run_squeue(int argc, char** argv) {
  SqueueOptions options;
  const CommandTexts texts{"squeue [OPTIONS]"};
  const CommandLine line = read_options<SqueueOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return end_early(line, argc, argv, "openapi");
  if (!line.words.empty())
    return fail_command(argv[0], options.document, "openapi",
                        fmt::format("Unrecognized argument: {}", line.words.front()));
  if (options.document && options.shows_steps)
    return fail_command(
        argv[0], options.document, "openapi",
        "--steps gives no document; the batch step is among the steps of sacct --json");
  for (const std::string& complaint : options.complaints) print_error(argv[0], complaint);
  if (options.shows_starts) options.query.filter.states = {"PENDING"};
  if (options.query.filter.states.empty()) options.query.filter.states = live_job_states();
  return show(options, argv[0]);
}

}  // namespace sluice
