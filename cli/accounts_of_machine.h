// accounts_of_machine.h: names of users and groups on this machine, each looked up once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sluice {

// The number as text where there is no such account.
std::string user_name_of(std::uint32_t uid);
std::string group_name_of(std::uint32_t gid);
// Of a name, or of a number as text; none: unknown.
std::optional<std::uint32_t> uid_of_user(const std::string& user);
std::optional<std::uint32_t> gid_of_group(const std::string& group);

}  // namespace sluice
