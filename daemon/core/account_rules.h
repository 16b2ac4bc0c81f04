// account_rules.h: what must hold of the book of accounts as a whole, and who may change what of
// it. Pure.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/wire/messages_accounts.h"
#include "daemon/core/state.h"

namespace sluice {

// The book with the rows of the change in their place; new ones get the next free ids.
// Errors: invalid_argument, an id that no row has, or a row that would become that of another.
Result<AccountBook> with_change(AccountBook book, const ChangeAccounts& change);

// By its content: the same after a restart.
std::uint64_t version_of(const AccountBook& book);

// Errors: invalid_argument and invalid_account (what and where), not_supported (a limit that
// nothing enforces).
Result<void> check_book(const AccountBook& book);

// Who asks: an administrator changes all; an Operator of the book all but levels; a coordinator the
// users of his accounts, and the accounts below them. Errors: access_denied.
struct AccountCaller {
  bool is_admin = false;
  std::string user;
};
// Before a book is made of what the caller sent: may he change anything at all? Errors:
// access_denied.
Result<void> check_caller(const AccountBook& before, const AccountCaller& caller);
// Of what he changed.
Result<void> check_rights(const AccountBook& before, const AccountBook& after,
                          const AccountCaller& caller);

// What goes must not be in use. Errors: jobs_active, default_account_in_use, with a line for each.
Result<void> check_removals(const State& state, const AccountBook& after);

}  // namespace sluice
