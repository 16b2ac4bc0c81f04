// account_rules.cpp: see account_rules.h.
#include "daemon/core/account_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/wire/message_codec.h"

namespace sluice {
namespace {

Error invalid(std::string detail) { return {ErrorCode::invalid_argument, std::move(detail)}; }

bool is_same(const Association& a, const Association& b) {
  return a.account == b.account && a.user == b.user && a.partition == b.partition;
}
bool is_same(const Qos& a, const Qos& b) { return a.name == b.name; }

// Jobs and history name rows by their ids: one stays what it is, and what went does not come back.
template <class Id, class Row>
Result<void> put_rows(std::map<Id, Row>& table, const std::vector<Row>& rows, const char* what) {
  for (Row row : rows) {
    if (row.id.value == 0) {
      row.id.value = table.empty() ? 1 : table.rbegin()->first.value + 1;
    } else {
      const auto at = table.find(row.id);
      if (at == table.end())
        return invalid(fmt::format("there is no {} with the id {}", what, row.id.value));
      if (!is_same(at->second, row) || (at->second.deleted && at->second != row))
        return invalid(fmt::format("the {} with the id {} is another one", what, row.id.value));
    }
    table[row.id] = std::move(row);
  }
  return {};
}

// --- names

constexpr std::size_t name_bytes_max = 255;

Result<void> check_name(const char* what, const std::string& name) {
  if (name.empty()) return invalid(fmt::format("the name of a {} is empty", what));
  if (name.size() > name_bytes_max)
    return invalid(fmt::format("the name of a {} has {} bytes, {} are the most", what, name.size(),
                               name_bytes_max));
  const auto is_bad = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == ',' || c == '=' || c == '|';
  };
  if (std::any_of(name.begin(), name.end(), is_bad) || name.front() == '-' || name.front() == '+')
    return invalid(
        fmt::format("'{}' cannot be the name of a {}: blanks, control characters, ',', '=', '|' "
                    "and a leading '+' or '-' are not possible",
                    name, what));
  return {};
}

// A text that people read; a dump writes it in a line of its own.
Result<void> check_text(const std::string& what, const std::string& text) {
  if (text.size() > name_bytes_max)
    return invalid(
        fmt::format("{} has {} bytes, {} are the most", what, text.size(), name_bytes_max));
  const auto is_bad = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f || c == '\'' || c == '"';
  };
  if (std::any_of(text.begin(), text.end(), is_bad))
    return invalid(fmt::format("{} has a quote or a control character in it", what));
  return {};
}

// --- associations

bool is_live_account(const AccountBook& book, const std::string& name) {
  const auto at = book.accounts.find(name);
  return at != book.accounts.end() && !at->second.deleted;
}

bool is_live_user(const AccountBook& book, const std::string& name) {
  const auto at = book.users.find(name);
  return at != book.users.end() && !at->second.deleted;
}

// Ends at the root, in as many steps as there are accounts at most.
Result<void> check_chain(const AccountBook& book, const Association& row) {
  std::size_t steps = 0;
  for (const Association* at = &row; at->account != "root";
       at = find_account_row(book, at->parent)) {
    if (at->parent.empty())
      return invalid(fmt::format("account {} has no parent; only root has none", at->account));
    if (!find_account_row(book, at->parent))
      return Error{ErrorCode::invalid_account,
                   fmt::format("account {} has the parent {}, which does "
                               "not exist",
                               at->account, at->parent)};
    if (++steps > book.associations.size())
      return invalid(fmt::format("account {} would be below itself, with the parent {}",
                                 row.account, row.parent));
  }
  return {};
}

Result<void> check_qos_names(const AccountBook& book, const std::string& where,
                             const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!find_qos(book, name))
      return Error{ErrorCode::invalid_qos,
                   fmt::format("{} names the QOS {}, which does not exist", where, name)};
  return {};
}

std::string shown(const Association& row) {
  if (row.user.empty()) return fmt::format("account {}", row.account);
  return fmt::format("user {} of account {}{}{}", row.user, row.account,
                     row.partition.empty() ? "" : " in partition ", row.partition);
}

