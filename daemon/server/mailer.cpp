// mailer.cpp: vfork, exec, and a deadline.
#include "daemon/server/mailer.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/file.h"
#include "common/log/log.h"

namespace sluice {
namespace {

constexpr std::size_t waiting_max = 1000;
constexpr int patience_ms = 10'000;
constexpr std::uint32_t nobody = 65534;

struct Program {
  const char* path;
  char* const* arguments;
  char* const* environment;
  int null_fd;
  std::uint32_t uid;
  std::uint32_t gid;
};

// In the child, which shares this process's memory until exec: system calls alone, and the raw ones
// of identity, because the C library's would speak to all threads.
[[noreturn]] void become_and_execute(const Program& program) {
  for (const int fd : {0, 1, 2}) dup2(program.null_fd, fd);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (geteuid() == 0 && (syscall(SYS_setgroups, 0, nullptr) != 0 ||
                         syscall(SYS_setresgid, program.gid, program.gid, program.gid) != 0 ||
                         syscall(SYS_setresuid, program.uid, program.uid, program.uid) != 0))
    _exit(126);
  setsid();
  (void)!chdir("/");
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execve(program.path, program.arguments, program.environment);
  _exit(127);
}

pid_t start(const Program& program) {
  const pid_t pid = vfork();
  if (pid == 0) become_and_execute(program);
  return pid;
}

// Its exit status; -1: it had to be killed.
int wait_for_end(pid_t pid) {
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  const bool in_time = process && poll(&ended, 1, patience_ms) == 1;
  if (!in_time) {
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return in_time ? status : -1;
}

}  // namespace

Mailer::Mailer(std::uint32_t slurm_uid) : uid_(slurm_uid), gid_(nobody) {
  if (uid_ == 0) {
    const passwd* entry = getpwnam("nobody");
    uid_ = entry ? entry->pw_uid : nobody;
  }
  if (const passwd* entry = getpwuid(uid_)) gid_ = entry->pw_gid;
}

void Mailer::send(const std::string& program, const std::string& subject, const std::string& to) {
  if (stopping_) return;
  if (waiting_ >= waiting_max)
    return log_warning("mail to {} is dropped, {} wait for {}: {}", to, waiting_max, program,
                       subject);
  ++waiting_;
  thread_.post([this, program, subject, to] {
    if (!stopping_) run(program, subject, to);
    --waiting_;
  });
}

void Mailer::run(const std::string& program, const std::string& subject,
                 const std::string& to) const {
  std::string words[] = {program, "-s", subject, to};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  char* environment[] = {path, nullptr};
  const UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  const pid_t pid = start({program.c_str(), arguments, environment, nothing.get(), uid_, gid_});
  if (pid < 0) return log_warning("{} cannot be started: {}", program, errno_text(errno));
  const int status = wait_for_end(pid);
  if (status == -1)
    log_warning("{} was killed after {} s; mail to {}: {}", program, patience_ms / 1000, to,
                subject);
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    log_warning("{} failed (exit code {}, signal {}); mail to {}: {}", program,
                WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                WIFSIGNALED(status) ? WTERMSIG(status) : 0, to, subject);
}

void Mailer::stop() {
  stopping_ = true;
  thread_.stop();
}

}  // namespace sluice
