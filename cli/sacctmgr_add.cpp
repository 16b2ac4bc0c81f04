// sacctmgr_add.cpp: `sacctmgr add`: a plan for each entity. Texts are Slurm's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/sacctmgr_entities.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr const char* nothing_new = " Nothing new added.\n";

// What a plan that fails on the way says.
Planned refuse(const AccountBook& before, const Error& error) {
  return say(before, fmt::format("sacctmgr: error: {}\n", error.detail), 1);
}

// Options of the new associations; those that belong to the entity are taken before.
struct Draft {
  Chosen chosen;
  Association options;
  bool sets_shares = false;
  std::string description;
  std::string organization;
  std::string parent;
  std::string default_account;
  std::optional<AdminLevel> level;
};

struct AdminWord {
  const char* name;
  std::size_t letters_min;
  AdminLevel level;
};
constexpr AdminWord levels[] = {{"None", 1, AdminLevel::None},
                                {"Operator", 1, AdminLevel::Operator},
                                {"Administrator", 1, AdminLevel::Administrator}};

// nullopt: it is none of these.
std::optional<Result<void>> take_own(const Clause& clause, Entity entity, Draft& draft) {
  const bool is_account = entity == Entity::account;
  const bool is_user = entity == Entity::user;
  if (is_account && abbreviates(clause.key, "description", 1)) draft.description = clause.value;
  else if (is_account && abbreviates(clause.key, "organization", 1))
    draft.organization = clause.value;
  else if (is_account && abbreviates(clause.key, "parent", 3))
    draft.parent = lower_case(clause.value);
  else if (is_user && abbreviates(clause.key, "defaultaccount", 8))
    draft.default_account = lower_case(clause.value);
  else if (is_user && abbreviates(clause.key, "adminlevel", 2)) {
    for (const AdminWord& word : levels)
      if (abbreviates(clause.value, word.name, word.letters_min)) draft.level = word.level;
    if (!draft.level)
      return Error{ErrorCode::invalid_argument,
                   fmt::format("Bad AdminLevel: {} (None, Operator, Administrator)", clause.value)};
  } else {
    return std::nullopt;
  }
  return Result<void>{};
}

// The plan that says what is wrong; none: all was understood.
std::optional<Planned> read_draft(const SetContext& context, Entity entity, const Request& request,
                                  Draft& draft) {
  std::vector<Clause> clauses = request.where;
  clauses.insert(clauses.end(), request.set.begin(), request.set.end());
  for (const Clause& clause : clauses) {
    auto done = clause.key.empty() ? std::nullopt : take_own(clause, entity, draft);
    if (!done && !clause.key.empty()) done = set_option(context, clause, draft.options);
    if (done && !done->ok()) return refuse(context.book, done->error());
    if (!done && !take_choice(clause, entity, draft.chosen))
      return say(context.book, fmt::format(" Unknown option: {}\n", clause.text), 1);
  }
  return std::nullopt;
}

void take_options(const Draft& draft, Association& row) {
  const Association made = row;
  row = draft.options;
  row.id = made.id;
  row.account = made.account;
  row.user = made.user;
  row.parent = made.parent;
  row.partition = made.partition;
}

// --- accounts

Planned add_accounts(const SetContext& context, const Request& request) {
  Draft draft;
  if (auto wrong = read_draft(context, Entity::account, request, draft)) return *wrong;
  Planned plan{.after = context.book, .text = {}};
  if (draft.chosen.names.empty()) return say(context.book, " Need name of account to add.\n", 1);
  const std::string parent = draft.parent.empty() ? "root" : draft.parent;
  if (!find_account_row(context.book, parent))
    return say(context.book,
               fmt::format(" Parent account '{}' doesn't exist.\n        Contact your admin to add "
                           "this account.\n{}",
                           parent, nothing_new),
               1);
  std::string names;
  std::string rows;
  for (const std::string& name : draft.chosen.names) {
    if (live_account(plan.after, name)) continue;
    Account& account = plan.after.accounts[name];
    account = {};
    account.name = name;
    account.description = draft.description.empty() ? name : draft.description;
    account.organization = !draft.organization.empty() ? draft.organization
                           : parent == "root"          ? name
                                                       : parent;
    Association& row = add_association(plan.after);
    row.account = name;
    row.parent = parent;
    take_options(draft, row);
    names += fmt::format("  {}\n", name);
    rows += fmt::format("  A = {:<10} C = {:<10}\n", name, context.cluster);
  }
  if (names.empty()) return say(context.book, nothing_new, 1);
  std::string settings = settings_text(draft.options);
  if (!draft.parent.empty()) settings = fmt::format("  {:<14}= {}\n", "Parent", parent) + settings;
  plan.text = fmt::format(
      " Adding Account(s)\n{} Settings\n  Description     = {}\n  Organization    = {}\n "
      "Associations\n{}{}{}",
      names, draft.description.empty() ? "Account Name" : draft.description,
      draft.organization.empty() ? "Parent/Account Name" : draft.organization, rows,
      settings.empty() ? "" : " Settings\n", settings);
  plan.changes = true;
  return plan;
}

