// sacctmgr_list.cpp: `sacctmgr list`: one function for each entity.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/sacctmgr.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr const char* no_entity =
    "No valid entity in list command\n"
    "Input line must include \"Account\", \"Association\", \"Cluster\", \"Configuration\",\n"
    "\"Event\", \"Federation\", \"Problem\", \"QOS\", \"Resource\", \"Reservation\",\n"
    "\"RunAwayJobs\", \"Stats\", \"Transaction\", \"TRES\", \"User\", or \"WCKey\"";

constexpr const char* account_format = "Account,Descr,Org";
constexpr const char* account_more =
    ",Cluster,Par Name,User,Share,Priority,GrpJobs,GrpNodes,GrpCPUs,GrpMem,GrpSubmit,GrpWall,"
    "GrpCPUMins,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,MaxWall,MaxCPUMins,QOS,Def QOS";
constexpr const char* user_format = "User,Def Acct,Admin";
constexpr const char* user_more =
    ",Cluster,Account,Partition,Share,Priority,MaxJobs,MaxNodes,MaxCPUs,MaxSubmit,MaxWall,"
    "MaxCPUMins,QOS,Def QOS";
constexpr const char* association_format =
    "Cluster,Account,User,Partition,Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,"
    "MaxJobs,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,Def QOS,GrpTRESRunMins";
constexpr const char* association_without_limits = "Cluster,Account,User,Partition";
constexpr const char* qos_format =
    "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags,UsageThres,UsageFactor,"
    "GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRES,MaxTRESPerNode,"
    "MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,MaxTRESPA,MaxJobsPA,MaxSubmitPA,MinTRES";

// --- what a listing was asked for

struct Wanted {
  std::string format;
  bool with_associations = false;
  bool with_coordinators = false;
  bool with_deleted = false;
  bool tree = false;
  bool without_limits = false;
  // Empty: any.
  std::vector<std::string> names;  // of the entity itself
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> partitions;
  std::vector<std::string> parents;
  std::vector<std::string> qos;
  std::vector<std::string> ids;
  std::vector<std::string> default_accounts;
  std::vector<std::string> levels;
  std::vector<std::string> descriptions;
  std::vector<std::string> organizations;
};

struct Flag {
  const char* name;
  std::size_t letters_min;
  bool Wanted::*member;  // null: asks for what is so anyhow
};
constexpr Flag flags[] = {
    {"withassociations", 5, &Wanted::with_associations},
    {"withcoordinators", 5, &Wanted::with_coordinators},
    {"withdeleted", 5, &Wanted::with_deleted},
    {"tree", 1, &Wanted::tree},
    {"wolimits", 3, &Wanted::without_limits},
    {"wopinfo", 3, nullptr},
    {"wopl", 4, nullptr},
    {"withsubaccounts", 5, nullptr},
    {"withraw", 5, nullptr},
    {"onlydefaults", 2, nullptr},
};

struct ListCondition {
  const char* name;
  std::size_t letters_min;
  std::vector<std::string> Wanted::*member;  // null: taken, but there is one cluster only
};
constexpr ListCondition conditions[] = {
    {"accounts", 2, &Wanted::accounts},
    {"acct", 4, &Wanted::accounts},
    {"adminlevel", 2, &Wanted::levels},
    {"clusters", 1, nullptr},
    {"defaultaccount", 8, &Wanted::default_accounts},
    {"description", 3, &Wanted::descriptions},
    {"ids", 1, &Wanted::ids},
    {"names", 1, &Wanted::names},
    {"organization", 1, &Wanted::organizations},
    {"parents", 4, &Wanted::parents},
    {"partitions", 4, &Wanted::partitions},
    {"qos", 1, &Wanted::qos},
    {"users", 1, &Wanted::users},
};

bool allows(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& one) {
           return equals_ignoring_case(one, name);
         });
}

