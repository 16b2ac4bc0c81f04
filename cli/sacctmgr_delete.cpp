// sacctmgr_delete.cpp: `sacctmgr delete`. Whether something may go (jobs, children, default
// accounts) is the controller's to say; here the rows are found that would.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/sacctmgr_entities.h"

namespace sluice {
namespace {

constexpr const char* nothing_deleted = " Nothing deleted\n";

Planned done(AccountBook after, const char* what, const std::vector<std::string>& names) {
  Planned plan{.after = std::move(after), .text = {}};
  plan.text = fmt::format(" Deleting {}...\n  {}\n", what, fmt::join(names, "\n  "));
  plan.changes = true;
  return plan;
}

std::optional<Planned> read_choice(const SetContext& context, Entity entity, const Request& request,
                                   Chosen& chosen) {
  for (const Clause& clause : request.where)
    if (!take_choice(clause, entity, chosen))
      return say(context.book, fmt::format(" Unknown condition: {}\n", clause.text), 1);
  if (chosen.empty())
    return say(context.book, " No conditions given to remove, not executing.\n", 1);
  return std::nullopt;
}

void remove_coordinator(AccountBook& book, const std::string& user) {
  for (auto& [name, account] : book.accounts) std::erase(account.coordinators, user);
}

// All of him, or where accounts or partitions are named what he is in those.
Planned delete_users(const SetContext& context, const Request& request) {
  Chosen chosen;
  if (auto wrong = read_choice(context, Entity::user, request, chosen)) return *wrong;
  AccountBook after = context.book;
  std::vector<std::string> lines;
  const bool only_rows = !chosen.accounts.empty() || !chosen.partitions.empty();
  for (auto& [id, row] : after.associations) {
    if (row.deleted || row.user.empty() || !is_among(chosen.names, row.user) ||
        !is_among(chosen.accounts, row.account) || !is_among(chosen.partitions, row.partition))
      continue;
    row.deleted = true;
    if (only_rows) lines.push_back(association_line(row, context.cluster));
  }
  // Who is in no account any more is gone.
  for (auto& [name, user] : after.users) {
    const bool is_in = std::any_of(
        after.associations.begin(), after.associations.end(),
        [&](const auto& item) { return !item.second.deleted && item.second.user == name; });
    if (user.deleted || is_in || !is_among(chosen.names, name)) continue;
    if (only_rows && lines.empty()) continue;
    user.deleted = true;
    user.default_account.clear();
    remove_coordinator(after, name);
    if (!only_rows) lines.push_back(name);
  }
  if (lines.empty()) return say(context.book, nothing_deleted, 1);
  return done(std::move(after), only_rows ? "user associations" : "users", lines);
}

// With the users in them, but not with the accounts below: those the controller names.
Planned delete_accounts(const SetContext& context, const Request& request) {
  Chosen chosen;
  if (auto wrong = read_choice(context, Entity::account, request, chosen)) return *wrong;
  AccountBook after = context.book;
  std::vector<std::string> names;
  for (auto& [name, account] : after.accounts) {
    const Association* row = find_account_row(context.book, name);
    if (account.deleted || !is_among(chosen.names, name) ||
        (row && !is_among(chosen.parents, row->parent)))
      continue;
    account.deleted = true;
    account.coordinators.clear();
    names.push_back(name);
  }
  for (auto& [id, row] : after.associations)
    if (std::find(names.begin(), names.end(), row.account) != names.end()) row.deleted = true;
  if (names.empty()) return say(context.book, nothing_deleted, 1);
  return done(std::move(after), "accounts", names);
}

// No association keeps its name.
Planned delete_qos(const SetContext& context, const Request& request) {
  Chosen chosen;
  if (auto wrong = read_choice(context, Entity::qos, request, chosen)) return *wrong;
  AccountBook after = context.book;
  std::vector<std::string> names;
  for (auto& [id, qos] : after.qos)
    if (!qos.deleted && is_among(chosen.names, qos.name)) {
      qos.deleted = true;
      names.push_back(qos.name);
    }
  if (names.empty()) return say(context.book, nothing_deleted, 1);
  for (const std::string& name : names) {
    for (auto& [id, row] : after.associations) {
      if (row.deleted) continue;
      std::erase(row.qos, name);
      if (row.default_qos == name) row.default_qos.clear();
    }
    for (auto& [id, qos] : after.qos) std::erase(qos.preempt, name);
  }
  return done(std::move(after), "QOS(s)", names);
}

Planned delete_coordinators(const SetContext& context, const Request& request) {
  Chosen chosen;
  if (auto wrong = read_choice(context, Entity::coordinator, request, chosen)) return *wrong;
  AccountBook after = context.book;
  std::vector<std::string> lines;
  for (auto& [name, account] : after.accounts) {
    if (account.deleted || !is_among(chosen.accounts, name)) continue;
    std::erase_if(account.coordinators, [&](const std::string& user) {
      if (!is_among(chosen.names, user)) return false;
      lines.push_back(fmt::format("A = {:<20} U = {}", name, user));
      return true;
    });
  }
  if (lines.empty()) return say(context.book, nothing_deleted, 1);
  return done(std::move(after), "Coordinators", lines);
}

}  // namespace

Planned plan_delete(const SetContext& context, std::string_view entity, const Request& request) {
  switch (parse_entity(entity).value_or(Entity::association)) {
    case Entity::account:
      return delete_accounts(context, request);
    case Entity::user:
      return delete_users(context, request);
    case Entity::qos:
      return delete_qos(context, request);
    case Entity::coordinator:
      return delete_coordinators(context, request);
    case Entity::cluster:
      return say(context.book, nothing_deleted, 1);
    case Entity::association:
      break;
  }
  return say(context.book,
             "No valid entity in delete command\nInput line must include \"Account\", "
             "\"Cluster\", \"Coordinator\", \"QOS\", or \"User\"\n",
             1);
}

}  // namespace sluice
