// job_tree.cpp: signals to many, and the loop that ends all.
#include "agent/shepherd/job_tree.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent/exec/cgroup.h"
#include "agent/exec/process.h"

namespace sluice::agent {
namespace {

// False: there are no children any more.
bool reap_all_dead() {
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
  }
}

}  // namespace

std::vector<pid_t> JobTree::members() const {
  if (cgroup_.version != 0) return cgroup_members(cgroup_);
  return descendants_of(getpid());
}

void JobTree::signal_all(int signal) const {
  for (const pid_t pid : members()) kill(pid, signal);
}

void JobTree::signal_all_but(pid_t spared, int signal) const {
  for (const pid_t pid : members())
    if (pid != spared) kill(pid, signal);
}

void JobTree::kill_all() const {
  if (cgroup_.version != 0) {
    kill_cgroup(cgroup_);
    return;
  }
  // A tree that forks faster than it is killed is stopped first.
  const std::vector<pid_t> all = members();
  for (const pid_t pid : all) kill(pid, SIGSTOP);
  for (const pid_t pid : all) kill(pid, SIGKILL);
}

void JobTree::end() const {
  // Orphans become children of this process: without children nothing of the run lives.
  constexpr int wait_ms_max = 200;
  for (int wait_ms = 1; reap_all_dead(); wait_ms = std::min(2 * wait_ms, wait_ms_max)) {
    kill_all();
    if (!reap_all_dead()) return;
    poll(nullptr, 0, wait_ms);
  }
}

}  // namespace sluice::agent
