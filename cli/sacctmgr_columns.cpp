// sacctmgr_columns.cpp: the columns of sacctmgr's listings, and how a line is made of them. Names
// and widths are Slurm's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/listing/amount_text.h"
#include "cli/listing/time_text.h"
#include "cli/sacctmgr.h"
#include "cli/sacctmgr_entities.h"
#include "common/options/text.h"

namespace sluice {
namespace {

std::string number(const std::optional<std::uint32_t>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string none(const ListRow&) { return {}; }

const Limits* limits_of(const ListRow& row) {
  if (row.qos) return &row.qos->limits;
  return row.association ? &row.association->limits : nullptr;
}

template <auto Member>
std::string count_column(const ListRow& row) {
  const Limits* limits = limits_of(row);
  return limits ? number(limits->*Member) : "";
}
template <auto Member>
std::string tres_column(const ListRow& row) {
  const Limits* limits = limits_of(row);
  return limits ? tres_counts_text(limits->*Member) : "";
}
template <auto Member>
std::string minutes_column(const ListRow& row) {
  const Limits* limits = limits_of(row);
  return limits ? minutes_text(limits->*Member) : "";
}
template <auto Member>
std::string association_number(const ListRow& row) {
  return row.association ? number(row.association->*Member) : "";
}
template <auto Member>
std::string qos_number(const ListRow& row) {
  return row.qos ? number(row.qos->*Member) : "";
}
template <auto Member>
std::string qos_tres(const ListRow& row) {
  return row.qos ? tres_counts_text(row.qos->*Member) : "";
}

// Of the old columns for one resource.
template <auto Member, const char* Tres>
std::string one_tres(const ListRow& row) {
  const Limits* limits = limits_of(row);
  if (!limits) return {};
  for (const TresCount& count : limits->*Member)
    if (count.tres == Tres) return fmt::format("{}", count.count);
  return {};
}
constexpr char cpu_tres[] = "cpu";
constexpr char node_tres[] = "node";
constexpr char mem_tres[] = "mem";

std::string cluster(const ListRow& row) { return row.association || !row.qos ? row.cluster : ""; }

std::string account(const ListRow& row) {
  const std::string name = row.association ? row.association->account
                           : row.account   ? row.account->name
                                           : "";
  return row.tree ? std::string(row.depth, ' ') + name : name;
}

std::string user(const ListRow& row) {
  if (row.user) return row.user->name;
  return row.association ? row.association->user : "";
}

std::string partition(const ListRow& row) {
  return row.association ? row.association->partition : "";
}

std::string share(const ListRow& row) {
  if (!row.association) return {};
  return row.association->shares ? fmt::format("{}", *row.association->shares) : "parent";
}

std::string priority(const ListRow& row) {
  if (row.qos) return fmt::format("{}", row.qos->priority);
  if (!row.association || row.association->priority == 0) return {};
  return fmt::format("{}", row.association->priority);
}

std::string qos_list(const ListRow& row) {
  if (!row.association) return {};
  std::vector<std::string> names = qos_of(*row.book, *row.association);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

std::string default_qos(const ListRow& row) {
  return row.association ? default_qos_of(*row.book, *row.association) : "";
}

std::string parent_name(const ListRow& row) {
  return row.association && row.association->user.empty() ? row.association->parent : "";
}

std::string row_id(const ListRow& row) {
  if (row.qos) return fmt::format("{}", row.qos->id.value);
  return row.association ? fmt::format("{}", row.association->id.value) : "";
}

std::string description(const ListRow& row) {
  if (row.qos) return row.qos->description;
  return row.account ? row.account->description : "";
}

std::string organization(const ListRow& row) {
  return row.account ? row.account->organization : "";
}

// Of an account its own, of a user the accounts.
std::string coordinators(const ListRow& row) {
  if (row.account) return fmt::format("{}", fmt::join(row.account->coordinators, ","));
  std::vector<std::string> accounts;
  if (row.user)
    for (const auto& [name, one] : row.book->accounts)
      if (!one.deleted && std::find(one.coordinators.begin(), one.coordinators.end(),
                                    row.user->name) != one.coordinators.end())
        accounts.push_back(name);
  return fmt::format("{}", fmt::join(accounts, ","));
}

std::string default_account(const ListRow& row) {
  return row.user ? row.user->default_account : "";
}

std::string admin_level(const ListRow& row) {
  return row.user ? enum_name(row.user->admin_level) : "";
}

std::string qos_name(const ListRow& row) { return row.qos ? row.qos->name : ""; }

std::string flags(const ListRow& row) {
  std::string text;
  if (row.qos)
    for (const QosFlag flag : row.qos->flags)
      text.append(text.empty() ? "" : ",").append(enum_name(flag));
  return text;
}

std::string grace_time(const ListRow& row) {
  std::string text;
  if (row.qos) append_long_duration(row.qos->grace_time_s, text);
  return text;
}

std::string preempt(const ListRow& row) {
  return row.qos ? fmt::format("{}", fmt::join(row.qos->preempt, ",")) : "";
}

std::string preempt_mode(const ListRow& row) {
  if (!row.qos) return {};
  return row.qos->preempt_mode ? lower_case(enum_name(*row.qos->preempt_mode)) : "cluster";
}

std::string usage_factor(const ListRow& row) {
  return row.qos ? fmt::format("{:.6f}", row.qos->usage_factor_ppm / 1e6) : "";
}

using A = Association;
using L = Limits;
using Q = Qos;

// In Slurm's order: an abbreviation means the first that fits.
constexpr ListColumn association_rows[] = {
    {"Account", 10, account},
    {"Admin", 9, admin_level},
    {"AdminLevel", 9, admin_level},
    {"Cluster", 10, cluster},
    {"Coordinators", 20, coordinators},
    {"Coord Accounts", 20, coordinators},
    {"Def Acct", 10, default_account},
    {"DefaultAccount", 10, default_account},
    {"Def QOS", 9, default_qos},
    {"DefaultQOS", 9, default_qos},
    {"DefaultWCKey", 10, none},
    {"Descr", 20, description},
    {"Description", 20, description},
    {"Share", 9, share},
    {"Fairshare", 9, share},
    {"GrpCPUs", 8, one_tres<&L::grp_tres, cpu_tres>},
    {"GrpCPUMins", 11, none},
    {"GrpCPURunMins", 13, none},
    {"GrpTRES", 13, tres_column<&L::grp_tres>},
    {"GrpTRESMins", 13, tres_column<&L::grp_tres_mins>},
    {"GrpTRESRunMins", 13, tres_column<&L::grp_tres_run_mins>},
    {"GrpJobs", 7, count_column<&L::grp_jobs>},
    {"GrpJobsAccrue", 13, count_column<&L::grp_jobs_accrue>},
    {"GrpMem", 7, one_tres<&L::grp_tres, mem_tres>},
    {"GrpNodes", 8, one_tres<&L::grp_tres, node_tres>},
    {"GrpSubmit", 9, count_column<&L::grp_submit_jobs>},
    {"GrpSubmitJobs", 9, count_column<&L::grp_submit_jobs>},
    {"GrpWall", 11, minutes_column<&L::grp_wall_min>},
    {"ID", 6, row_id},
    {"MaxCPUs", 8, one_tres<&L::max_tres_per_job, cpu_tres>},
    {"MaxCPUMins", 11, none},
    {"MaxTRES", 13, tres_column<&L::max_tres_per_job>},
    {"MaxTRESPerJob", 13, tres_column<&L::max_tres_per_job>},
    {"MaxTRESPerNode", 14, tres_column<&L::max_tres_per_node>},
    {"MaxTRESMins", 13, tres_column<&L::max_tres_mins_per_job>},
    {"MaxJobs", 7, association_number<&A::max_jobs>},
    {"MaxJobsAccrue", 13, association_number<&A::max_jobs_accrue>},
    {"MaxNodes", 8, one_tres<&L::max_tres_per_job, node_tres>},
    {"MaxSubmit", 9, association_number<&A::max_submit_jobs>},
    {"MaxSubmitJobs", 9, association_number<&A::max_submit_jobs>},
    {"MaxWall", 11, minutes_column<&L::max_wall_min>},
    {"MaxWallDurationPerJob", 11, minutes_column<&L::max_wall_min>},
    {"User", 10, user},
    {"Name", 10, user},
    {"Org", 20, organization},
    {"Organization", 20, organization},
    {"Par Name", 10, parent_name},
    {"ParentName", 10, parent_name},
    {"Partition", 10, partition},
    {"Priority", 10, priority},
    {"QOS", 20, qos_list},
    {"WCKeys", 20, none},
};

constexpr ListColumn qos_rows[] = {
    {"Description", 20, description},
    {"Flags", 40, flags},
    {"GraceTime", 10, grace_time},
    {"GrpTRES", 13, tres_column<&L::grp_tres>},
    {"GrpTRESMins", 13, tres_column<&L::grp_tres_mins>},
    {"GrpTRESRunMins", 13, tres_column<&L::grp_tres_run_mins>},
    {"GrpCPUs", 8, one_tres<&L::grp_tres, cpu_tres>},
    {"GrpJobs", 7, count_column<&L::grp_jobs>},
    {"GrpJobsAccrue", 13, count_column<&L::grp_jobs_accrue>},
    {"GrpMem", 7, one_tres<&L::grp_tres, mem_tres>},
    {"GrpNodes", 8, one_tres<&L::grp_tres, node_tres>},
    {"GrpSubmit", 9, count_column<&L::grp_submit_jobs>},
    {"GrpSubmitJobs", 9, count_column<&L::grp_submit_jobs>},
    {"GrpWall", 11, minutes_column<&L::grp_wall_min>},
    {"ID", 6, row_id},
    {"LimitFactor", 11, none},
    {"MaxCPUs", 8, one_tres<&L::max_tres_per_job, cpu_tres>},
    {"MaxTRES", 13, tres_column<&L::max_tres_per_job>},
    {"MaxTRESPerJob", 13, tres_column<&L::max_tres_per_job>},
    {"MaxTRESPerNode", 14, tres_column<&L::max_tres_per_node>},
    {"MaxTRESMins", 13, tres_column<&L::max_tres_mins_per_job>},
    {"MaxTRESPU", 13, qos_tres<&Q::max_tres_per_user>},
    {"MaxTRESPerUser", 13, qos_tres<&Q::max_tres_per_user>},
    {"MaxTRESPA", 13, qos_tres<&Q::max_tres_per_account>},
    {"MaxTRESPerAccount", 13, qos_tres<&Q::max_tres_per_account>},
    {"MaxJobsPU", 9, qos_number<&Q::max_jobs_per_user>},
    {"MaxJobsPerUser", 9, qos_number<&Q::max_jobs_per_user>},
    {"MaxJobsPA", 9, qos_number<&Q::max_jobs_per_account>},
    {"MaxJobsPerAccount", 9, qos_number<&Q::max_jobs_per_account>},
    {"MaxNodes", 8, one_tres<&L::max_tres_per_job, node_tres>},
    {"MaxSubmitPU", 11, qos_number<&Q::max_submit_jobs_per_user>},
    {"MaxSubmitJobsPU", 11, qos_number<&Q::max_submit_jobs_per_user>},
    {"MaxSubmitJobsPerUser", 11, qos_number<&Q::max_submit_jobs_per_user>},
    {"MaxSubmitPA", 11, qos_number<&Q::max_submit_jobs_per_account>},
    {"MaxSubmitJobsPA", 11, qos_number<&Q::max_submit_jobs_per_account>},
    {"MaxSubmitJobsPerAccount", 11, qos_number<&Q::max_submit_jobs_per_account>},
    {"MaxWall", 11, minutes_column<&L::max_wall_min>},
    {"MaxWallDurationPerJob", 11, minutes_column<&L::max_wall_min>},
    {"MinTRES", 13, qos_tres<&Q::min_tres_per_job>},
    {"MinTRESPerJob", 13, qos_tres<&Q::min_tres_per_job>},
    {"Name", 10, qos_name},
    {"Preempt", 10, preempt},
    {"PreemptMode", 11, preempt_mode},
    {"PreemptExemptTime", 19, none},
    {"Priority", 10, priority},
    {"UsageFactor", 11, usage_factor},
    {"UsageThres", 10, none},
    {"UsageThreshold", 10, none},
};

// Several names of one column have the heading of the first.
const ListColumn* first_of(std::span<const ListColumn> columns, const ListColumn& found) {
  if (found.text == none) return &found;
  for (const ListColumn& column : columns)
    if (column.text == found.text) return &column;
  return &found;
}

const ListColumn* find_column(std::span<const ListColumn> columns, std::string_view name) {
  for (const ListColumn& column : columns)
    if (equals_ignoring_case(name, column.name)) return first_of(columns, column);
  for (const ListColumn& column : columns)
    if (abbreviates(name, column.name, 1)) return first_of(columns, column);
  if (name.size() > 1 && (name.back() == 's' || name.back() == 'S'))
    return find_column(columns, name.substr(0, name.size() - 1));
  return nullptr;
}

// In characters, not bytes; the last one is '+' where some are cut off, but not in a heading.
std::string cell(const std::string& text, int width, bool marks_cut) {
  const std::size_t size = static_cast<std::size_t>(width < 0 ? -width : width);
  std::size_t characters = 0;
  std::size_t bytes = 0;
  std::size_t bytes_before_last = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) == 0x80) continue;
    if (characters + 1 == size) bytes_before_last = i;
    if (characters == size) bytes = i;
    ++characters;
  }
  if (characters > size)
    return marks_cut ? text.substr(0, bytes_before_last) + "+" : text.substr(0, bytes);
  const std::string padding(size - characters, ' ');
  return width < 0 ? text + padding : padding + text;
}

std::string delimited(const std::vector<std::string>& cells, const SacctmgrOptions& options) {
  std::string line = fmt::format("{}", fmt::join(cells, options.delimiter));
  return line + (*options.parsable ? options.delimiter : "") + '\n';
}

}  // namespace

