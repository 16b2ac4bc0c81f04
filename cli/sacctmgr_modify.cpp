// sacctmgr_modify.cpp: `sacctmgr modify ENTITY [where ...] set ...`. What is before `set` chooses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/sacctmgr_entities.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr const char* nothing_modified = " Nothing modified\n";

struct Names {
  std::vector<std::string> lines;  // each once, in order
  void add(std::string line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(std::move(line));
  }
};

std::string told(const char* what, const Names& names) {
  if (names.lines.empty()) return {};
  return fmt::format(" Modified {}...\n  {}\n", what, fmt::join(names.lines, "\n  "));
}

Planned refuse(const AccountBook& before, const Clause& clause, const Error& error) {
  // A QOS that does not exist is no option at all, to Slurm.
  const std::string more =
      error.code == ErrorCode::invalid_qos
          ? fmt::format(" Unknown option: {}\n Use keyword 'where' to modify condition\n",
                        clause.text)
          : "";
  return say(before, fmt::format("sacctmgr: error: {}\n{}", error.detail, more), 1);
}

std::optional<Planned> read_choice(const SetContext& context, Entity entity, const Request& request,
                                   Chosen& chosen) {
  for (const Clause& clause : request.where)
    if (!take_choice(clause, entity, chosen))
      return say(context.book, fmt::format(" Unknown condition: {}\n", clause.text), 1);
  if (request.set.empty()) return say(context.book, " You didn't give me anything to set\n", 1);
  return std::nullopt;
}

// --- a row's own members

std::optional<AdminLevel> parse_level(const std::string& word) {
  for (const AdminLevel level : {AdminLevel::None, AdminLevel::Operator, AdminLevel::Administrator})
    if (!word.empty() && abbreviates(word, enum_name(level), 1)) return level;
  return std::nullopt;
}

// nullopt: it is no member of a user.
std::optional<Result<void>> set_user(const Clause& clause, AccountUser& user) {
  if (abbreviates(clause.key, "adminlevel", 2)) {
    const auto level = parse_level(clause.value);
    if (!level)
      return Error{ErrorCode::invalid_argument,
                   fmt::format("Bad AdminLevel: {} (None, Operator, Administrator)", clause.value)};
    user.admin_level = *level;
  } else if (abbreviates(clause.key, "defaultaccount", 8)) {
    user.default_account = lower_case(clause.value);
  } else {
    return std::nullopt;
  }
  return Result<void>{};
}

bool set_account(const Clause& clause, Account& account) {
  if (abbreviates(clause.key, "description", 1)) account.description = clause.value;
  else if (abbreviates(clause.key, "organization", 1)) account.organization = clause.value;
  else return false;
  return true;
}

// --- users

bool is_meant(const Association& row, const Chosen& chosen) {
  return !row.deleted && !row.user.empty() && is_among(chosen.names, row.user) &&
         is_among(chosen.accounts, row.account) && is_among(chosen.partitions, row.partition);
}

Planned modify_users(const SetContext& context, const Request& request) {
  Chosen chosen;
  if (auto wrong = read_choice(context, Entity::user, request, chosen)) return *wrong;
  Planned plan{.after = context.book, .text = {}};
  Names users;
  Names rows;
  for (const Clause& clause : request.set) {
    AccountUser scratch;
    if (const auto own = set_user(clause, scratch)) {
      if (!own->ok()) return refuse(context.book, clause, own->error());
      for (auto& [name, user] : plan.after.users)
        if (!user.deleted && is_among(chosen.names, name) &&
            is_among(chosen.default_accounts, user.default_account)) {
          (void)set_user(clause, user);
          users.add(name);
        }
      continue;
    }
    Association probe;
    const auto known = set_option(context, clause, probe);
    if (!known) return unknown_option(context.book, clause);
    if (!known->ok()) return refuse(context.book, clause, known->error());
    for (auto& [id, row] : plan.after.associations)
      if (is_meant(row, chosen)) {
        const auto done = set_option({plan.after, context.cluster}, clause, row);
        if (!done->ok()) return refuse(context.book, clause, done->error());
        rows.add(association_line(row, context.cluster));
      }
  }
  if (users.lines.empty() && rows.lines.empty()) return say(context.book, nothing_modified, 1);
  plan.text = told("users", users) + told("user associations", rows);
  plan.changes = true;
  return plan;
}