// --- users

bool has_row(const AccountBook& book, const Association& wanted) {
  return std::any_of(book.associations.begin(), book.associations.end(), [&](const auto& item) {
    const Association& row = item.second;
    return !row.deleted && row.account == wanted.account && row.user == wanted.user &&
           row.partition == wanted.partition;
  });
}

std::optional<std::string> missing_accounts(const SetContext& context, const Draft& draft) {
  std::string text;
  for (const std::string& account : draft.chosen.accounts)
    if (!find_account_row(context.book, account))
      text += fmt::format(
          " This account '{}' doesn't exist.\n        Contact your admin to add this account.\n",
          account);
  if (text.empty()) return std::nullopt;
  return text;
}

struct Added {
  std::string users;
  std::string rows;
};

// Makes the user, where he is new, and his rows that are not there.
void add_user(const SetContext& context, const Draft& draft, const std::string& name,
              AccountBook& book, Added& added) {
  std::vector<std::string> partitions = draft.chosen.partitions;
  if (partitions.empty()) partitions.emplace_back();
  bool is_new = !live_user(book, name);
  for (const std::string& account : draft.chosen.accounts)
    for (const std::string& partition : partitions) {
      Association wanted;
      wanted.account = account;
      wanted.user = name;
      wanted.partition = partition;
      if (has_row(book, wanted)) continue;
      Association& row = add_association(book);
      row.account = account;
      row.user = name;
      row.partition = partition;
      take_options(draft, row);
      added.rows +=
          fmt::format("  U = {:<9} A = {:<10} C = {:<10}{}\n", name, account, context.cluster,
                      partition.empty() ? "" : fmt::format(" P = {:<10}", partition));
    }
  if (!is_new) return;
  AccountUser& user = book.users[name];
  user = {};
  user.name = name;
  user.default_account =
      draft.default_account.empty() ? draft.chosen.accounts.front() : draft.default_account;
  if (draft.level) user.admin_level = *draft.level;
  added.users += fmt::format("  {}\n", name);
}

Planned add_users(const SetContext& context, const Request& request) {
  Draft draft;
  if (auto wrong = read_draft(context, Entity::user, request, draft)) return *wrong;
  if (draft.chosen.names.empty()) return say(context.book, " Need name of user to add.\n", 1);
  if (!draft.default_account.empty() &&
      (draft.chosen.accounts.empty() || !is_among(draft.chosen.accounts, draft.default_account)))
    draft.chosen.accounts.insert(draft.chosen.accounts.begin(), draft.default_account);
  if (draft.chosen.accounts.empty())
    return say(context.book, " Need name of account to add the user to.\n", 1);
  if (const auto missing = missing_accounts(context, draft))
    return say(context.book, *missing + nothing_new, 1);
  Planned plan{.after = context.book, .text = {}};
  Added added;
  for (const std::string& name : draft.chosen.names)
    add_user(context, draft, name, plan.after, added);
  if (added.users.empty() && added.rows.empty()) return say(context.book, nothing_new, 1);
  std::string settings;
  if (!draft.default_account.empty())
    settings += fmt::format("  Default Account = {}\n", draft.default_account);
  if (draft.level) settings += fmt::format("  Admin Level     = {}\n", enum_name(*draft.level));
  if (!added.users.empty()) plan.text = " Adding User(s)\n" + added.users;
  if (!settings.empty()) plan.text += " Settings =\n" + settings;
  if (!added.rows.empty())
    plan.text +=
        " Associations =\n" + added.rows + " Non Default Settings\n" + settings_text(draft.options);
  plan.changes = true;
  return plan;
}

