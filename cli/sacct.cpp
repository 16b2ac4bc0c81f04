// sacct.cpp: `sacct`: every job ever accepted. Parse, ask, render.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/account_columns.h"
#include "cli/listing/options.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "common/base/clock.h"
#include "common/base/hostlist.h"
#include "common/options/time_point.h"

namespace sluice {
namespace {

constexpr const char* default_format = "jobid,jobname,partition,account,alloccpus,state,exitcode";
constexpr const char* brief_format = "jobid,state,exitcode";
constexpr const char* long_format =
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,"
    "maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,"
    "mincputask,avecpu,ntasks,alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,"
    "reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,"
    "maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,"
    "reqtres,alloctres,tresusageinave,tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,"
    "tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutmax,"
    "tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutave,tresusageouttot";

struct SacctOptions {
  QueryJobs query;
  std::string format;
  std::string preset = default_format;
  AccountStyle style;
  bool has_heading = true;
  RowsWanted rows;
  bool everybody = false;
  bool names_users = false;
  bool exact_units = false;
  bool lists_columns = false;
  bool shows_scripts = false;
  bool asks_completion = false;
  std::string cluster;
};

Error refused(std::string detail) { return Error{ErrorCode::invalid_option, std::move(detail)}; }

// A repeated --jobs or --format adds to the former.
Result<void> add_jobs(SacctOptions& options, std::string_view value) {
  const Result<std::vector<StepSelector>> selectors = parse_step_selectors(value);
  if (!selectors.ok())
    return refused(fmt::format("Bad job/step specified: {}", selectors.error().detail));
  for (const StepSelector& selector : *selectors) {
    options.query.filter.jobs.push_back(selector.job);
    options.rows.selectors.push_back(selector);
  }
  return {};
}
Result<void> add_format(SacctOptions& options, std::string_view value) {
  if (!options.format.empty()) options.format += ',';
  options.format += value;
  return {};
}
Result<void> set_states(SacctOptions& options, std::string_view value) {
  Result<std::vector<std::string>> states = parse_job_states(value);
  if (!states.ok())
    return refused(fmt::format("fatal: unrecognized job state value '{}'", states.error().detail));
  options.query.filter.states = std::move(states).value();
  return {};
}
Result<void> add_users(SacctOptions& options, std::string_view value) {
  for (const std::string& user : parse_word_list(value)) {
    const auto uid = uid_of_user(user);
    if (!uid) return refused(fmt::format("Invalid user id: {}", user));
    options.query.filter.uids.push_back(*uid);
  }
  options.names_users = true;
  return {};
}
Result<void> set_nodes(SacctOptions& options, std::string_view value) {
  Result<std::vector<std::string>> nodes = expand_hostlist(value);
  if (!nodes.ok()) return refused(to_text(nodes.error()));
  options.query.filter.nodes = std::move(nodes).value();
  return {};
}
template <auto Member>
Result<void> set_time(SacctOptions& options, std::string_view value) {
  const Result<std::int64_t> seconds =
      parse_time_point(value, to_seconds(read_clocks().wall), TimeOfDay::of_today);
  if (!seconds.ok()) return seconds.error();
  options.query.filter.*Member = wall_from_us(*seconds * 1'000'000);
  return {};
}
template <auto Member>
Result<void> set_words(SacctOptions& options, std::string_view value) {
  options.query.filter.*Member = parse_word_list(value);
  return {};
}
Result<void> set_parsable(SacctOptions& options, std::string_view) {
  options.style.parsable = options.style.closes_line = true;
  return {};
}
Result<void> set_parsable2(SacctOptions& options, std::string_view) {
  options.style.parsable = true;
  options.style.closes_line = false;
  return {};
}
Result<void> set_delimiter(SacctOptions& options, std::string_view value) {
  options.style.delimiter = value;
  return {};
}
Result<void> set_allocations(SacctOptions& options, std::string_view) {
  options.rows.with_steps = false;
  return {};
}
Result<void> set_brief(SacctOptions& options, std::string_view) {
  options.preset = brief_format;
  return {};
}
Result<void> set_long(SacctOptions& options, std::string_view) {
  options.preset = long_format;
  return {};
}
Result<void> set_earlier_runs(SacctOptions& options, std::string_view) {
  options.query.earlier_runs = true;
  return {};
}

template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<SacctOptions>;
template <auto Member>
constexpr auto set_text = SetText<Member>::template apply<SacctOptions>;

using Row = OptionRow<SacctOptions>;
constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;

constexpr Row rows[] = {
    {"accounts", 'A', required, nullptr, set_words<&JobFilter::accounts>,
     "comma separated list of accounts"},
    {"allocations", 'X', none, nullptr, set_allocations, "jobs without their steps"},
    {"allusers", 'a', none, nullptr, set_to<&SacctOptions::everybody, true>, "jobs of all users"},
    {"batch-script", 'B', none, nullptr, set_to<&SacctOptions::shows_scripts, true>,
     "the scripts of the jobs"},
    {"brief", 'b', none, nullptr, set_brief, "id, state and exit code"},
    {"clusters", 'M', required, nullptr, set_text<&SacctOptions::cluster>,
     "this cluster's name, or all"},
    {"completion", 'c', none, nullptr, set_to<&SacctOptions::asks_completion, true>,
     "job completion plugin (there is none)"},
    {"constraints", 'C', required, nullptr, nullptr, ""},
    {"delimiter", 0, required, nullptr, set_delimiter, "text between columns of parsable output"},
    {"duplicates", 'D', none, nullptr, set_earlier_runs, "every run of a requeued job"},
    {"endtime", 'E', required, nullptr, set_time<&JobFilter::until>, "jobs before this time"},
    {"env-vars", 0, none, nullptr, nullptr, ""},
    {"federation", 0, none, nullptr, nullptr, ""},
    {"file", 'f', required, nullptr, nullptr, ""},
    {"flags", 'F', required, nullptr, nullptr, ""},
    {"format", 'o', required, "SACCT_FORMAT", add_format, "columns, as jobid,state%20"},
    {"gid", 'g', required, nullptr, nullptr, ""},
    {"group", 0, required, nullptr, nullptr, ""},
    {"helpformat", 'e', none, nullptr, set_to<&SacctOptions::lists_columns, true>,
     "the names of all columns"},
    {"jobs", 'j', required, nullptr, add_jobs, "comma separated list of jobs and steps"},
    {"json", 0, OptionArgument::optional, nullptr, nullptr, ""},
    {"local", 'L', none, nullptr, nullptr, ""},
    {"long", 'l', none, nullptr, set_long, "many columns"},
    {"name", 0, required, nullptr, set_words<&JobFilter::names>,
     "comma separated list of job names"},
    {"ncpus", 'i', required, nullptr, nullptr, ""},
    {"nnodes", 'I', required, nullptr, nullptr, ""},
    {"noconvert", 0, none, nullptr, set_to<&SacctOptions::exact_units, true>,
     "do not convert amounts to larger units"},
    {"nodelist", 'N', required, nullptr, set_nodes, "jobs on these nodes"},
    {"noheader", 'n', none, nullptr, set_to<&SacctOptions::has_heading, false>, "no heading"},
    {"parsable", 'p', none, nullptr, set_parsable, "columns ended by |"},
    {"parsable2", 'P', none, nullptr, set_parsable2, "columns divided by |"},
    {"partition", 'r', required, nullptr, set_words<&JobFilter::partitions>,
     "comma separated list of partitions"},
    {"qos", 'q', required, nullptr, set_words<&JobFilter::qos>, "comma separated list of qos"},
    {"starttime", 'S', required, nullptr, set_time<&JobFilter::since>,
     "jobs at or after this time; default: today, or ever with --jobs"},
    {"state", 's', required, nullptr, set_states, "comma separated list of states"},
    {"timelimit-max", 'K', required, nullptr, nullptr, ""},
    {"timelimit-min", 'k', required, nullptr, nullptr, ""},
    {"truncate", 'T', none, nullptr, nullptr, ""},
    {"uid", 'u', required, nullptr, add_users, "comma separated list of users"},
    {"units", 0, required, nullptr, nullptr, ""},
    {"use-local-uid", 0, none, nullptr, nullptr, ""},
    {"user", 0, required, nullptr, add_users, "comma separated list of users"},
    {"verbose", 'v', none, nullptr, nullptr, ""},
    {"wckeys", 'W', required, nullptr, set_words<&JobFilter::wckeys>,
     "comma separated list of wckeys"},
    {"whole-hetjob", 0, OptionArgument::optional, nullptr, nullptr, ""},
    {"associations", 'x', required, nullptr, nullptr, ""},
    {"reservation", 'Q', required, nullptr, nullptr, ""},
    {"yaml", 0, OptionArgument::optional, nullptr, nullptr, ""},
};

int fail(const char* command, const std::string& text) {
  print_error(command, text);
  return 1;
}

// Without names of jobs or users: one's own jobs of today; root sees everybody's.
void apply_defaults(SacctOptions& options) {
  JobFilter& filter = options.query.filter;
  options.query.source = JobSource::history;
  const bool names_jobs = !filter.jobs.empty();
  if (!names_jobs && !options.everybody && !options.names_users && getuid() != 0)
    filter.uids = {getuid()};
  if (!names_jobs && !filter.since)
    filter.since = wall_from_us(start_of_day(to_seconds(read_clocks().wall)) * 1'000'000);
}

int show_scripts(Client& client, const std::vector<JobInfo>& jobs) {
  std::string out;
  for (const JobInfo& job : jobs) {
    const Result<ScriptReply> reply = client.call<ScriptReply>(GetScript{job.id});
    if (!reply.ok()) return fail_load("sacct", reply.error());
    out += fmt::format("Batch Script for {}\n{:-<80}\n{}\n", job.id.value, "", reply->script);
  }
  return print_result(out) ? 0 : 1;
}

int show(const SacctOptions& options, const std::vector<AccountCell>& cells,
         std::vector<JobInfo>& jobs, const ListingContext& context) {
  std::string out;
  if (options.has_heading) append_account_heading(cells, options.style, out);
  for (const AccountRow& row : account_rows(jobs, options.rows))
    append_account_line(cells, options.style, row, context, out);
  return print_result(out) ? 0 : 1;
}

}  // namespace

std::vector<ManualOption> sacct_options() { return manual_options(texts_of<SacctOptions>(rows)); }

int run_sacct(int argc, char** argv) {
  SacctOptions options;
  const CommandTexts texts{.usage = "sacct [options]", .says_try_help = false};
  const CommandLine line = read_options<SacctOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return *line.exit_code;
  if (!line.words.empty())
    return fail(argv[0], fmt::format("Unrecognized argument: {}", line.words.front()));
  if (options.asks_completion) return std::fputs("Slurm job completion is disabled\n", stderr), 1;
  if (options.lists_columns) return print_result(account_column_list()) ? 0 : 1;
  const Result<std::vector<AccountCell>> cells =
      parse_account_format(options.format.empty() ? options.preset : options.format);
  if (!cells.ok())
    return fail(argv[0], fmt::format("Invalid field requested: \"{}\"", cells.error().detail));
  for (const AccountCell& cell : *cells) add_words(cell.column->groups, options.query.groups);
  add_words("run times", options.query.groups);  // the order of rows, and whether there is a step

  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return fail(argv[0], to_text(config.error()));
  const Result<void> cluster = check_cluster(options.cluster, *config);
  if (!cluster.ok()) return fail(argv[0], cluster.error().detail);
  apply_defaults(options);
  Client client(*config);
  Result<JobsAnswer> answer = ask_jobs(client, options.query);
  if (!answer.ok()) return fail_load("slurmdb_jobs_get", answer.error());
  if (options.shows_scripts) return show_scripts(client, answer->jobs);
  ListingContext context = context_of(*config);
  context.as_of = answer->as_of;
  context.exact_units = options.exact_units;
  return show(options, *cells, answer->jobs, context);
}

}  // namespace sluice
