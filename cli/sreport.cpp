// sreport.cpp: `sreport`: past use by account and user, in Slurm's tables. Parse, ask, render.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>

#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/getent.h"
#include "cli/listing/options.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/listing/usage_report.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "common/base/clock.h"
#include "common/options/text.h"
#include "common/options/time_point.h"

namespace sluice {
namespace {

struct SreportOptions {
  UsageLayout layout;
  std::vector<std::string> tres = {"cpu"};
  std::string cluster;
};

template <bool ClosesLine>
Result<void> set_parsable(SreportOptions& options, std::string_view) {
  options.layout.is_parsable = true;
  options.layout.closes_line = ClosesLine;
  return {};
}
Result<void> set_no_heading(SreportOptions& options, std::string_view) {
  options.layout.has_heading = false;
  return {};
}

struct UnitName {
  const char* name;
  UsageUnit unit;
};
constexpr UnitName units[] = {
    {"seconds", UsageUnit::seconds}, {"minutes", UsageUnit::minutes}, {"hours", UsageUnit::hours}};

Result<void> set_unit(SreportOptions& options, std::string_view value) {
  for (const UnitName& row : units)
    if (!value.empty() &&
        equals_ignoring_case(value, std::string_view(row.name).substr(0, value.size()))) {
      options.layout.unit = row.unit;
      return {};
    }
  return Error{ErrorCode::invalid_option,
               fmt::format("'{}': there are Seconds, Minutes and Hours; shares of the cluster "
                           "(Percent, SecPer, MinPer, HourPer) are not supported",
                           value)};
}

using Row = OptionRow<SreportOptions>;
constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;
constexpr Row rows[] = {
    {"all_clusters", 'a', none, nullptr, already_so<SreportOptions>, "all there are: one"},
    {"cluster", 'M', required, "SLURM_CLUSTERS",
     SetText<&SreportOptions::cluster>::template apply<SreportOptions>,
     "this cluster's name, or all"},
    {"noheader", 'n', none, nullptr, set_no_heading, "no heading"},
    {"parsable", 'p', none, nullptr, set_parsable<true>, "values end with |"},
    {"parsable2", 'P', none, nullptr, set_parsable<false>, "values with | between them"},
    {"quiet", 'Q', none, nullptr, already_so<SreportOptions>,
     "tell errors alone, as is done anyhow"},
    {"time", 't', required, nullptr, set_unit, "the unit: Seconds, Minutes or Hours"},
    {"tres", 'T', required, "SREPORT_TRES",
     SetWords<&SreportOptions::tres>::template apply<SreportOptions>,
     "what was used: cpu, mem, node, billing, gres/gpu, gres/gpu:TYPE; one table each"},
};

// --- reports -------------------------------------------------------------------------------------

struct ReportRow {
  const char* family;
  const char* name;
  std::size_t letters_min;
  const UsageReportKind* kind;  // null: refused by name
  const char* help;
};
constexpr UsageReportKind by_account = UsageReportKind::accounts;
constexpr UsageReportKind by_user = UsageReportKind::users;
constexpr UsageReportKind by_top = UsageReportKind::top;
constexpr ReportRow reports[] = {
    {"cluster", "AccountUtilizationByUser", 1, &by_account,
     "what each account used with all below it, and its users"},
    {"cluster", "UserUtilizationByAccount", 19, &by_user, "what each user used in each account"},
    {"cluster", "UserUtilizationByWckey", 19, nullptr, ""},
    {"cluster", "Utilization", 2, nullptr, ""},
    {"cluster", "WCKeyUtilizationByUser", 1, nullptr, ""},
    {"job", "SizesByAccount", 14, nullptr, ""},
    {"job", "SizesByAccountAndWcKey", 15, nullptr, ""},
    {"job", "SizesByWckey", 8, nullptr, ""},
    {"reservation", "Utilization", 1, nullptr, ""},
    {"user", "TopUsage", 1, &by_top, "who used most"},
};

bool shortens(std::string_view word, std::string_view name, std::size_t letters_min) {
  return word.size() >= letters_min && word.size() <= name.size() &&
         equals_ignoring_case(word, name.substr(0, word.size()));
}

int complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

// Null: it was told what is wrong.
const ReportRow* find_report(const std::vector<std::string>& words) {
  const bool is_family = std::any_of(std::begin(reports), std::end(reports), [&](const auto& row) {
    return shortens(words.front(), row.family, 1);
  });
  if (!is_family) return complain("invalid keyword: " + words.front()), nullptr;
  for (const ReportRow& row : reports) {
    if (!shortens(words.front(), row.family, 1) || words.size() < 2 ||
        !shortens(words[1], row.name, row.letters_min))
      continue;
    if (row.kind) return &row;
    complain(fmt::format("sreport: error: {} {} is not supported", row.family, row.name));
    return nullptr;
  }
  std::string known;
  for (const ReportRow& row : reports)
    if (row.kind) known += fmt::format("{}{} {}", known.empty() ? "" : ", ", row.family, row.name);
  complain(fmt::format("Not valid report {}\nValid reports are: {}",
                       words.size() < 2 ? "(none)" : words[1], known));
  return nullptr;
}

// --- its period and what else it is asked for
// ------------------------------------------------------

std::int64_t local_boundary(std::int64_t at, bool of_day, int days) {
  std::time_t time = at;
  std::tm parts{};
  localtime_r(&time, &parts);
  parts.tm_sec = parts.tm_min = 0;
  if (of_day) parts.tm_hour = 0;
  parts.tm_mday += days;
  if (of_day) parts.tm_isdst = -1;
  return std::mktime(&parts);
}

struct Period {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> end;
};

// Nothing said: yesterday. Whole hours; one at least.
void set_period(const Period& said, std::int64_t now, UsageQuery& query) {
  constexpr std::int64_t hour_s = 3600;
  const std::int64_t start =
      said.start ? local_boundary(*said.start, false, 0) : local_boundary(now, true, -1);
  std::int64_t end = said.end ? local_boundary(*said.end, false, 0) : local_boundary(now, true, 0);
  end = std::max(end, start + hour_s);
  query.since = wall_from_us(start * 1'000'000);
  query.until = wall_from_us(end * 1'000'000);
}

struct Asked {
  UsageQuery query;
  Period period;
  std::string format;
  std::string cluster;
};

Result<void> take_time(std::optional<std::int64_t>& time, std::string_view value) {
  time = TRY(parse_time_point(value, to_seconds(read_clocks().wall), TimeOfDay::of_today));
  return {};
}

struct KeyRow {
  const char* name;
  std::size_t letters_min;
  Result<void> (*apply)(Asked& asked, std::string_view value);
};
constexpr KeyRow keys[] = {
    {"accounts", 1,
     [](Asked& asked, std::string_view value) -> Result<void> {
       asked.query.accounts = parse_word_list(value);
       return {};
     }},
    {"clusters", 1,
     [](Asked& asked, std::string_view value) -> Result<void> {
       asked.cluster = value;
       return {};
     }},
    {"end", 1,
     [](Asked& asked, std::string_view value) { return take_time(asked.period.end, value); }},
    {"format", 1,
     [](Asked& asked, std::string_view value) -> Result<void> {
       asked.format = value;
       return {};
     }},
    {"start", 1,
     [](Asked& asked, std::string_view value) { return take_time(asked.period.start, value); }},
    {"topcount", 4,
     [](Asked& asked, std::string_view value) -> Result<void> {
       const auto count = parse_number(value);
       if (!count || *count == 0 || *count > 1'000'000)
         return Error{ErrorCode::invalid_argument,
                      fmt::format("TopCount={}: no such number", value)};
       asked.query.top = *count;
       return {};
     }},
    {"users", 1,
     [](Asked& asked, std::string_view value) -> Result<void> {
       asked.query.users = parse_word_list(value);
       return {};
     }},
};

Result<void> take_word(const std::string& word, Asked& asked) {
  const std::size_t equals = word.find('=');
  const std::string_view name = std::string_view(word).substr(0, equals);
  if (equals == std::string::npos) {
    if (shortens(name, "group", 1)) return asked.query.joins_accounts = true, Result<void>{};
    if (shortens(name, "tree", 1)) return asked.query.shows_tree = true, Result<void>{};
  } else {
    for (const KeyRow& key : keys)
      if (shortens(name, key.name, key.letters_min))
        return key.apply(asked, std::string_view(word).substr(equals + 1));
  }
  return Error{ErrorCode::invalid_argument, fmt::format("Unknown condition: {}", word)};
}

// The machine is asked once for each.
class ProperNames {
 public:
  std::string of(const std::string& login) {
    const auto [at, is_new] = known_.try_emplace(login);
    if (!is_new) return at->second;
    constexpr std::size_t gecos = 4;  // of name:password:uid:gid:gecos:home:shell
    const auto entry = getent("passwd", login);
    const std::vector<std::string_view> fields =
        entry ? split(*entry, ':') : std::vector<std::string_view>{};
    if (fields.size() > gecos) at->second = fields[gecos].substr(0, fields[gecos].find(','));
    return at->second;
  }

