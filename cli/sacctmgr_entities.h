// sacctmgr_entities.h: what add, modify and delete share: conditions, and rows of the book by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/sacctmgr.h"

namespace sluice {

enum class Entity { account, user, qos, cluster, coordinator, association };
// "user", "users", "acct"; none: no entity that can be changed.
std::optional<Entity> parse_entity(std::string_view word);

// The conditions of a change; empty lists: any.
struct Chosen {
  std::vector<std::string> names;  // of the entity itself
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> partitions;
  std::vector<std::string> parents;
  std::vector<std::string> default_accounts;
  bool empty() const {
    return names.empty() && accounts.empty() && users.empty() && partitions.empty() &&
           parents.empty() && default_accounts.empty();
  }
};
// False: it is no condition.
bool take_choice(const Clause& clause, Entity entity, Chosen& chosen);

std::string lower_case(std::string_view text);
bool is_among(const std::vector<std::string>& names, const std::string& name);  // any where empty

Account* live_account(AccountBook& book, const std::string& name);
AccountUser* live_user(AccountBook& book, const std::string& name);
Qos* live_qos(AccountBook& book, const std::string& name);
// A new row, with the next id.
Association& add_association(AccountBook& book);
Qos& add_qos(AccountBook& book);

// A plan that changes nothing.
Planned say(const AccountBook& before, std::string text, int exit_code);

// "C = t5         A = acct1                U = stest    ", or "... A = acct1 of root".
std::string association_line(const Association& row, const std::string& cluster);

}  // namespace sluice
