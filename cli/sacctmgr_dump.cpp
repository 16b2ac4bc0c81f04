// sacctmgr_dump.cpp: `sacctmgr dump` and `load`: the book as a text that people edit, in Slurm's
// form. Lines of QOS stand in front, because the lines behind name them; Slurm has none.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/sacctmgr_entities.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr const char* explanation =
    "# To edit this file start with a cluster line for the new cluster\n"
    "# Cluster - 'cluster_name':MaxTRESPerJob=node=50\n"
    "# Followed by Accounts you want in this fashion (root is created by default)...\n"
    "# Parent - 'root'\n"
    "# Account - 'cs':MaxTRESPerJob=node=5:MaxJobs=4:MaxTRESMins=cpu=20:Fairshare=399:"
    "MaxWallDuration=40:Description='Computer Science':Organization='LC'\n"
    "# Any of the options after a ':' can be left out and they can be in any order.\n"
    "# If you want to add any sub accounts just list the Parent THAT HAS ALREADY\n"
    "# BEEN CREATED before the account line in this fashion...\n"
    "# Parent - 'cs'\n"
    "# Account - 'test':MaxTRESPerJob=node=1:MaxJobs=1:Fairshare=1:Description='Test':"
    "Organization='Test'\n"
    "# To add users to an account add a line like this after a Parent - 'line'\n"
    "# User - 'lipari':MaxTRESPerJob=node=2:MaxJobs=3:Fairshare=1:MaxWallDuration=1\n";

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", text); }

// "  GrpJobs       = 2" of each line becomes ":GrpJobs=2".
std::string options_of(const std::string& settings) {
  std::string text;
  for (std::string_view line : split(settings, '\n')) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos) continue;
    const std::size_t equals = line.find('=', first);
    std::string_view key = line.substr(first, equals - first);
    key = key.substr(0, key.find(' '));
    std::string_view value = line.substr(equals + 2);
    const bool needs_quotes = value.find_first_of(",: ") != std::string_view::npos;
    text += fmt::format(":{}={}", key, needs_quotes ? in_quotes(value) : std::string(value));
  }
  return text;
}

// One share is the default, and yet a load shall bring it back.
std::string options_of_row(const Association& row) {
  return (row.shares == 1U ? ":Fairshare=1" : "") + options_of(settings_text(row));
}

void dump_users(const AccountBook& book, const std::string& account, std::string& text) {
  for (const auto& [id, row] : book.associations) {
    if (row.deleted || row.user.empty() || row.account != account) continue;
    const AccountUser& user = book.users.at(row.user);
    text += fmt::format("User - {}", in_quotes(row.user));
    if (!row.partition.empty()) text += fmt::format(":Partition={}", in_quotes(row.partition));
    text += fmt::format(":DefaultAccount={}", in_quotes(user.default_account));
    if (user.admin_level != AdminLevel::None)
      text += fmt::format(":AdminLevel={}", in_quotes(enum_name(user.admin_level)));
    std::vector<std::string> coordinated;
    for (const auto& [name, one] : book.accounts)
      if (!one.deleted && std::find(one.coordinators.begin(), one.coordinators.end(), row.user) !=
                              one.coordinators.end())
        coordinated.push_back(name);
    if (!coordinated.empty()) text += fmt::format(":Coordinator='{}'", fmt::join(coordinated, ","));
    text += options_of_row(row) + '\n';
  }
}

void dump_below(const AccountBook& book, const std::string& parent, std::size_t depth,
                std::string& text) {
  std::string accounts;
  std::vector<std::string> names;
  for (const auto& [id, row] : book.associations) {
    if (row.deleted || !row.user.empty() || row.parent != parent || row.parent.empty()) continue;
    const Account& account = book.accounts.at(row.account);
    accounts += fmt::format("Account - {}:Description={}:Organization={}{}\n",
                            in_quotes(row.account), in_quotes(account.description),
                            in_quotes(account.organization), options_of_row(row));
    names.push_back(row.account);
  }
  std::string users;
  dump_users(book, parent, users);
  if (!accounts.empty() || !users.empty())
    text += fmt::format("Parent - {}\n{}{}", in_quotes(parent), accounts, users);
  if (depth > book.associations.size()) return;
  for (const std::string& name : names) dump_below(book, name, depth + 1, text);
}

// --- load

struct Line {
  std::string kind;
  std::string name;
  std::vector<Clause> options;
};

// Pieces between colons that stand in no quotes.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces(1);
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 && c == ':') {
      pieces.emplace_back();
      continue;
    }
    if (quote == 0 && (c == '\'' || c == '"')) quote = c;
    else if (c == quote) quote = 0;
    pieces.back() += c;
  }
  return pieces;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<Line> parse_line(std::string_view text) {
  const std::size_t dash = text.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  Line line;
  line.kind = lower_case(trimmed(text.substr(0, dash)));
  std::vector<std::string> pieces = pieces_of(trimmed(text.substr(dash + 3)));
  const std::vector<std::string> names = names_of(pieces.front());
  if (names.size() != 1) return std::nullopt;
  line.name = names.front();
  pieces.erase(pieces.begin());
  for (const std::string& piece : pieces) {
    Request request = parse_request(std::vector{piece});
    if (request.where.size() != 1 || request.where.front().key.empty()) return std::nullopt;
    line.options.push_back(request.where.front());
  }
  return line;
}

class Loader {
 public:
  Loader(AccountBook book, std::string cluster)
      : book_(std::move(book)), cluster_(std::move(cluster)) {}

