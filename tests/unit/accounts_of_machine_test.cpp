// accounts_of_machine_test.cpp: users and groups, from the local files and by getent, against the C
// library.
#include "cli/accounts_of_machine.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include <catch2/catch.hpp>

#include "cli/getent.h"

using namespace sluice;

TEST_CASE("accounts are those of the C library", "[accounts]") {
  const std::uint32_t uid = GENERATE(0U, 1U, 65534U);
  const passwd* known = getpwuid(uid);
  REQUIRE(known);
  const auto user = find_user(uid);
  REQUIRE(user);
  REQUIRE(user->name == known->pw_name);
  REQUIRE(user->gid == known->pw_gid);
  REQUIRE(user->home == known->pw_dir);
  REQUIRE(user->shell == known->pw_shell);
  REQUIRE(find_user(user->name)->uid == uid);
  REQUIRE(user_name_of(uid) == user->name);
  const group* its_group = getgrgid(user->gid);
  REQUIRE(its_group);
  REQUIRE(find_group(its_group->gr_name) == user->gid);
  REQUIRE(group_name_of(user->gid) == its_group->gr_name);
  const auto groups = groups_of(*user);
  REQUIRE(groups.front() == user->gid);
  gid_t more[64];
  int count = 64;
  REQUIRE(getgrouplist(known->pw_name, known->pw_gid, more, &count) ==
          static_cast<int>(groups.size()));
  REQUIRE(std::is_permutation(groups.begin(), groups.end(), more, more + count));
}

TEST_CASE("what getent knows is what the files know", "[accounts]") {
  REQUIRE(getent("passwd", "root").value().substr(0, 5) == "root:");
  REQUIRE(getent("ahosts", "127.0.0.1").value().substr(0, 9) == "127.0.0.1");
}

TEST_CASE("who is not there is not found, whatever the name", "[accounts]") {
  const std::string name =
      GENERATE("no-such-user", "", "-s", "--help", "a:b", "root:x", "0", "99999999999");
  REQUIRE_FALSE(find_user(name));
  REQUIRE_FALSE(find_group(name));
  REQUIRE_FALSE(find_user(4'000'000'000U));
  REQUIRE(user_name_of(4'000'000'000U) == "4000000000");
  REQUIRE(uid_of_user("4000000000") == 4'000'000'000U);
  REQUIRE_FALSE(uid_of_user("99999999999"));
}