// Of an account: whoever follows parents ends at the root.
Result<void> check_own_row(const AccountBook& book, const Association& row) {
  if (!row.partition.empty())
    return invalid(fmt::format("account {} has a row of its own for partition {}; only users have",
                               row.account, row.partition));
  if (row.account == "root" && !row.parent.empty())
    return invalid(fmt::format("account root cannot be below {}", row.parent));
  return check_chain(book, row);
}

// Who set a limit would trust in it.
Result<void> check_enforced(const std::string& what, const Limits& limits,
                            std::initializer_list<const TresCounts*> counts) {
  const auto refused = [&](const char* which) {
    return Error{ErrorCode::not_supported, fmt::format("{}: {} not enforced yet", what, which)};
  };
  if (!limits.grp_tres_mins.empty() || !limits.grp_tres_run_mins.empty() || limits.grp_wall_min ||
      !limits.max_tres_mins_per_job.empty())
    return refused("limits in minutes of use are");
  if (limits.grp_jobs_accrue) return refused("GrpJobsAccrue is");
  if (limits.min_prio_threshold) return refused("MinPrioThreshold is");
  for (const TresCounts* list : counts)
    for (const TresCount& row : *list)
      if (row.tres == "billing") return refused("limits of billing are");
  return {};
}

Result<void> check_association(const AccountBook& book, const Association& row) {
  const Limits& limits = row.limits;
  TRY(check_enforced(shown(row), limits,
                     {&limits.grp_tres, &limits.max_tres_per_job, &limits.max_tres_per_node}));
  if (!is_live_account(book, row.account))
    return Error{ErrorCode::invalid_account,
                 fmt::format("{}: there is no such account", shown(row))};
  if (!row.user.empty() && !is_live_user(book, row.user))
    return invalid(fmt::format("{}: there is no such user", shown(row)));
  if (row.user.empty()) TRY(check_own_row(book, row));
  else if (!row.parent.empty()) return invalid(fmt::format("{} has a parent", shown(row)));
  TRY(check_qos_names(book, shown(row), row.qos));
  if (row.default_qos.empty()) return {};
  TRY(check_qos_names(book, shown(row), {row.default_qos}));
  const std::vector<std::string> usable = qos_of(book, row);
  if (std::find(usable.begin(), usable.end(), row.default_qos) != usable.end()) return {};
  return Error{ErrorCode::invalid_qos,
               fmt::format("{}: the default QOS {} is none of those that may be used ({})",
                           shown(row), row.default_qos, fmt::join(usable, ","))};
}

Result<void> check_associations(const AccountBook& book) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::set<std::string> with_row;
  for (const auto& [id, row] : book.associations) {
    if (row.deleted) continue;
    if (!seen.insert({row.account, row.user, row.partition}).second)
      return invalid(fmt::format("{} is there already", shown(row)));
    TRY(check_association(book, row));
    if (row.user.empty()) with_row.insert(row.account);
  }
  for (const auto& [name, account] : book.accounts)
    if (!account.deleted && !with_row.contains(name))
      return invalid(fmt::format("account {} is in no tree: it has no association", name));
  return {};
}

bool is_in(const AccountBook& book, const std::string& user, const std::string& account) {
  return std::any_of(book.associations.begin(), book.associations.end(), [&](const auto& item) {
    return !item.second.deleted && item.second.user == user && item.second.account == account;
  });
}

Result<void> check_users(const AccountBook& book) {
  for (const auto& [name, user] : book.users) {
    if (user.deleted) continue;
    TRY(check_name("user", name));
    if (!is_in(book, name, user.default_account))
      return Error{ErrorCode::invalid_account,
                   fmt::format("user {} is not in account {}, which would be the default one", name,
                               user.default_account)};
  }
  return {};
}