// --- QOS

Planned add_all_qos(const SetContext& context, const Request& request) {
  Chosen chosen;
  Qos options;
  std::vector<Clause> clauses = request.where;
  clauses.insert(clauses.end(), request.set.begin(), request.set.end());
  for (const Clause& clause : clauses) {
    const auto done = clause.key.empty() ? std::nullopt : set_option(context, clause, options);
    if (done && !done->ok()) return refuse(context.book, done->error());
    if (!done && !take_choice(clause, Entity::qos, chosen))
      return say(context.book, fmt::format(" Unknown option: {}\n", clause.text), 1);
  }
  if (chosen.names.empty()) return say(context.book, " Need name of qos to add.\n", 1);
  Planned plan{.after = context.book, .text = {}};
  std::string names;
  for (const std::string& given : chosen.names) {
    const std::string name = lower_case(given);
    if (live_qos(plan.after, name)) continue;
    Qos& row = add_qos(plan.after);
    const QosId id = row.id;
    row = options;
    row.id = id;
    row.name = name;
    if (row.description.empty()) row.description = name;
    names += fmt::format("  {}\n", name);
  }
  if (names.empty()) return say(context.book, nothing_new, 1);
  plan.text = fmt::format(
      " Adding QOS(s)\n{} Settings\n  Description    = {}\n{}", names,
      options.description.empty() ? lower_case(chosen.names.front()) : options.description,
      settings_text(options));
  plan.changes = true;
  return plan;
}

// --- coordinators, clusters

Planned add_coordinators(const SetContext& context, const Request& request) {
  Chosen chosen;
  for (const Clause& clause : request.where)
    if (!take_choice(clause, Entity::coordinator, chosen))
      return say(context.book, fmt::format(" Unknown option: {}\n", clause.text), 1);
  if (chosen.names.empty() || chosen.accounts.empty())
    return say(context.book, " Need both user(s) and account(s): name=.. account=..\n", 1);
  Planned plan{.after = context.book, .text = {}};
  for (const std::string& name : chosen.names)
    if (!live_user(plan.after, name))
      return say(context.book, fmt::format(" There is no user {}.\n{}", name, nothing_new), 1);
  for (const std::string& name : chosen.accounts) {
    Account* account = live_account(plan.after, name);
    if (!account)
      return say(context.book,
                 fmt::format(" This account '{}' doesn't exist.\n{}", name, nothing_new), 1);
    for (const std::string& user : chosen.names)
      if (std::find(account->coordinators.begin(), account->coordinators.end(), user) ==
          account->coordinators.end()) {
        account->coordinators.push_back(user);
        plan.changes = true;
      }
  }
  if (!plan.changes) return say(context.book, nothing_new, 1);
  plan.text = fmt::format(" Adding Coordinator User(s)\n  {}\n To Account(s)\n  {}\n",
                          fmt::join(chosen.names, "\n  "), fmt::join(chosen.accounts, "\n  "));
  return plan;
}

Planned add_cluster(const SetContext& context, const Request& request) {
  Chosen chosen;
  for (const Clause& clause : request.where) (void)take_choice(clause, Entity::cluster, chosen);
  if (is_among(chosen.names, context.cluster) && chosen.names.size() == 1)
    return say(context.book,
               fmt::format(" This cluster {} already exists.  Not adding.\n{}", context.cluster,
                           nothing_new),
               1);
  return say(context.book,
             fmt::format("sacctmgr: error: a controller keeps the accounts of its own cluster, {}, "
                         "alone\n{}",
                         context.cluster, nothing_new),
             1);
}

}  // namespace

Planned plan_add(const SetContext& context, std::string_view entity, const Request& request) {
  switch (parse_entity(entity).value_or(Entity::association)) {
    case Entity::account:
      return add_accounts(context, request);
    case Entity::user:
      return add_users(context, request);
    case Entity::qos:
      return add_all_qos(context, request);
    case Entity::coordinator:
      return add_coordinators(context, request);
    case Entity::cluster:
      return add_cluster(context, request);
    case Entity::association:
      break;
  }
  return say(context.book,
             "No valid entity in add command\nInput line must include, \"Account\", \"Cluster\", "
             "\"Coordinator\", \"QOS\", or \"User\"\n",
             1);
}

}  // namespace sluice
