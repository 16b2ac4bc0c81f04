// messages_accounts.h: accounts, users, associations and QOS between sacctmgr and the controller.
// The command reads the book, makes the rows as they shall be and sends those back; the controller
// checks the whole and changes all of it or nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/model/accounting.h"
#include "common/wire/message_type.h"

namespace sluice {

// Rows in place of those of the same name or id. An association or a QOS without an id is a new
// one; one that is to go has `deleted` set.
struct ChangeAccounts {
  static constexpr MessageType type = MessageType::change_accounts;
  std::uint64_t based_on = 0;  // AccountsReply::version that the rows were made from
  std::vector<Account> accounts;
  std::vector<AccountUser> users;
  std::vector<Association> associations;
  std::vector<Qos> qos;

  bool empty() const {
    return accounts.empty() && users.empty() && associations.empty() && qos.empty();
  }
  bool operator==(const ChangeAccounts&) const = default;
};
BOOST_DESCRIBE_STRUCT(ChangeAccounts, (), (based_on, accounts, users, associations, qos))

struct ChangeAccountsReply {
  static constexpr MessageType type = MessageType::accounts_changed;
  // Others changed the book meanwhile: nothing was done, read it and make the rows again.
  bool is_outdated = false;

  bool operator==(const ChangeAccountsReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ChangeAccountsReply, (), (is_outdated))

struct QueryAccounts {
  static constexpr MessageType type = MessageType::query_accounts;
  bool with_deleted = false;

  bool operator==(const QueryAccounts&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryAccounts, (), (with_deleted))

// A large book comes in several replies to one request; the last has more == false.
struct AccountsReply {
  static constexpr MessageType type = MessageType::accounts_reply;
  std::uint64_t version = 0;  // of the book, by its content
  std::vector<Account> accounts;
  std::vector<AccountUser> users;
  std::vector<Association> associations;
  std::vector<Qos> qos;
  bool more = false;

  bool operator==(const AccountsReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(AccountsReply, (), (version, accounts, users, associations, qos, more))

}  // namespace sluice
