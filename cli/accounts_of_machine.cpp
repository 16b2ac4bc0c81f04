// accounts_of_machine.cpp: lines of passwd(5) and group(5), wherever they come from.
#include "cli/accounts_of_machine.h"

#include <map>

#include "cli/getent.h"
#include "common/base/file.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr std::size_t file_bytes_max = 64U << 20;

using Fields = std::vector<std::string_view>;

// The first line of a local file whose field has this value.
std::optional<std::string> find_line(const char* path, std::size_t field, std::string_view value) {
  const auto text = read_file(path, file_bytes_max);
  if (!text.ok() || !*text) return std::nullopt;
  for (const std::string_view line : split(**text, '\n')) {
    const Fields fields = split(line, ':');
    if (fields.size() > field && fields[field] == value) return std::string(line);
  }
  return std::nullopt;
}

// Name and number are the fields 0 and 2 of both databases.
struct Database {
  const char* name;
  const char* path;
};
constexpr Database users{"passwd", "/etc/passwd"};
constexpr Database groups{"group", "/etc/group"};

std::optional<std::string> find_by_name(const Database& database, const std::string& name) {
  // getent takes digits for a number.
  if (auto line = find_line(database.path, 0, name)) return line;
  return parse_account_number(name) || name.empty() ? std::nullopt : getent(database.name, name);
}

std::optional<std::string> find_by_id(const Database& database, std::uint32_t id) {
  const std::string number = std::to_string(id);
  if (auto line = find_line(database.path, 2, number)) return line;
  return getent(database.name, number);
}

std::optional<UserAccount> read_user(const std::optional<std::string>& line) {
  if (!line) return std::nullopt;
  const Fields fields = split(*line, ':');
  if (fields.size() < 7) return std::nullopt;
  const auto uid = parse_account_number(fields[2]);
  const auto gid = parse_account_number(fields[3]);
  if (!uid || !gid) return std::nullopt;
  return UserAccount{std::string(fields[0]), *uid, *gid, std::string(fields[5]),
                     std::string(fields[6])};
}

std::string name_in(const std::optional<std::string>& line, std::uint32_t id) {
  return line ? line->substr(0, line->find(':')) : std::to_string(id);
}

std::string name_of(const Database& database, std::uint32_t id,
                    std::map<std::uint32_t, std::string>& known) {
  const auto [entry, is_new] = known.try_emplace(id);
  if (is_new) entry->second = name_in(find_by_id(database, id), id);
  return entry->second;
}

}  // namespace

std::optional<UserAccount> find_user(const std::string& name) {
  return read_user(find_by_name(users, name));
}
std::optional<UserAccount> find_user(std::uint32_t uid) {
  return read_user(find_by_id(users, uid));
}

std::optional<std::uint32_t> find_group(const std::string& name) {
  const auto line = find_by_name(groups, name);
  if (!line) return std::nullopt;
  const Fields fields = split(*line, ':');
  return fields.size() > 2 ? parse_account_number(fields[2]) : std::nullopt;
}

std::vector<std::uint32_t> groups_of(const UserAccount& user) {
  std::vector<std::uint32_t> found = {user.gid};
  // "name 4 24 1000"
  const auto line = getent("initgroups", user.name);
  if (!line) return found;
  const Fields words = split(*line, ' ');
  for (std::size_t i = 1; i < words.size(); ++i)
    if (const auto gid = parse_account_number(words[i]); gid && *gid != user.gid) found.push_back(*gid);
  return found;
}

std::string user_name_of(std::uint32_t uid) {
  static std::map<std::uint32_t, std::string> known;
  return name_of(users, uid, known);
}

std::string group_name_of(std::uint32_t gid) {
  static std::map<std::uint32_t, std::string> known;
  return name_of(groups, gid, known);
}

std::optional<std::uint32_t> parse_account_number(std::string_view text) {
  const auto number = parse_number(std::string(text));
  if (!number || *number >= UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::optional<std::uint32_t> uid_of_user(const std::string& user) {
  if (const auto account = find_user(user)) return account->uid;
  return parse_account_number(user);
}

std::optional<std::uint32_t> gid_of_group(const std::string& name) {
  if (const auto gid = find_group(name)) return gid;
  return parse_account_number(name);
}

}  // namespace sluice
