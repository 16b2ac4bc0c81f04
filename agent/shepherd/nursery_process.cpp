// nursery_process.cpp: one packet in, one child of the agent, one packet out.
#include "agent/shepherd/nursery_process.h"

#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "agent/exec/nursery.h"

namespace sluice::agent {
namespace {

// As fork(), but it is the agent's child: the agent sees its end, and its pid is not given to
// another process before.
pid_t fork_for_agent() {
  return static_cast<pid_t>(
      syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, 0));
}

}  // namespace

std::optional<std::string> keep_nursery() {
  std::array<char, PATH_MAX> folder;
  while (true) {
    const ssize_t got = recv(nursery_socket, folder.data(), folder.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    NurseryAnswer answer;
    answer.shepherd = fork_for_agent();
    if (answer.shepherd == 0) return std::string(folder.data(), static_cast<std::size_t>(got));
    answer.error = answer.shepherd < 0 ? errno : 0;
    send(nursery_socket, &answer, sizeof answer, MSG_NOSIGNAL);
  }
}

}  // namespace sluice::agent
