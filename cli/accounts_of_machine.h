// accounts_of_machine.h: users and groups of this machine: /etc/passwd and /etc/group first, then
// what else the machine asks (getent.h). Names and uids of listings are looked up once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct UserAccount {
  std::string name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string home;
  std::string shell;
};

std::optional<UserAccount> find_user(const std::string& name);
std::optional<UserAccount> find_user(std::uint32_t uid);
std::optional<std::uint32_t> find_group(const std::string& name);
// With the primary one.
std::vector<std::uint32_t> groups_of(const UserAccount& user);

// The number as text where there is no such account.
std::string user_name_of(std::uint32_t uid);
std::string group_name_of(std::uint32_t gid);
// A uid or gid as text; -1 is none, system calls mean "leave it" by it.
std::optional<std::uint32_t> parse_account_number(std::string_view text);
// Of a name, or of a number as text; none: unknown.
std::optional<std::uint32_t> uid_of_user(const std::string& user);
std::optional<std::uint32_t> gid_of_group(const std::string& group);

}  // namespace sluice