Result<void> take_condition(const Clause& clause, Wanted& wanted) {
  if (abbreviates(clause.key, "format", 1)) {
    wanted.format.append(wanted.format.empty() ? "" : ",").append(clause.value);
    return {};
  }
  for (const ListCondition& condition : conditions) {
    if (!abbreviates(clause.key, condition.name, condition.letters_min)) continue;
    if (!condition.member) return {};
    for (std::string& name : names_of(clause.value))
      (wanted.*condition.member).push_back(std::move(name));
    return {};
  }
  return Error{ErrorCode::invalid_argument, fmt::format(" Unknown condition: {}", clause.text)};
}

Result<Wanted> parse_wanted(Words words) {
  Wanted wanted;
  const Request request = parse_request(words);
  std::vector<Clause> clauses = request.where;
  clauses.insert(clauses.end(), request.set.begin(), request.set.end());
  for (const Clause& clause : clauses) {
    if (!clause.key.empty()) {
      TRY(take_condition(clause, wanted));
      continue;
    }
    const auto flag = std::find_if(std::begin(flags), std::end(flags), [&](const Flag& one) {
      return abbreviates(clause.value, one.name, one.letters_min);
    });
    if (flag == std::end(flags)) {
      for (std::string& name : names_of(clause.value)) wanted.names.push_back(std::move(name));
    } else if (flag->member) {
      wanted.*flag->member = true;
    }
  }
  return wanted;
}

// --- rows

class Lister {
 public:
  Lister(Sacctmgr& manager, const AccountBook& book, Wanted wanted)
      : manager_(manager), book_(book), wanted_(std::move(wanted)) {}

  int begin(std::span<const ListColumn> columns, const char* format) {
    const std::string chosen = wanted_.format.empty() ? format : wanted_.format;
    Result<std::vector<ChosenColumn>> found = choose_columns(columns, chosen);
    if (!found) return manager_.fail(fmt::format("Unknown field '{}'", found.error().detail));
    columns_ = std::move(found).value();
    // A tree leans to the left.
    if (wanted_.tree)
      for (ChosenColumn& column : columns_)
        if (std::string_view(column.column->name) == "Account" && column.width == 10)
          column.width = -20;
    text_ = heading_text(columns_, manager_.options);
    return 0;
  }
  void add(ListRow row) {
    row.book = &book_;
    row.cluster = manager_.cluster();
    row.tree = wanted_.tree;
    text_ += line_text(columns_, row, manager_.options);
  }
  int end() { return manager_.print(text_); }

  const Wanted& wanted() const { return wanted_; }
  const AccountBook& book() const { return book_; }

 private:
  Sacctmgr& manager_;
  const AccountBook& book_;
  Wanted wanted_;
  std::vector<ChosenColumn> columns_;
  std::string text_;
};

bool matches(const Association& row, const Wanted& wanted) {
  if (row.deleted && !wanted.with_deleted) return false;
  if (!allows(wanted.accounts, row.account) || !allows(wanted.users, row.user)) return false;
  if (!allows(wanted.partitions, row.partition) || !allows(wanted.parents, row.parent))
    return false;
  if (!allows(wanted.ids, fmt::format("{}", row.id.value))) return false;
  return wanted.qos.empty() || std::any_of(row.qos.begin(), row.qos.end(), [&](const auto& name) {
           return allows(wanted.qos, name);
         });
}

struct Placed {
  const Association* row;
  std::size_t depth;
};

// An account, its users, then the accounts below it, each by name.
void place_below(const AccountBook& book, const Association& account, std::size_t depth,
                 std::vector<Placed>& placed) {
  if (depth > book.associations.size()) return;
  placed.push_back({&account, depth});
  std::vector<const Association*> users;
  std::vector<const Association*> accounts;
  for (const auto& [id, row] : book.associations) {
    if (!row.user.empty() && row.account == account.account) users.push_back(&row);
    if (row.user.empty() && !row.parent.empty() && row.parent == account.account && !row.deleted)
      accounts.push_back(&row);
  }
  std::sort(users.begin(), users.end(), [](const Association* a, const Association* b) {
    return std::tie(a->user, a->partition) < std::tie(b->user, b->partition);
  });
  std::sort(accounts.begin(), accounts.end(),
            [](const Association* a, const Association* b) { return a->account < b->account; });
  for (const Association* user : users) placed.push_back({user, depth + 1});
  for (const Association* below : accounts) place_below(book, *below, depth + 1, placed);
}

