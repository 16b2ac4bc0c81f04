// sacct_options.cpp: the option table of sacct.
#include "cli/sacct_options.h"

#include <unistd.h>

#include <cctype>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/manuals.h"
#include "common/base/clock.h"
#include "common/base/hostlist.h"
#include "common/options/grammar.h"
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
Result<std::int64_t> parse_time(std::string_view value) {
  return parse_time_point(value, to_seconds(read_clocks().wall), TimeOfDay::of_today);
}
Result<void> set_since(SacctOptions& options, std::string_view value) {
  options.query.filter.since = wall_from_us(TRY(parse_time(value)) * 1'000'000);
  return {};
}
// To the end of that second: what was submitted in this one is before "now".
Result<void> set_until(SacctOptions& options, std::string_view value) {
  options.query.filter.until = wall_from_us(TRY(parse_time(value)) * 1'000'000 + 999'999);
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

template <JobContent Content>
Result<void> set_content(SacctOptions& options, std::string_view) {
  options.content = Content;
  return {};
}
Result<void> set_unit(SacctOptions& options, std::string_view value) {
  const std::string_view units = "KMGTP";
  const char unit = value.size() == 1 ? static_cast<char>(std::toupper(value.front())) : '\0';
  if (units.find(unit) == std::string_view::npos)
    return refused(fmt::format("Invalid --units value: {}; one of K, M, G, T, P", value));
  options.mem.unit = unit;
  return {};
}
Result<void> add_groups_of_users(SacctOptions& options, std::string_view value) {
  for (const std::string& group : parse_word_list(value)) {
    const auto gid = gid_of_group(group);
    if (!gid) return refused(fmt::format("Invalid group id: {}", group));
    options.query.filter.gids.push_back(*gid);
  }
  return {};
}
template <auto Member>
Result<void> set_range(SacctOptions& options, std::string_view value) {
  const std::optional<NumberRange> range = parse_number_range(value);
  if (!range) return refused(fmt::format("Invalid range: {}; a number, or two as 2-4", value));
  options.filter.*Member = range;
  return {};
}
template <auto Member>
Result<void> set_limit(SacctOptions& options, std::string_view value) {
  const Result<TimeLimit> limit = parse_time_limit(value);
  if (!limit.ok()) return refused(to_text(limit.error()));
  options.filter.*Member = *limit;
  return {};
}
template <auto Member>
Result<void> set_own_words(SacctOptions& options, std::string_view value) {
  options.filter.*Member = parse_word_list(value);
  return {};
}
template <bool IsYaml>
Result<void> set_document(SacctOptions& options, std::string_view value) {
  options.document = TRY(parse_document_style(IsYaml, value));
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
    {"batch-script", 'B', none, nullptr, set_content<JobContent::script>,
     "the scripts of the jobs"},
    {"brief", 'b', none, nullptr, set_brief, "id, state and exit code"},
    {"clusters", 'M', required, nullptr, set_text<&SacctOptions::cluster>,
     "this cluster's name, or all"},
    {"completion", 'c', none, nullptr, set_to<&SacctOptions::asks_completion, true>,
     "job completion plugin (there is none)"},
    {"constraints", 'C', required, nullptr, set_own_words<&AccountFilter::constraints>,
     "jobs that asked for one of these features"},
    {"delimiter", 0, required, nullptr, set_delimiter, "text between columns of parsable output"},
    {"duplicates", 'D', none, nullptr, set_earlier_runs, "every run of a requeued job"},
    {"endtime", 'E', required, nullptr, set_until, "jobs before this time"},
    {"env-vars", 0, none, nullptr, set_content<JobContent::environment>,
     "the environments the jobs were submitted with"},
    {"federation", 0, none, nullptr, already_so<SacctOptions>, "show this cluster (it is alone)"},
    {"file", 'f', required, nullptr, nullptr, ""},
    {"flags", 'F', required, nullptr, nullptr, ""},
    {"format", 'o', required, "SACCT_FORMAT", add_format, "columns, as jobid,state%20"},
    {"gid", 'g', required, nullptr, add_groups_of_users, "comma separated list of groups"},
    {"group", 0, required, nullptr, add_groups_of_users, "the same"},
    {"helpformat", 'e', none, nullptr, set_to<&SacctOptions::lists_columns, true>,
     "the names of all columns"},
    {"jobs", 'j', required, nullptr, add_jobs, "comma separated list of jobs and steps"},
    {"json", 0, OptionArgument::optional, nullptr, set_document<false>, "as one JSON document",
     "SACCT_FORMAT"},
    {"local", 'L', none, nullptr, already_so<SacctOptions>, "jobs of this cluster only"},
    {"long", 'l', none, nullptr, set_long, "many columns"},
    {"name", 0, required, nullptr, set_words<&JobFilter::names>,
     "comma separated list of job names"},
    {"ncpus", 'i', required, nullptr, set_range<&AccountFilter::cpus>,
     "jobs that held so many cpus, as 2 or 2-4"},
    {"nnodes", 'I', required, nullptr, set_range<&AccountFilter::nodes>,
     "jobs that held so many nodes"},
    {"noconvert", 0, none, nullptr,
     [](SacctOptions& options, std::string_view) -> Result<void> {
       options.mem.exact = true;
       return {};
     },
     "do not convert amounts to larger units"},
    {"nodelist", 'N', required, nullptr, set_nodes, "jobs on these nodes"},
    {"noheader", 'n', none, nullptr, set_to<&SacctOptions::has_heading, false>, "no heading"},
    {"parsable", 'p', none, nullptr, set_parsable, "columns ended by |"},
    {"parsable2", 'P', none, nullptr, set_parsable2, "columns divided by |"},
    {"partition", 'r', required, nullptr, set_words<&JobFilter::partitions>,
     "comma separated list of partitions"},
    {"qos", 'q', required, nullptr, set_words<&JobFilter::qos>, "comma separated list of qos"},
    {"starttime", 'S', required, nullptr, set_since,
     "jobs at or after this time; default: today, or ever with --jobs"},
    {"state", 's', required, nullptr, set_states, "comma separated list of states"},
    {"timelimit-max", 'K', required, nullptr, set_limit<&AccountFilter::limit_max>,
     "jobs whose time limit is at most this (with --timelimit-min)"},
    {"timelimit-min", 'k', required, nullptr, set_limit<&AccountFilter::limit_min>,
     "jobs of this time limit, or from this one on"},
    {"truncate", 'T', none, nullptr, set_to<&SacctOptions::truncates, true>,
     "times within --starttime and --endtime"},
    {"uid", 'u', required, nullptr, add_users, "comma separated list of users"},
    {"units", 0, required, nullptr, set_unit, "amounts in K, M, G, T or P"},
    {"use-local-uid", 0, none, nullptr, already_so<SacctOptions>, "names of this machine"},
    {"user", 0, required, nullptr, add_users, "comma separated list of users"},
    {"verbose", 'v', none, nullptr, already_so<SacctOptions>, "more messages (there are none)"},
    {"wckeys", 'W', required, nullptr, set_words<&JobFilter::wckeys>,
     "comma separated list of workload keys"},
    {"whole-hetjob", 0, OptionArgument::optional, nullptr, already_so<SacctOptions>,
     "all components of jobs (they have one)"},
    {"associations", 'x', required, nullptr, nullptr, ""},
    {"reservation", 'Q', required, nullptr, set_own_words<&AccountFilter::reservations>,
     "jobs of these reservations"},
    {"yaml", 0, OptionArgument::optional, nullptr, set_document<true>, "the same in YAML",
     "SACCT_FORMAT"},
};

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

}  // namespace

std::vector<ManualOption> sacct_options() { return manual_options(texts_of<SacctOptions>(rows)); }

CommandLine read_sacct_options(int argc, char** argv, SacctOptions& options) {
  options.preset = default_format;
  const CommandTexts texts{.usage = "sacct [options]", .says_try_help = false};
  CommandLine line = read_options<SacctOptions>(argc, argv, texts, rows, options);
  if (!line.exit_code) apply_defaults(options);
  return line;
}

}  // namespace sluice
