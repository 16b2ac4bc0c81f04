// users.h: accounts of this node by the system's name service, which may be slow (LDAP): asked on a
// helper thread, known answers are kept for a minute.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "agent/core/spooled_run.h"
#include "agent/exec/reactor.h"
#include "common/base/time.h"

namespace sluice::agent {

// None: the account is unknown on this node. Blocks as long as the name service does.
std::optional<UserIdentity> look_up_user(std::uint32_t uid);

class Users {
 public:
  explicit Users(Reactor& reactor) : reactor_(reactor) {}

  using Found = std::function<void(const std::optional<UserIdentity>&)>;
  // Calls `found` at once when the answer is known, else from the loop.
  void find(std::uint32_t uid, Found found);

 private:
  struct Known {
    UserIdentity user;
    SteadyTime asked;
  };

  Reactor& reactor_;
  std::map<std::uint32_t, Known> known_;
};

}  // namespace sluice::agent
