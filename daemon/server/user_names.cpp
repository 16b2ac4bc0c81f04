// user_names.cpp: getpwuid_r and getgrgid_r.
#include "daemon/server/user_names.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <vector>

namespace sluice {
namespace {

// Calls `look_up` with ever larger buffers, as the libc asks for.
template <class LookUp>
void with_buffer(LookUp look_up) {
  std::vector<char> buffer(4096);
  while (look_up(buffer) == ERANGE && buffer.size() < (1U << 24)) buffer.resize(buffer.size() * 4);
}

}  // namespace

UserNames look_up_names(std::uint32_t uid, std::uint32_t gid) {
  UserNames names;
  with_buffer([&](std::vector<char>& buffer) {
    passwd entry{};
    passwd* found = nullptr;
    const int result = getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
    if (found) names.user = found->pw_name;
    return result;
  });
  with_buffer([&](std::vector<char>& buffer) {
    group entry{};
    group* found = nullptr;
    const int result = getgrgid_r(gid, &entry, buffer.data(), buffer.size(), &found);
    if (found) names.group = found->gr_name;
    return result;
  });
  return names;
}

std::optional<std::uint32_t> look_up_uid(const std::string& user) {
  std::optional<std::uint32_t> uid;
  with_buffer([&](std::vector<char>& buffer) {
    passwd entry{};
    passwd* found = nullptr;
    const int result = getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found) uid = found->pw_uid;
    return result;
  });
  return uid;
}

std::optional<UserNames> UserNameCache::find(std::uint32_t uid, std::uint32_t gid,
                                             SteadyTime now) const {
  auto at = known_.find({uid, gid});
  if (at == known_.end() || at->second.until < now) return std::nullopt;
  return at->second.names;
}

void UserNameCache::put(std::uint32_t uid, std::uint32_t gid, UserNames names, SteadyTime now) {
  if (known_.size() > 10'000) known_.clear();
  known_[{uid, gid}] = {std::move(names), now + std::chrono::minutes{1}};
}

}  // namespace sluice