std::vector<Placed> in_tree_order(const AccountBook& book) {
  std::vector<Placed> placed;
  if (const Association* root = find_account_row(book, "root")) place_below(book, *root, 0, placed);
  return placed;
}

const Account* account_of(const AccountBook& book, const Association& row) {
  const auto at = book.accounts.find(row.account);
  return at == book.accounts.end() ? nullptr : &at->second;
}

int list_associations(Sacctmgr&, Lister& lister) {
  const Wanted& wanted = lister.wanted();
  if (const int failed =
          lister.begin(association_columns(),
                       wanted.without_limits ? association_without_limits : association_format))
    return failed;
  for (const Placed& placed : in_tree_order(lister.book()))
    if (matches(*placed.row, wanted))
      lister.add({.account = account_of(lister.book(), *placed.row),
                  .association = placed.row,
                  .depth = placed.depth});
  return lister.end();
}

int list_accounts(Sacctmgr& manager, Lister& lister) {
  const Wanted& wanted = lister.wanted();
  const bool with_rows = wanted.with_associations || manager.options.with_associations;
  std::string format = account_format;
  if (with_rows) format += account_more;
  if (wanted.with_coordinators) format += ",Coordinators";
  if (const int failed = lister.begin(association_columns(), format.c_str())) return failed;
  const std::vector<Placed> placed = in_tree_order(lister.book());
  for (const auto& [name, account] : lister.book().accounts) {
    if (account.deleted && !wanted.with_deleted) continue;
    if (!allows(wanted.names, name) || !allows(wanted.accounts, name) ||
        !allows(wanted.descriptions, account.description) ||
        !allows(wanted.organizations, account.organization))
      continue;
    const Association* own = find_account_row(lister.book(), name);
    if (!wanted.parents.empty() && (!own || !allows(wanted.parents, own->parent))) continue;
    if (!with_rows) {
      lister.add({.account = &account, .association = own});
      continue;
    }
    for (const Placed& at : placed)
      if (at.row->account == name && (!at.row->deleted || wanted.with_deleted))
        lister.add({.account = &account, .association = at.row});
  }
  return lister.end();
}

bool is_in_one_of(const AccountBook& book, const std::string& user,
                  const std::vector<std::string>& accounts) {
  return accounts.empty() ||
         std::any_of(book.associations.begin(), book.associations.end(), [&](const auto& item) {
           return !item.second.deleted && item.second.user == user &&
                  allows(accounts, item.second.account);
         });
}

int list_users(Sacctmgr& manager, Lister& lister) {
  const Wanted& wanted = lister.wanted();
  const bool with_rows = wanted.with_associations || manager.options.with_associations;
  std::string format = user_format;
  if (with_rows) format += user_more;
  if (wanted.with_coordinators) format += ",Coord Accounts";
  if (const int failed = lister.begin(association_columns(), format.c_str())) return failed;
  const AccountBook& book = lister.book();
  for (const auto& [name, user] : book.users) {
    if (user.deleted && !wanted.with_deleted) continue;
    if (!allows(wanted.names, name) || !allows(wanted.users, name) ||
        !allows(wanted.default_accounts, user.default_account) ||
        !allows(wanted.levels, enum_name(user.admin_level)) ||
        !is_in_one_of(book, name, wanted.accounts))
      continue;
    if (!with_rows) {
      lister.add({.user = &user});
      continue;
    }
    for (const auto& [id, row] : book.associations)
      if (row.user == name && matches(row, wanted))
        lister.add({.user = &user, .association = &row});
  }
  return lister.end();
}

int list_qos(Sacctmgr&, Lister& lister) {
  if (const int failed = lister.begin(qos_columns(), qos_format)) return failed;
  const Wanted& wanted = lister.wanted();
  for (const auto& [id, qos] : lister.book().qos)
    if ((!qos.deleted || wanted.with_deleted) && allows(wanted.names, qos.name) &&
        allows(wanted.qos, qos.name) && allows(wanted.ids, fmt::format("{}", id.value)))
      lister.add({.qos = &qos});
  return lister.end();
}

