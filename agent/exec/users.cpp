// users.cpp: getpwuid_r and getgrouplist, and a small cache.
#include "agent/exec/users.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/clock.h"

namespace sluice::agent {
namespace {

constexpr Duration kept_for = std::chrono::minutes{1};

std::vector<std::uint32_t> groups_of(const char* name, gid_t primary) {
  std::vector<gid_t> groups(64);
  int count = static_cast<int>(groups.size());
  while (getgrouplist(name, primary, groups.data(), &count) < 0)
    groups.resize(static_cast<std::size_t>(count));
  groups.resize(static_cast<std::size_t>(count));
  return {groups.begin(), groups.end()};
}

}  // namespace

std::optional<UserIdentity> look_up_user(std::uint32_t uid) {
  std::vector<char> buffer(4096);
  passwd entry{};
  passwd* found = nullptr;
  while (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == ERANGE)
    buffer.resize(2 * buffer.size());
  if (!found) return std::nullopt;
  UserIdentity user;
  user.uid = uid;
  user.gid = entry.pw_gid;
  user.name = entry.pw_name;
  user.home = entry.pw_dir;
  user.shell = entry.pw_shell;
  user.groups = groups_of(entry.pw_name, entry.pw_gid);
  return user;
}

void Users::find(std::uint32_t uid, Found found) {
  const SteadyTime now = read_clocks().steady;
  const auto at = known_.find(uid);
  if (at != known_.end() && now - at->second.asked < kept_for)
    return found(at->second.user);
  auto answer = std::make_shared<std::optional<UserIdentity>>();
  reactor_.in_background([answer, uid] { *answer = look_up_user(uid); },
                         [this, answer, uid, now, found = std::move(found)] {
                           if (*answer) known_[uid] = Known{**answer, now};
                           else known_.erase(uid);
                           found(*answer);
                         });
}

}  // namespace sluice::agent
