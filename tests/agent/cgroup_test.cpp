// cgroup_test.cpp: the end of a node's control groups: all of them, and no other node's. Needs
// root.
#include "agent/exec/cgroup.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::agent;

namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

// A process in the group that ends by a signal only; our child.
pid_t start_in(const CgroupPlace& place) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  if (!join_cgroup(place).ok()) _exit(1);
  while (true) pause();
}

int wait_status_of(pid_t pid) {
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  return status;
}

}  // namespace

TEST_CASE("a node's groups go with what is in them, another node's stay", "[cgroup]") {
  const std::string name = cgroup_name_of("test", std::to_string(getpid()));
  const CgroupRoot ours = prepare_cgroup_root(name);
  if (ours.node.version == 0) {
    WARN("skipped: " + ours.why);
    return;
  }
  const CgroupRoot other = prepare_cgroup_root(name + "0");
  const CgroupPlace run = place_of_run(ours, {JobId{7}, RunNumber{0}});
  const CgroupPlace neighbour = place_of_run(other, {JobId{7}, RunNumber{0}});
  REQUIRE(make_cgroup(run, {64, 100}).ok());
  REQUIRE(make_cgroup(neighbour, {}).ok());
  // A job of root may have made groups of its own.
  const CgroupPlace inner{run.version, run.memory + "/inner", run.pids + "/inner"};
  REQUIRE(make_cgroup(inner, {}).ok());
  const pid_t process = start_in(inner);
  const pid_t spared = start_in(neighbour);
  while (cgroup_members(inner).empty() || cgroup_members(neighbour).empty()) usleep(1000);

  const Result<void> removed = remove_node_cgroup(ours.node);
  if (!removed.ok()) FAIL(to_text(removed.error()));
  CHECK(WTERMSIG(wait_status_of(process)) == SIGKILL);
  CHECK_FALSE(exists(ours.node.memory));
  CHECK_FALSE(exists(ours.node.pids));
  CHECK(cgroup_members(neighbour) == std::vector<pid_t>{spared});
  CHECK(remove_node_cgroup(ours.node).ok());  // nothing there any more

  CHECK(remove_node_cgroup(other.node).ok());
  CHECK(WTERMSIG(wait_status_of(spared)) == SIGKILL);
}
