// getent.h: the system's databases of users, groups and hosts, by asking the C library's own
// program. The commands are linked statically, because that is a quarter of their start-up; the
// library's modules for LDAP, sssd and DNS cannot be loaded into such a program.
#pragma once

#include <optional>
#include <string>

namespace sluice {

// The first line of `getent DATABASE KEY`; none: no such entry, or no getent.
std::optional<std::string> getent(const std::string& database, const std::string& key);

}  // namespace sluice