// --- listings of texts

std::string never(const ListRow&) { return {}; }

int list_cells(Sacctmgr& manager, std::span<const ListColumn> columns,
               const std::vector<std::vector<std::string>>& rows) {
  std::vector<ChosenColumn> chosen;
  for (const ListColumn& column : columns) chosen.push_back({&column, column.width});
  std::string text = heading_text(chosen, manager.options);
  for (const std::vector<std::string>& cells : rows)
    text += line_text(chosen, {.cells = &cells}, manager.options);
  return manager.print(text);
}

constexpr ListColumn cluster_columns[] = {
    {"Cluster", 10, never}, {"ControlHost", 15, never}, {"ControlPort", 12, never},
    {"RPC", 5, never},      {"Share", 9, never},        {"GrpJobs", 7, never},
    {"GrpTRES", 13, never}, {"GrpSubmit", 9, never},    {"MaxJobs", 7, never},
    {"MaxTRES", 13, never}, {"MaxSubmit", 9, never},    {"MaxWall", 11, never},
    {"QOS", 20, never},     {"Def QOS", 9, never},
};

int list_clusters(Sacctmgr& manager, Lister& lister) {
  const Wanted& wanted = lister.wanted();
  if (!allows(wanted.names, manager.cluster())) return list_cells(manager, cluster_columns, {});
  const AccountBook& book = lister.book();
  const Association none;
  const Association* root = find_account_row(book, "root");
  if (!root) root = &none;
  const auto number = [](const std::optional<std::uint32_t>& value) {
    return value ? fmt::format("{}", *value) : std::string{};
  };
  std::string qos;
  for (const std::string& name : qos_of(book, *root)) qos += (qos.empty() ? "" : ",") + name;
  const std::vector<std::string> cells = {manager.cluster(),
                                          manager.config().controller_address,
                                          fmt::format("{}", manager.config().controller_port),
                                          "1",
                                          number(root->shares),
                                          number(root->limits.grp_jobs),
                                          tres_counts_text(root->limits.grp_tres),
                                          number(root->limits.grp_submit_jobs),
                                          number(root->max_jobs),
                                          tres_counts_text(root->limits.max_tres_per_job),
                                          number(root->max_submit_jobs),
                                          minutes_text(root->limits.max_wall_min),
                                          qos,
                                          default_qos_of(book, *root)};
  if (wanted.format.empty()) return list_cells(manager, cluster_columns, {cells});
  const Result<std::vector<ChosenColumn>> chosen = choose_columns(cluster_columns, wanted.format);
  if (!chosen) return manager.fail(fmt::format("Unknown field '{}'", chosen.error().detail));
  std::vector<std::string> picked;
  for (const ChosenColumn& column : *chosen)
    picked.push_back(cells[static_cast<std::size_t>(column.column - cluster_columns)]);
  return manager.print(heading_text(*chosen, manager.options) +
                       line_text(*chosen, {.cells = &picked}, manager.options));
}

constexpr ListColumn tres_columns[] = {{"Type", 8, never}, {"Name", 15, never}, {"ID", 6, never}};

int list_tres(Sacctmgr& manager, Lister&) {
  Client* client = manager.client();
  const Result<NodesReply> nodes = client->call<NodesReply>(QueryNodes{});
  if (!nodes) return manager.fail(nodes.error());
  std::vector<std::vector<std::string>> rows = {
      {"cpu", "", "1"},     {"mem", "", "2"},    {"energy", "", "3"}, {"node", "", "4"},
      {"billing", "", "5"}, {"fs", "disk", "6"}, {"vmem", "", "7"},   {"pages", "", "8"}};
  std::set<std::pair<std::string, std::string>> more;
  for (const NodeInfo& info : nodes->nodes)
    for (const GresCount& gres : info.node.shape.gres) {
      more.insert({"gres", gres.name});
      if (!gres.type.empty()) more.insert({"gres", gres.name + ":" + gres.type});
    }
  for (const LicenseCount& license : manager.config().licenses)
    more.insert({"license", license.name});
  int id = 1001;
  for (const auto& [type, name] : more) rows.push_back({type, name, fmt::format("{}", id++)});
  return list_cells(manager, tres_columns, rows);
}

