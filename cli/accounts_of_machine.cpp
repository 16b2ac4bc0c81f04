// accounts_of_machine.cpp: the account database behind a small cache: listings repeat few users.
#include "cli/accounts_of_machine.h"

#include <grp.h>
#include <pwd.h>

#include <map>

#include "common/options/text.h"

namespace sluice {

std::string user_name_of(std::uint32_t uid) {
  static std::map<std::uint32_t, std::string> known;
  const auto [entry, is_new] = known.try_emplace(uid);
  if (is_new) {
    const passwd* account = getpwuid(uid);
    entry->second = account ? account->pw_name : std::to_string(uid);
  }
  return entry->second;
}

std::string group_name_of(std::uint32_t gid) {
  static std::map<std::uint32_t, std::string> known;
  const auto [entry, is_new] = known.try_emplace(gid);
  if (is_new) {
    const group* account = getgrgid(gid);
    entry->second = account ? account->gr_name : std::to_string(gid);
  }
  return entry->second;
}

namespace {
std::optional<std::uint32_t> id_in(const std::string& text) {
  const auto number = parse_number(text);
  if (!number || *number > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}
}  // namespace

std::optional<std::uint32_t> uid_of_user(const std::string& user) {
  if (const passwd* account = getpwnam(user.c_str())) return account->pw_uid;
  return id_in(user);
}

std::optional<std::uint32_t> gid_of_group(const std::string& name) {
  if (const group* account = getgrnam(name.c_str())) return account->gr_gid;
  return id_in(name);
}

}  // namespace sluice