std::string tres_counts_text(const TresCounts& counts) {
  const auto rank = [](const std::string& tres) {
    constexpr std::string_view order[] = {"cpu", "mem", "node", "billing"};
    return std::find(std::begin(order), std::end(order), tres) - std::begin(order);
  };
  TresCounts sorted = counts;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const TresCount& a, const TresCount& b) {
    return rank(a.tres) < rank(b.tres);
  });
  std::string text;
  for (const TresCount& row : sorted) {
    text.append(text.empty() ? "" : ",").append(row.tres).append("=");
    if (row.tres == "mem") append_mem_mb(row.count, {}, text);
    else text += fmt::format("{}", row.count);
  }
  return text;
}

std::string minutes_text(const std::optional<std::uint32_t>& minutes) {
  std::string text;
  if (minutes) append_long_duration(std::int64_t{*minutes} * 60, text);
  return text;
}

Result<std::vector<ChosenColumn>> choose_columns(std::span<const ListColumn> columns,
                                                 std::string_view format) {
  std::vector<ChosenColumn> chosen;
  for (std::string_view piece : split(format, ',')) {
    const std::size_t percent = piece.find('%');
    const std::string_view name = piece.substr(0, percent);
    if (name.empty()) continue;
    const ListColumn* column = find_column(columns, name);
    int width = column ? column->width : 0;
    if (percent != std::string_view::npos) {
      const auto asked = parse_signed(piece.substr(percent + 1));
      if (!asked || *asked == 0 || *asked > 1000 || *asked < -1000)
        return Error{ErrorCode::invalid_argument, std::string(piece)};
      width = static_cast<int>(*asked);
    }
    if (!column) return Error{ErrorCode::invalid_argument, std::string(name)};
    chosen.push_back({column, width});
  }
  return chosen;
}

std::string heading_text(const std::vector<ChosenColumn>& columns, const SacctmgrOptions& options) {
  if (!options.has_heading) return {};
  std::string line;
  std::string rule;
  std::vector<std::string> names;
  for (const ChosenColumn& column : columns) {
    names.emplace_back(column.column->name);
    line += cell(column.column->name, column.width, false) + ' ';
    rule += std::string(static_cast<std::size_t>(std::abs(column.width)), '-') + ' ';
  }
  if (options.parsable) return delimited(names, options);
  return line + '\n' + rule + '\n';
}

std::string line_text(const std::vector<ChosenColumn>& columns, const ListRow& row,
                      const SacctmgrOptions& options) {
  std::string line;
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = row.cells ? (*row.cells)[i] : columns[i].column->text(row);
    cells.push_back(text);
    line += cell(text, columns[i].width, true) + ' ';
  }
  return options.parsable ? delimited(cells, options) : line + '\n';
}

std::span<const ListColumn> association_columns() { return association_rows; }
std::span<const ListColumn> qos_columns() { return qos_rows; }

}  // namespace sluice