constexpr ListColumn problem_columns[] = {
    {"Cluster", 10, never}, {"Account", 10, never}, {"User", 10, never}, {"Problem", 40, never}};

// Accounts without users, and users that this machine does not know.
int list_problems(Sacctmgr& manager, Lister& lister) {
  std::vector<std::vector<std::string>> rows;
  const AccountBook& book = lister.book();
  for (const auto& [name, account] : book.accounts) {
    const bool has_more =
        std::any_of(book.associations.begin(), book.associations.end(), [&](const auto& item) {
          return !item.second.deleted &&
                 (item.second.parent == name ||
                  (item.second.account == name && !item.second.user.empty()));
        });
    if (!account.deleted && !has_more)
      rows.push_back({manager.cluster(), name, "", "Account has no users"});
  }
  for (const auto& [name, user] : book.users)
    if (!user.deleted && !uid_of_user(name))
      rows.push_back({"", "", name, "User does not have a uid"});
  return list_cells(manager, problem_columns, rows);
}

// One program holds both the queue and the accounts, so no job can be in one of them alone.
int list_runaway_jobs(Sacctmgr& manager, Lister&) {
  return manager.print(
      fmt::format("Runaway Jobs: No runaway jobs found on cluster {}\n", manager.cluster()));
}

int list_stats(Sacctmgr& manager, Lister&) {
  return manager.fail(
      "sacctmgr: error: the controller itself keeps the accounts: `sdiag` and /metrics have its "
      "statistics");
}

constexpr ListColumn wckey_columns[] = {
    {"WCKey", 10, never}, {"Cluster", 10, never}, {"User", 10, never}};
constexpr ListColumn resource_columns[] = {{"Name", 10, never},        {"Server", 10, never},
                                           {"Type", 8, never},         {"Count", 6, never},
                                           {"% Allocated", 11, never}, {"ServerType", 10, never}};

int list_wckeys(Sacctmgr& manager, Lister&) { return list_cells(manager, wckey_columns, {}); }
int list_resources(Sacctmgr& manager, Lister&) { return list_cells(manager, resource_columns, {}); }

struct ListEntity {
  const char* name;
  std::size_t letters_min;
  int (*run)(Sacctmgr& manager, Lister& lister);  // null: not here
};
constexpr ListEntity entities[] = {
    {"accounts", 2, list_accounts},
    {"acct", 4, list_accounts},
    {"associations", 2, list_associations},
    {"clusters", 2, list_clusters},
    {"configuration", 2, nullptr},
    {"events", 1, nullptr},
    {"federations", 1, nullptr},
    {"problems", 1, list_problems},
    {"qos", 1, list_qos},
    {"reservations", 3, nullptr},
    {"resources", 4, list_resources},
    {"runawayjobs", 2, list_runaway_jobs},
    {"stats", 1, list_stats},
    {"transactions", 2, nullptr},
    {"tres", 3, list_tres},
    {"users", 1, list_users},
    {"wckeys", 1, list_wckeys},
};

}  // namespace

int list_entity(Sacctmgr& manager, Words words) {
  const std::string name = words.empty() ? "" : words.front();
  for (const ListEntity& entity : entities) {
    if (name.empty() || !abbreviates(name, entity.name, entity.letters_min)) continue;
    if (!entity.run)
      return manager.fail(
          fmt::format("sacctmgr: error: list {} is not supported yet", entity.name));
    Result<Wanted> wanted = parse_wanted(words.subspan(1));
    if (!wanted) return manager.fail(wanted.error().detail);
    if (!manager.client()) return 1;
    const Result<AccountBook> book = manager.load(wanted->with_deleted);
    if (!book) return manager.fail(book.error());
    Lister lister(manager, *book, std::move(wanted).value());
    return entity.run(manager, lister);
  }
  return manager.fail(no_entity);
}

}  // namespace sluice