 private:
  std::map<std::string, std::string> known_;
};

int report(const SreportOptions& options, const Asked& asked, const ClusterConfig& config) {
  const auto cells =
      parse_usage_format(asked.format.empty() ? default_usage_format(asked.query) : asked.format);
  if (!cells.ok()) return print_error("sreport", cells.error().detail), 1;
  Client client(config);
  std::vector<Association> associations;
  const auto book = client.call_parts<AccountsReply>(QueryAccounts{}, [&](AccountsReply&& part) {
    for (Association& row : part.associations) associations.push_back(std::move(row));
  });
  if (!book.ok()) return print_error("sreport", book.error()), exit_code_of(book.error());
  QueryJobs query;
  query.source = JobSource::history;
  query.earlier_runs = true;
  query.filter.since = asked.query.since;
  query.filter.until = asked.query.until;
  query.groups = {"names", "asked", "times", "allocation"};
  UsageReport usage(asked.query);
  const auto visited = visit_pages(client, query, [&](JobsReply&& part) {
    for (const JobInfo& run : part.jobs) usage.add(run);
  });
  if (!visited.ok()) return print_error("sreport", visited.error()), exit_code_of(visited.error());
  ProperNames names;
  const bool shows_names = std::any_of(cells->begin(), cells->end(), [](const UsageCell& cell) {
    return std::string_view(cell.column->name) == "Proper";
  });
  const std::vector<UsageRow> sums = usage.rows(
      config.cluster_name, associations,
      [&](const std::string& login) { return shows_names ? names.of(login) : std::string(); });
  return print_result(usage_text(asked.query, *cells, sums, options.layout)) ? 0 : 1;
}

std::string make_usage() {
  std::string text =
      "sreport [<OPTION>] [<COMMAND>]\n"
      "    Valid <OPTION> values are listed by --help.\n"
      "    Valid <COMMAND> values are:";
  for (const ReportRow& row : reports)
    if (row.kind) text += fmt::format("\n     {} {}", row.family, row.name);
  return text;
}

}  // namespace

std::vector<ManualOption> sreport_options() {
  return manual_options(texts_of<SreportOptions>(rows));
}

std::string sreport_report_lines() {
  std::string lines;
  for (const ReportRow& row : reports)
    if (row.kind) lines += fmt::format("- {} {}: {}\n", row.family, row.name, sentence(row.help));
  return lines;
}

int run_sreport(int argc, char** argv) {
  SreportOptions options;
  const std::string usage = make_usage();
  const CommandLine line =
      read_options<SreportOptions>(argc, argv, CommandTexts{usage.c_str()}, rows, options);
  if (line.exit_code) return *line.exit_code;
  if (line.words.empty()) return complain(usage);
  const ReportRow* row = find_report(line.words);
  if (!row) return 1;
  Asked asked;
  asked.query.kind = *row->kind;
  asked.query.tres = options.tres;
  asked.cluster = options.cluster;
  for (std::size_t i = 2; i < line.words.size(); ++i)
    if (const auto taken = take_word(line.words[i], asked); !taken)
      return complain(" " + taken.error().detail);
  set_period(asked.period, to_seconds(read_clocks().wall), asked.query);
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  if (const auto cluster = check_cluster(asked.cluster, *config); !cluster)
    return print_error(argv[0], cluster.error().detail), 1;
  return report(options, asked, *config);
}

}  // namespace sluice
