// accounts.cpp: sacctmgr's changes to accounts, users, associations and QOS. All rows of a change
// take effect together, or none.
#include <fmt/format.h>

#include "daemon/core/account_rules.h"
#include "daemon/core/handlers.h"

namespace sluice {
namespace {

template <class Key, class Row, class Take>
void for_each_new(const std::map<Key, Row>& before, const std::map<Key, Row>& after, Take&& take) {
  for (const auto& [key, row] : after) {
    const auto at = before.find(key);
    if (at == before.end() || at->second != row) take(row);
  }
}

template <class Key, class Row>
void store_new(const std::map<Key, Row>& before, const std::map<Key, Row>& after,
               std::vector<Row>& rows) {
  for_each_new(before, after, [&](const Row& row) { rows.push_back(row); });
}

// The first change writes also what was there from the first day on.
void store_changes(State& state, const AccountBook& after) {
  const AccountBook none;
  const AccountBook& before = *state.accounts == first_book() ? none : *state.accounts;
  store_new(before.accounts, after.accounts, state.extra.accounts);
  store_new(before.users, after.users, state.extra.users);
  store_new(before.associations, after.associations, state.extra.associations);
  store_new(before.qos, after.qos, state.extra.qos);
}

std::string name_of(const Account& row) { return "account " + row.name; }
std::string name_of(const AccountUser& row) { return "user " + row.name; }
std::string name_of(const Qos& row) { return "QOS " + row.name; }
std::string name_of(const Association& row) {
  return fmt::format("association of account {}{}{}{}{}", row.account,
                     row.user.empty() ? "" : ", user ", row.user,
                     row.partition.empty() ? "" : ", partition ", row.partition);
}

template <class Key, class Row>
void audit_changes(State& state, const std::map<Key, Row>& before, const std::map<Key, Row>& after,
                   std::uint32_t uid, const Now& now) {
  for_each_new(before, after, [&](const Row& row) {
    const auto at = before.find([&] {
      if constexpr (requires { row.id; }) return row.id;
      else return row.name;
    }());
    const bool was = at != before.end() && !at->second.deleted;
    const char* verb = row.deleted ? "removed" : was ? "changed" : "added";
    audit(state, now, "accounts_changed", {}, "", uid, fmt::format("{} {}", name_of(row), verb));
  });
}

Result<void> check(const State& state, const AccountsChanged& event, const AccountBook& after) {
  TRY(check_rights(*state.accounts, after, {event.caller.is_admin, event.user}));
  TRY(check_removals(state, after));
  return check_book(after);
}

}  // namespace

void on_accounts_changed(State& state, const AccountsChanged& event, const Now& now, Effects& out) {
  const AccountCaller caller{event.caller.is_admin, event.user};
  if (const Result<void> may = check_caller(*state.accounts, caller); !may)
    return out.refuse(event.from, may.error());
  const bool is_outdated = event.request.based_on != version_of(*state.accounts);
  const Result<AccountBook> changed = with_change(*state.accounts, event.request);
  // A repeat of what was done, after a lost answer, is done.
  if (changed && *changed == *state.accounts) return out.reply(event.from, ChangeAccountsReply{});
  if (is_outdated) return out.reply(event.from, ChangeAccountsReply{.is_outdated = true});
  if (!changed) return out.refuse(event.from, changed.error());
  const AccountBook& after = *changed;
  if (const Result<void> checked = check(state, event, after); !checked)
    return out.refuse(event.from, checked.error());
  store_changes(state, after);
  const std::shared_ptr<const AccountBook> before = state.accounts;
  state.accounts = std::make_shared<const AccountBook>(after);
  const std::uint32_t uid = event.caller.uid;
  audit_changes(state, before->accounts, after.accounts, uid, now);
  audit_changes(state, before->users, after.users, uid, now);
  audit_changes(state, before->associations, after.associations, uid, now);
  audit_changes(state, before->qos, after.qos, uid, now);
  state.refresh_limits();
  settle_all_pending(state, now);
  out.reply(event.from, ChangeAccountsReply{});
}

}  // namespace sluice
