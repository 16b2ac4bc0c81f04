// nursery.cpp: the agent's side of the nursery.
#include "agent/exec/nursery.h"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cerrno>

namespace sluice::agent {
namespace {

constexpr timeval answer_wait_max{1, 0};
// A shepherd writes its run's folder over these arguments, for those who list processes.
const std::string room_for_folder(256, ' ');

}  // namespace

Result<pid_t> spawn_program(const std::string& program, const std::vector<std::string>& arguments,
                            int socket) {
  // With all signals blocked from its first instruction: the agent's orders come as signals.
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (socket >= 0) posix_spawn_file_actions_adddup2(&actions, socket, nursery_socket);
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  char* no_environment[] = {nullptr};
  pid_t pid = -1;
  errno = posix_spawn(&pid, program.c_str(), &actions, &attributes, words.data(), no_environment);
  const int failed = errno;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = failed;
  if (failed != 0) return system_error("start", program);
  return pid;
}

Result<pid_t> Nursery::start_shepherd(const std::string& run_folder) {
  if (pid_ > 0) {
    auto pid = ask(run_folder);
    if (pid.ok()) return pid;
    end();
  }
  TRY(start());
  auto pid = ask(run_folder);
  if (!pid.ok()) end();
  return pid;
}

Result<void> Nursery::start() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return system_error("make a socket for", program_);
  File line{pair[0]};
  const File its_end{pair[1]};
  setsockopt(line.fd(), SOL_SOCKET, SO_RCVTIMEO, &answer_wait_max, sizeof answer_wait_max);
  setsockopt(line.fd(), SOL_SOCKET, SO_SNDTIMEO, &answer_wait_max, sizeof answer_wait_max);
  pid_ =
      TRY(spawn_program(program_, {"sluice-shepherd", "--nursery", room_for_folder}, its_end.fd()));
  line_ = std::move(line);
  return {};
}

// One that was forked while the answer was on its way is ended by the run's lock, if a second
// follows.
void Nursery::end() {
  line_.reset();
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Result<pid_t> Nursery::ask(const std::string& run_folder) const {
  NurseryAnswer answer;
  const auto size = static_cast<ssize_t>(run_folder.size());
  ssize_t got = send(line_.fd(), run_folder.data(), run_folder.size(), MSG_NOSIGNAL);
  if (got == size) {
    do got = recv(line_.fd(), &answer, sizeof answer, 0);
    while (got < 0 && errno == EINTR);
    if (got == sizeof answer) errno = answer.error;
    if (got == sizeof answer && answer.error == 0) return answer.shepherd;
    if (got == 0) errno = ECONNRESET;
  }
  return system_error("start a shepherd for", run_folder);
}

}  // namespace sluice::agent
