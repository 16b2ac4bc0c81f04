// user_names.h: names of users and groups, remembered for a minute. The look-up itself may ask LDAP and
// take seconds: it belongs on a thread of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/base/time.h"

namespace sluice {

struct UserNames {
  std::string user;   // empty: the uid has no name here
  std::string group;
};

UserNames look_up_names(std::uint32_t uid, std::uint32_t gid);  // blocks
std::optional<std::uint32_t> look_up_uid(const std::string& user);  // blocks

class UserNameCache {
 public:
  std::optional<UserNames> find(std::uint32_t uid, std::uint32_t gid, SteadyTime now) const;
  void put(std::uint32_t uid, std::uint32_t gid, UserNames names, SteadyTime now);

 private:
  struct Known {
    UserNames names;
    SteadyTime until;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Known> known_;
};

}  // namespace sluice