Result<void> check_accounts(const AccountBook& book) {
  if (!is_live_account(book, "root")) return invalid("account root must stay");
  for (const auto& [name, account] : book.accounts) {
    if (account.deleted) continue;
    TRY(check_name("account", name));
    if (std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
      return invalid(fmt::format("account {} is not in lower case", name));
    TRY(check_text("the description of account " + name, account.description));
    TRY(check_text("the organization of account " + name, account.organization));
    for (const std::string& coordinator : account.coordinators)
      if (!is_live_user(book, coordinator))
        return invalid(fmt::format("{} cannot coordinate account {}: there is no such user",
                                   coordinator, name));
  }
  return {};
}

Result<void> check_all_qos(const AccountBook& book) {
  std::set<std::string> seen;
  for (const auto& [id, qos] : book.qos) {
    if (qos.deleted) continue;
    TRY(check_name("QOS", qos.name));
    if (!seen.insert(qos.name).second)
      return invalid(fmt::format("QOS {} is there already", qos.name));
    TRY(check_qos_names(book, fmt::format("Preempt of QOS {}", qos.name), qos.preempt));
    const Limits& limits = qos.limits;
    TRY(check_enforced("QOS " + qos.name, limits,
                       {&limits.grp_tres, &limits.max_tres_per_job, &limits.max_tres_per_node,
                        &qos.max_tres_per_account, &qos.max_tres_per_user, &qos.min_tres_per_job}));
  }
  return {};
}

// --- rights

bool coordinates(const AccountBook& book, const std::string& user, const std::string& account) {
  std::size_t steps = 0;
  const Association* row = find_account_row(book, account);
  for (; row && steps <= book.associations.size(); row = parent_of(book, *row), ++steps) {
    const std::vector<std::string>& who = book.accounts.at(row->account).coordinators;
    if (std::find(who.begin(), who.end(), user) != who.end()) return true;
  }
  return false;
}

// Of the book as it was: nobody makes himself a coordinator.
bool may_change(const AccountBook& before, const std::string& user, const Association& row) {
  return coordinates(before, user, row.user.empty() ? row.parent : row.account);
}

Error denied(const std::string& user, const std::string& what) {
  return {ErrorCode::access_denied,
          fmt::format("{} may not change {}: that is for administrators and, of accounts and their "
                      "users, for the coordinators of the account",
                      user.empty() ? "the caller" : user, what)};
}

template <class Key, class Row, class Visit>
Result<void> for_each_change(const std::map<Key, Row>& before, const std::map<Key, Row>& after,
                             Visit&& visit) {
  for (const auto& [key, row] : after) {
    const auto at = before.find(key);
    if (at == before.end()) TRY(visit(static_cast<const Row*>(nullptr), row));
    else if (at->second != row) TRY(visit(&at->second, row));
  }
  return {};
}

Result<void> check_coordinator(const AccountBook& before, const AccountBook& after,
                               const std::string& user) {
  TRY(for_each_change(before.qos, after.qos, [&](const Qos*, const Qos& row) -> Result<void> {
    return denied(user, "QOS " + row.name);
  }));
  TRY(for_each_change(before.associations, after.associations,
                      [&](const Association* was, const Association& row) -> Result<void> {
                        if (may_change(before, user, row) &&
                            (!was || may_change(before, user, *was)))
                          return {};
                        return denied(user, shown(row));
                      }));
  TRY(for_each_change(before.accounts, after.accounts,
                      [&](const Account* was, const Account& row) -> Result<void> {
                        const Association* place = find_account_row(was ? before : after, row.name);
                        if (place && may_change(before, user, *place)) return {};
                        return denied(user, "account " + row.name);
                      }));
  return for_each_change(
      before.users, after.users,
      [&](const AccountUser* was, const AccountUser& row) -> Result<void> {
        // What was deleted gives nobody a level.
        const AdminLevel level = was && !was->deleted ? was->admin_level : AdminLevel::None;
        const bool is_his =
            coordinates(before, user, row.default_account) &&
            (!was || was->deleted || coordinates(before, user, was->default_account));
        if (is_his && row.admin_level == level) return {};
        return denied(user, "user " + row.name);
      });
}

Result<void> check_operator(const AccountBook& before, const AccountBook& after,
                            const std::string& user) {
  return for_each_change(
      before.users, after.users,
      [&](const AccountUser* was, const AccountUser& row) -> Result<void> {
        const AdminLevel level = was && !was->deleted ? was->admin_level : AdminLevel::None;
        if (row.admin_level == level || row.deleted) return {};
        return Error{ErrorCode::access_denied,
                     fmt::format("{} is an Operator: only an administrator changes the AdminLevel "
                                 "of {}",
                                 user, row.name)};
      });
}

}  // namespace

