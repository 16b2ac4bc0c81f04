// usage_report.cpp: sums, and the table of columns.
#include "cli/listing/usage_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/listing/selectors.h"
#include "cli/listing/time_text.h"
#include "common/options/text.h"

namespace sluice {
namespace {

double seconds_within(const JobInfo& run, const UsageQuery& query) {
  if (!run.times.started) return 0;
  const WallTime end = std::min(run.times.ended.value_or(query.until), query.until);
  const WallTime start = std::max(*run.times.started, query.since);
  return std::max(std::chrono::duration<double>(end - start).count(), 0.0);
}

std::uint64_t gres_of(const TresAmounts& held, std::string_view tres) {
  constexpr std::string_view prefix = "gres/";
  if (!tres.starts_with(prefix)) return 0;
  const std::string_view name = tres.substr(prefix.size());
  std::uint64_t count = 0;
  for (const GresCount& gres : held.gres)
    if (name == gres.name || name == fmt::format("{}:{}", gres.name, gres.type))
      count += gres.count;
  return count;
}

std::uint64_t amount_of(const TresAmounts& held, const std::string& tres) {
  if (tres == "cpu") return held.cpus;
  if (tres == "mem") return held.mem_mb;
  if (tres == "node") return held.nodes;
  if (tres == "billing") return held.billing;
  return gres_of(held, tres);
}

bool lets_in(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

double used_of(const UsageSums& sums, const std::string& tres) {
  const auto at = sums.find(tres);
  return at == sums.end() ? 0 : at->second;
}

// The accounts of a book, each with those below it.
struct Tree {
  std::map<std::string, std::set<std::string>> below;  // by parent; "" has the roots

  Tree(const std::vector<Association>& rows, const std::set<std::string>& used) {
    std::set<std::string> seen;
    for (const Association& row : rows) {
      if (row.deleted || !row.user.empty()) continue;
      below[row.parent].insert(row.account);
      seen.insert(row.account);
    }
    // Of no book, or of an account that is gone.
    for (const std::string& name : used)
      if (!seen.contains(name)) below[""].insert(name);
  }
};

// Rows of an account and of all below it; gives what they used together.
class AccountRows {
 public:
  using ByUser = std::map<std::string, double>;

  AccountRows(const Tree& tree, const std::map<std::string, ByUser>& used, bool shows_tree)
      : tree_(tree), used_(used), shows_tree_(shows_tree) {}

  double add(const std::string& account, std::size_t depth, std::vector<UsageRow>& rows) const {
    const std::size_t place = rows.size();
    UsageRow own{.account = shows_tree_ ? std::string(depth, ' ') + account : account};
    rows.push_back(own);
    double total = 0;
    if (const auto at = used_.find(account); at != used_.end())
      for (const auto& [user, seconds] : at->second) {
        rows.push_back(own);
        rows.back().login = user;
        rows.back().seconds = seconds;
        total += seconds;
      }
    if (const auto at = tree_.below.find(account); at != tree_.below.end())
      for (const std::string& child : at->second) total += add(child, depth + 1, rows);
    rows[place].seconds = total;
    if (total <= 0) rows.resize(place);
    return total;
  }

 private:
  const Tree& tree_;
  const std::map<std::string, ByUser>& used_;
  bool shows_tree_;
};

// --- columns

std::string used_text(const UsageRow& row, UsageUnit unit) {
  constexpr double divisors[] = {1, 60, 3600};
  return fmt::format("{:.0f}", std::floor(row.seconds / divisors[static_cast<std::size_t>(unit)]));
}

constexpr UsageColumn columns[] = {
    {"Cluster", 2, "Cluster", 9, [](const UsageRow& row, UsageUnit) { return row.cluster; }},
    {"Account", 1, "Account", 15, [](const UsageRow& row, UsageUnit) { return row.account; }},
    {"Login", 1, "Login", 9, [](const UsageRow& row, UsageUnit) { return row.login; }},
    {"Proper", 1, "Proper Name", 15,
     [](const UsageRow& row, UsageUnit) { return row.proper_name; }},
    {"TresName", 5, "TRES Name", 14, [](const UsageRow& row, UsageUnit) { return row.tres; }},
    {"Used", 1, "Used", 8, used_text},
    // Nothing measures energy.
    {"Energy", 1, "Energy", 8, [](const UsageRow&, UsageUnit) { return std::string("0"); }},
};

const UsageColumn* find_column(std::string_view name) {
  for (const UsageColumn& column : columns)
    if (name.size() >= column.letters_min && name.size() <= std::string_view(column.name).size() &&
        equals_ignoring_case(name, std::string_view(column.name).substr(0, name.size())))
      return &column;
  return nullptr;
}

void append_cell(const UsageCell& cell, std::string text, bool is_heading, std::string& out) {
  if (text.size() > cell.width) {
    text.resize(cell.width);
    if (!is_heading) text.back() = '+';
  }
  out += cell.is_left ? fmt::format("{:<{}} ", text, cell.width)
                      : fmt::format("{:>{}} ", text, cell.width);
}

std::string period_text(const UsageQuery& query) {
  const TimeText times;
  return fmt::format("{} - {} ({} secs)", times.text(query.since),
                     times.text(query.until - std::chrono::seconds{1}),
                     (query.until - query.since) / std::chrono::seconds{1});
}

std::string banner(const UsageQuery& query, UsageUnit unit) {
  constexpr const char* titles[] = {"Cluster/Account/User Utilization",
                                    "Cluster/User/Account Utilization", ""};
  constexpr const char* units[] = {"Seconds", "Minutes", "Hours"};
  const std::string line(80, '-');
  const bool is_cpu = query.tres == std::vector<std::string>{"cpu"};
  const std::string title = query.kind == UsageReportKind::top
                                ? fmt::format("Top {} Users", query.top)
                                : titles[static_cast<std::size_t>(query.kind)];
  return fmt::format("{0}\n{1} {2}\nUsage reported in {3} {4}\n{0}\n", line, title,
                     period_text(query), is_cpu ? "CPU" : "TRES",
                     units[static_cast<std::size_t>(unit)]);
}

}  // namespace

void UsageReport::add(const JobInfo& run) {
  const double seconds = seconds_within(run, query_);
  if (seconds <= 0 || !lets_in(query_.accounts, run.names.account) ||
      !lets_in(query_.users, run.names.user))
    return;
  const TresAmounts held = tres_of(run);
  UsageSums& sums = used_[{run.names.user, run.names.account}];
  for (const std::string& tres : query_.tres)
    sums[tres] += static_cast<double>(amount_of(held, tres)) * seconds;
}

std::vector<UsageRow> UsageReport::rows(
    const std::string& cluster, const std::vector<Association>& associations,
    const std::function<std::string(const std::string&)>& proper_name) const {
  std::vector<UsageRow> rows;
  for (const std::string& tres : query_.tres) {
    const std::size_t first = rows.size();
    if (query_.kind == UsageReportKind::accounts) {
      std::map<std::string, AccountRows::ByUser> by_account;
      std::set<std::string> used;
      for (const auto& [of, sums] : used_) {
        by_account[of.second][of.first] += used_of(sums, tres);
        used.insert(of.second);
      }
      const Tree tree(associations, used);
      const AccountRows writer(tree, by_account, query_.shows_tree);
      if (const auto roots = tree.below.find(""); roots != tree.below.end())
        for (const std::string& root : roots->second) writer.add(root, 0, rows);
    } else {
      std::map<std::string, UsageRow> joined;
      for (const auto& [of, sums] : used_) {
        UsageRow row{.account = of.second, .login = of.first, .seconds = used_of(sums, tres)};
        if (row.seconds <= 0) continue;
        if (!query_.joins_accounts) {
          rows.push_back(std::move(row));
          continue;
        }
        UsageRow& sum = joined.try_emplace(of.first, UsageRow{.login = of.first}).first->second;
        sum.account += (sum.account.empty() ? "" : ",") + of.second;
        sum.seconds += row.seconds;
      }
      for (auto& [login, row] : joined) rows.push_back(std::move(row));
      if (query_.kind == UsageReportKind::top) {
        std::stable_sort(
            rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
            [](const UsageRow& a, const UsageRow& b) { return a.seconds > b.seconds; });
        rows.resize(std::min(rows.size(), first + query_.top));
      }
    }
    for (std::size_t i = first; i < rows.size(); ++i) {
      rows[i].cluster = cluster;
      rows[i].tres = tres;
      if (!rows[i].login.empty()) rows[i].proper_name = proper_name(rows[i].login);
    }
  }
  return rows;
}

Result<std::vector<UsageCell>> parse_usage_format(const std::string& format) {
  std::vector<UsageCell> cells;
  for (const std::string& word : parse_word_list(format)) {
    const std::size_t percent = word.find('%');
    const UsageColumn* column = find_column(std::string_view(word).substr(0, percent));
    if (!column) {
      std::vector<std::string_view> names;
      for (const UsageColumn& row : columns) names.emplace_back(row.name);
      return Error{ErrorCode::invalid_argument,
                   fmt::format("Unknown field '{}' (there are {})", word, fmt::join(names, ", "))};
    }
    UsageCell cell{column, column->width, false};
    if (percent != std::string::npos) {
      std::string_view width = std::string_view(word).substr(percent + 1);
      cell.is_left = width.starts_with('-');
      if (cell.is_left) width.remove_prefix(1);
      const auto number = parse_number(width);
      if (!number || *number == 0 || *number > 1000)
        return Error{ErrorCode::invalid_argument, fmt::format("'{}': no such width", word)};
      cell.width = *number;
    }
    cells.push_back(cell);
  }
  return cells;
}

std::string default_usage_format(const UsageQuery& query) {
  const bool is_cpu = query.tres == std::vector<std::string>{"cpu"};
  const std::string tail = is_cpu ? "Used,Energy" : "TresName,Used";
  return (query.kind == UsageReportKind::accounts ? "Cluster,Account,Login,Proper,"
                                                  : "Cluster,Login,Proper,Account,") +
         tail;
}

std::string usage_text(const UsageQuery& query, const std::vector<UsageCell>& cells,
                       const std::vector<UsageRow>& rows, const UsageLayout& layout) {
  std::string out;
  const auto add_line = [&](bool is_heading, auto&& text_of) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string text = text_of(cells[i]);
      if (!layout.is_parsable) append_cell(cells[i], text, is_heading, out);
      else out += text + (i + 1 < cells.size() || layout.closes_line ? "|" : "");
    }
    out += '\n';
  };
  if (layout.has_heading) {
    out = banner(query, layout.unit);
    add_line(true, [](const UsageCell& cell) { return std::string(cell.column->heading); });
    if (!layout.is_parsable)
      add_line(true, [](const UsageCell& cell) { return std::string(cell.width, '-'); });
  }
  for (const UsageRow& row : rows)
    add_line(false, [&](const UsageCell& cell) { return cell.column->text(row, layout.unit); });
  return out;
}

}  // namespace sluice
