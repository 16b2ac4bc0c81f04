// process.cpp: reads /proc, starts daemons by a double fork, signals by pidfd so that a pid that was
// given to another process in between is never hit.
#include "cli/dev/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

extern char** environ;

namespace sluice::dev {
namespace {

Error system_error(const std::string& what, int number) {
  return Error{ErrorCode::io_error, fmt::format("{}: {}", what, std::strerror(number))};
}

std::vector<char*> to_argv(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Closes itself; -1 is "none".
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  void reset() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

// Also of a process that has ended and was not reaped; -1: there is none.
int open_pidfd(const ProcessId& id) {
  int fd = static_cast<int>(syscall(SYS_pidfd_open, id.pid, 0));
  if (fd < 0) return -1;
  const std::optional<ProcessInfo> info = inspect_process(id.pid);
  if (info && info->id == id) return fd;
  close(fd);
  return -1;
}

void write_all(int fd, const std::string& text) {
  if (write(fd, text.data(), text.size()) < 0) return;
}

// The second child: becomes the daemon, or tells `report` the number of the error.
[[noreturn]] void become_daemon(const DaemonOrder& order, int log, int report) {
  std::optional<ProcessInfo> self = inspect_process(getpid());
  int pid_file = open(order.pid_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (self && pid_file >= 0) {
    write_all(pid_file, fmt::format("{} {}\n", self->id.pid, self->id.start_ticks));
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    std::vector<char*> argv = to_argv(order.command);
    execv(argv[0], argv.data());
  }
  int number = errno;
  if (write(report, &number, sizeof number) < 0) _exit(126);
  _exit(127);
}

}  // namespace

std::optional<ProcessInfo> inspect_process(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The name in parentheses may hold anything; the fields that count come after the last one.
  std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  std::vector<std::string> field{std::istream_iterator<std::string>(fields), {}};
  constexpr std::size_t state = 0, parent = 1, threads = 17, start = 19;
  if (field.size() <= start) return std::nullopt;
  return ProcessInfo{.id = {.pid = pid, .start_ticks = std::stoull(field[start])},
                     .parent = static_cast<pid_t>(std::stol(field[parent])),
                     .state = field[state][0],
                     .threads = std::stol(field[threads])};
}

std::vector<ProcessInfo> all_processes() {
  std::vector<ProcessInfo> found;
  DIR* folder = opendir("/proc");
  if (!folder) return found;
  while (const dirent* entry = readdir(folder)) {
    if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) continue;
    if (auto info = inspect_process(static_cast<pid_t>(std::atol(entry->d_name))))
      found.push_back(*info);
  }
  closedir(folder);
  return found;
}

std::vector<std::string> command_line(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

bool is_alive(const ProcessId& id) {
  std::optional<ProcessInfo> info = inspect_process(id.pid);
  if (!info || info->id != id) return false;
  return (info->state != 'Z' && info->state != 'X') || info->threads > 1;
}

bool send_signal(const ProcessId& id, int signal) {
  Descriptor pidfd{open_pidfd(id)};
  if (pidfd.get() < 0 || !is_alive(id)) return false;
  return syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0;
}

bool wait_until_ended(const ProcessId& id, std::chrono::milliseconds limit) {
  Descriptor pidfd{open_pidfd(id)};
  if (pidfd.get() < 0) return true;
  pollfd watched{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return poll(&watched, 1, static_cast<int>(limit.count())) == 1;
}

std::vector<ProcessId> process_tree(const ProcessId& root) {
  std::vector<ProcessId> tree{root};
  const std::vector<ProcessInfo> processes = all_processes();
  for (std::size_t next = 0; next < tree.size(); ++next)
    for (const ProcessInfo& info : processes)
      if (info.parent == tree[next].pid && info.id.pid != root.pid) tree.push_back(info.id);
  return tree;
}

Result<ProcessId> start_daemon(const DaemonOrder& order) {
  Descriptor log{open(order.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)};
  if (log.get() < 0) return system_error(order.log_file, errno);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe", errno);
  Descriptor from_child{ends[0]}, to_parent{ends[1]};

  pid_t child = fork();
  if (child < 0) return system_error("fork", errno);
  if (child == 0) {
    setsid();
    pid_t daemon = fork();
    if (daemon == 0) become_daemon(order, log.get(), to_parent.get());
    _exit(daemon < 0 ? 1 : 0);
  }
  to_parent.reset();
  int status = 0;
  waitpid(child, &status, 0);
  int number = 0;
  // The pipe closes when exec succeeds; a number is the reason why it did not.
  if (read(from_child.get(), &number, sizeof number) > 0) {
    unlink(order.pid_file.c_str());
    return system_error(order.command[0], number);
  }
  std::optional<ProcessId> id = read_pid_file(order.pid_file);
  if (status != 0 || !id) return Error{ErrorCode::io_error, "cannot start " + order.command[0]};
  return *id;
}

std::optional<ProcessId> read_pid_file(const std::string& path) {
  std::ifstream file(path);
  ProcessId id;
  if (!(file >> id.pid >> id.start_ticks) || id.pid <= 0) return std::nullopt;
  return id;
}

Result<CommandOutput> run_command(const std::vector<std::string>& command,
                                  const std::string& config_file) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("pipe", errno);
  Descriptor from_child{ends[0]}, to_parent{ends[1]};
  setenv("SLUICE_CONF", config_file.c_str(), 1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_parent.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to_parent.get(), STDERR_FILENO);
  std::vector<char*> argv = to_argv(command);
  pid_t pid = 0;
  int number = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (number != 0) return system_error(command[0], number);

  to_parent.reset();
  CommandOutput output;
  char buffer[4096];
  for (ssize_t size; (size = read(from_child.get(), buffer, sizeof buffer)) > 0;)
    output.text.append(buffer, static_cast<std::size_t>(size));
  int status = 0;
  waitpid(pid, &status, 0);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace sluice::dev