  Result<void> take(const Line& line) {
    if (line.kind == "cluster") return take_cluster(line);
    if (line.kind == "qos") return take_qos(line);
    if (line.kind == "parent") return take_parent(line);
    if (line.kind == "account") return take_account(line);
    if (line.kind == "user") return take_user(line);
    return Error{ErrorCode::invalid_argument, fmt::format("no such kind of line: {}", line.kind)};
  }
  AccountBook finish() { return std::move(book_); }

 private:
  Result<void> set(const Clause& clause, Association& row) {
    const auto done = set_option({book_, cluster_}, clause, row);
    if (!done)
      return Error{ErrorCode::invalid_argument, fmt::format("Unknown option: {}", clause.text)};
    return *done;
  }
  Association* find_row(const std::string& account, const std::string& user,
                        const std::string& partition) {
    for (auto& [id, row] : book_.associations)
      if (!row.deleted && row.account == account && row.user == user && row.partition == partition)
        return &row;
    return nullptr;
  }
  Result<void> take_cluster(const Line& line) {
    if (line.name != cluster_)
      return Error{ErrorCode::invalid_argument,
                   fmt::format("the file is of cluster {}, this one is {}", line.name, cluster_)};
    for (const Clause& clause : line.options) TRY(set(clause, *find_row("root", "", "")));
    return {};
  }
  Result<void> take_qos(const Line& line) {
    Qos* qos = live_qos(book_, line.name);
    if (!qos) {
      qos = &add_qos(book_);
      qos->name = line.name;
      qos->description = line.name;
    }
    for (const Clause& clause : line.options) {
      const auto done = set_option({book_, cluster_}, clause, *qos);
      if (!done)
        return Error{ErrorCode::invalid_argument, fmt::format("Unknown option: {}", clause.text)};
      TRY(*done);
    }
    return {};
  }
  Result<void> take_parent(const Line& line) {
    parent_ = lower_case(line.name);
    if (live_account(book_, parent_)) return {};
    return Error{ErrorCode::invalid_account,
                 fmt::format("the parent {} is not there yet", parent_)};
  }
  Result<void> take_account(const Line& line) {
    const std::string name = lower_case(line.name);
    Account& account = book_.accounts[name];
    Association* row = find_row(name, "", "");
    if (!row) {
      account = {};
      account.name = account.description = account.organization = name;
      row = &add_association(book_);
      row->account = name;
    }
    if (name != "root") row->parent = parent_;
    for (const Clause& clause : line.options) {
      if (abbreviates(clause.key, "description", 1)) account.description = clause.value;
      else if (abbreviates(clause.key, "organization", 1)) account.organization = clause.value;
      else TRY(set(clause, *row));
    }
    return {};
  }
  Result<void> take_user(const Line& line) {
    std::string partition;
    for (const Clause& clause : line.options)
      if (clause.key == "partition") partition = clause.value;
    Association* row = find_row(parent_, line.name, partition);
    if (!row) {
      row = &add_association(book_);
      row->account = parent_;
      row->user = line.name;
      row->partition = partition;
    }
    if (!live_user(book_, line.name)) {
      AccountUser& user = book_.users[line.name];
      user = {};
      user.name = line.name;
      user.default_account = parent_;
    }
    for (const Clause& clause : line.options) TRY(take_user_option(clause, *row));
    return {};
  }
  Result<void> take_user_option(const Clause& clause, Association& row) {
    AccountUser& user = book_.users.at(row.user);
    if (clause.key == "partition") return {};
    if (clause.key == "defaultaccount") {
      user.default_account = lower_case(clause.value);
    } else if (clause.key == "adminlevel") {
      if (!enum_from_name(clause.value, user.admin_level))
        return Error{ErrorCode::invalid_argument, fmt::format("Bad AdminLevel: {}", clause.value)};
    } else if (clause.key == "coordinator") {
      for (const std::string& name : names_of(clause.value))
        if (Account* account = live_account(book_, lower_case(name)))
          if (std::find(account->coordinators.begin(), account->coordinators.end(), row.user) ==
              account->coordinators.end())
            account->coordinators.push_back(row.user);
    } else {
      return set(clause, row);
    }
    return {};
  }

  AccountBook book_;
  std::string cluster_;
  std::string parent_ = "root";
};

}  // namespace

std::string dump_text(const AccountBook& book, const std::string& cluster) {
  std::string text = explanation;
  for (const auto& [id, qos] : book.qos) {
    if (qos.deleted) continue;
    text += fmt::format("QOS - {}:Description={}{}\n", in_quotes(qos.name),
                        in_quotes(qos.description), options_of(settings_text(qos)));
  }
  const Association* root = find_account_row(book, "root");
  text += fmt::format("Cluster - {}{}\n", in_quotes(cluster),
                      root ? options_of(settings_text(*root)) : "");
  dump_below(book, "root", 0, text);
  return text;
}

Result<AccountBook> load_text(const AccountBook& before, const std::string& cluster,
                              std::string_view text) {
  Loader loader(before, cluster);
  std::size_t number = 0;
  for (std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trimmed(raw);
    if (line.empty() || line.front() == '#') continue;
    const std::optional<Line> parsed = parse_line(line);
    const Result<void> taken =
        parsed ? loader.take(*parsed)
               : Error{ErrorCode::invalid_argument,
                       "expected KIND - 'NAME':OPTION=VALUE:..., KIND being QOS, Cluster, Parent, "
                       "Account or User"};
    if (!taken)
      return Error{ErrorCode::invalid_argument,
                   fmt::format("line {}: {}", number, taken.error().detail)};
  }
  return loader.finish();
}

}  // namespace sluice