Result<AccountBook> with_change(AccountBook book, const ChangeAccounts& change) {
  for (const Account& account : change.accounts) book.accounts[account.name] = account;
  for (const AccountUser& user : change.users) book.users[user.name] = user;
  TRY(put_rows(book.associations, change.associations, "association"));
  TRY(put_rows(book.qos, change.qos, "QOS"));
  return book;
}

// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
std::uint64_t version_of(const AccountBook& book) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&hash](const auto& table) {
    for (const auto& [key, row] : table)
      for (const char c : to_bytes(row) + '\n')
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  };
  add(book.accounts);
  add(book.users);
  add(book.associations);
  add(book.qos);
  return hash;
}

Result<void> check_book(const AccountBook& book) {
  TRY(check_accounts(book));
  TRY(check_all_qos(book));
  TRY(check_associations(book));
  return check_users(book);
}

Result<void> check_caller(const AccountBook& before, const AccountCaller& caller) {
  if (caller.is_admin) return {};
  const auto at = before.users.find(caller.user);
  const bool is_known = at != before.users.end() && !at->second.deleted;
  if (is_known && at->second.admin_level != AdminLevel::None) return {};
  const bool is_coordinator =
      is_known &&
      std::any_of(before.accounts.begin(), before.accounts.end(), [&](const auto& item) {
        const auto& names = item.second.coordinators;
        return !item.second.deleted &&
               std::find(names.begin(), names.end(), caller.user) != names.end();
      });
  return is_coordinator ? Result<void>{} : denied(caller.user, "accounts");
}

Result<void> check_rights(const AccountBook& before, const AccountBook& after,
                          const AccountCaller& caller) {
  if (caller.is_admin) return {};
  const auto at = before.users.find(caller.user);
  const bool is_known = at != before.users.end() && !at->second.deleted;
  const AdminLevel level = is_known ? at->second.admin_level : AdminLevel::None;
  if (level == AdminLevel::Administrator) return {};
  if (level == AdminLevel::Operator) return check_operator(before, after, caller.user);
  return check_coordinator(before, after, is_known ? caller.user : "");
}

Result<void> check_removals(const State& state, const AccountBook& after) {
  std::set<AssociationId> gone;
  std::set<QosId> gone_qos;
  const AccountBook& before = *state.accounts;
  for (const auto& [id, row] : before.associations)
    if (!row.deleted && after.associations.at(id).deleted) gone.insert(id);
  for (const auto& [id, row] : before.qos)
    if (!row.deleted && after.qos.at(id).deleted) gone_qos.insert(id);
  if (gone.empty() && gone_qos.empty()) return {};
  for (const PartitionConfig& partition : state.config->partitions)
    for (const QosId id : gone_qos)
      if (before.qos.at(id).name == partition.access.qos)
        return invalid(fmt::format("QOS {} is the QoS= of partition {}", partition.access.qos,
                                   partition.name));
  std::string lines;
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    if (record.state == JobState::ended) return true;
    if (!gone.contains(record.association) && !gone_qos.contains(record.qos)) return true;
    const auto at = after.associations.find(record.association);
    lines += fmt::format("{}JobID = {:<10} C = {:<10} A = {:<10} U = {:<9}",
                         lines.empty() ? "" : "\n", record.id.value, state.config->cluster_name,
                         at == after.associations.end() ? "" : at->second.account,
                         at == after.associations.end() ? "" : at->second.user);
    return true;
  });
  if (!lines.empty()) return Error{ErrorCode::jobs_active, lines};
  for (const auto& [name, user] : after.users) {
    if (user.deleted || is_in(after, name, user.default_account) ||
        !is_in(before, name, user.default_account))
      continue;
    lines += fmt::format("{}C = {:<10} A = {:<20} U = {:<9}", lines.empty() ? "" : "\n",
                         state.config->cluster_name, user.default_account, name);
  }
  if (!lines.empty()) return Error{ErrorCode::default_account_in_use, lines};
  return {};
}

}  // namespace sluice