// --- accounts

Planned modify_accounts(const SetContext& context, const Request& request, bool of_cluster) {
  Chosen chosen;
  if (auto wrong =
          read_choice(context, of_cluster ? Entity::cluster : Entity::account, request, chosen))
    return *wrong;
  if (of_cluster && !is_among(chosen.names, context.cluster))
    return say(context.book, nothing_modified, 1);
  if (of_cluster) chosen.names = {"root"};
  Planned plan{.after = context.book, .text = {}};
  Names accounts;
  Names rows;
  for (const Clause& clause : request.set) {
    Account scratch;
    if (!of_cluster && set_account(clause, scratch)) {
      for (auto& [name, account] : plan.after.accounts)
        if (!account.deleted && is_among(chosen.names, name)) {
          set_account(clause, account);
          accounts.add(name);
        }
      continue;
    }
    const bool is_parent = !of_cluster && abbreviates(clause.key, "parent", 3);
    Association probe;
    const auto known = is_parent ? Result<void>{} : set_option(context, clause, probe);
    if (!known) return unknown_option(context.book, clause);
    if (!known->ok()) return refuse(context.book, clause, known->error());
    for (auto& [id, row] : plan.after.associations) {
      if (row.deleted || !row.user.empty() || !is_among(chosen.names, row.account) ||
          !is_among(chosen.parents, row.parent))
        continue;
      if (is_parent) {
        row.parent = lower_case(clause.value);
      } else if (const auto done = set_option({plan.after, context.cluster}, clause, row);
                 !done->ok()) {
        return refuse(context.book, clause, done->error());
      }
      rows.add(association_line(row, context.cluster));
    }
  }
  if (accounts.lines.empty() && rows.lines.empty()) return say(context.book, nothing_modified, 1);
  plan.changes = true;
  if (of_cluster) plan.text = fmt::format(" Modified cluster...\n  {}\n", context.cluster);
  else plan.text = told("accounts", accounts) + told("account associations", rows);
  return plan;
}

// --- QOS

Planned modify_qos(const SetContext& context, const Request& request) {
  Chosen chosen;
  if (auto wrong = read_choice(context, Entity::qos, request, chosen)) return *wrong;
  Planned plan{.after = context.book, .text = {}};
  Names names;
  for (const Clause& clause : request.set) {
    Qos probe;
    const auto known = set_option(context, clause, probe);
    if (!known) return unknown_option(context.book, clause);
    if (!known->ok()) return refuse(context.book, clause, known->error());
    for (auto& [id, qos] : plan.after.qos)
      if (!qos.deleted && is_among(chosen.names, qos.name)) {
        (void)set_option(context, clause, qos);
        names.add(qos.name);
      }
  }
  if (names.lines.empty()) return say(context.book, nothing_modified, 1);
  plan.text = told("qos", names);
  plan.changes = true;
  return plan;
}

}  // namespace

Planned plan_modify(const SetContext& context, std::string_view entity, const Request& request) {
  switch (parse_entity(entity).value_or(Entity::association)) {
    case Entity::account:
      return modify_accounts(context, request, false);
    case Entity::cluster:
      return modify_accounts(context, request, true);
    case Entity::user:
      return modify_users(context, request);
    case Entity::qos:
      return modify_qos(context, request);
    case Entity::coordinator:
    case Entity::association:
      break;
  }
  return say(context.book,
             "No valid entity in modify command\nInput line must include \"Account\", "
             "\"Cluster\", \"QOS\", or \"User\"\n",
             1);
}

}  // namespace sluice
