// login_environment.cpp: a shell as a child, with a deadline; and the file of --export-file.
#include "cli/login_environment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "cli/accounts_of_machine.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr std::size_t environment_bytes_max = 8U << 20;
constexpr std::string_view begin_marker = "\nsluice-environment-begins\n";
constexpr std::string_view end_marker = "\nsluice-environment-ends\n";
// What profiles print comes before the first marker. Understood by sh and csh alike.
constexpr const char* print_environment =
    "echo ''; echo 'sluice-environment-begins'; /usr/bin/env -0; echo ''; "
    "echo 'sluice-environment-ends'";
// Of the asking shell itself.
constexpr std::array shells_own = {"_", "SHLVL", "PWD", "OLDPWD"};

std::vector<std::string_view> split_at_nul(std::string_view bytes) {
  std::vector<std::string_view> entries = split(bytes, '\0');
  std::erase_if(entries, [](std::string_view entry) { return entry.empty(); });
  return entries;
}

struct ShellAccount : UserAccount {
  std::vector<gid_t> groups;  // where this process may take them
};

Result<ShellAccount> account_of(std::uint32_t uid) {
  auto user = find_user(uid);
  if (!user)
    return Error{ErrorCode::unknown_user, fmt::format("--get-user-env: no account of uid {}", uid)};
  if (user->shell.empty()) user->shell = "/bin/sh";
  ShellAccount account{std::move(*user), {}};
  if (geteuid() == 0) account.groups = groups_of(account);
  return account;
}

bool become(const ShellAccount& account) {
  if (geteuid() != 0) return geteuid() == account.uid;
  return setgroups(account.groups.size(), account.groups.data()) == 0 &&
         setresgid(account.gid, account.gid, account.gid) == 0 &&
         setresuid(account.uid, account.uid, account.uid) == 0;
}

// In the child; does not return.
[[noreturn]] void run_shell(const ShellAccount& account, bool is_login, int output) {
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  if (dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(nothing, 2) < 0) _exit(1);
  if (!become(account) || (chdir(account.home.c_str()) != 0 && chdir("/") != 0)) _exit(1);
  // A shell is told by the '-' in front of its name that this is a login.
  const std::string base = account.shell.substr(account.shell.rfind('/') + 1);
  const std::string name = is_login ? "-" + base : base;
  std::vector<std::string> variables = {"HOME=" + account.home, "USER=" + account.name,
                                        "LOGNAME=" + account.name, "SHELL=" + account.shell,
                                        "PATH=/usr/local/bin:/usr/bin:/bin"};
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  execle(account.shell.c_str(), name.c_str(), "-c", print_environment, nullptr, environment.data());
  _exit(127);
}

// Until the end marker, the end of the output, or the deadline.
std::string read_until_marker(int input, SteadyTime deadline) {
  std::string output;
  while (output.size() < environment_bytes_max && !output.ends_with(end_marker)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - read_clocks().steady);
    pollfd ready{input, POLLIN, 0};
    if (left.count() <= 0 || poll(&ready, 1, static_cast<int>(left.count())) == 0) return output;
    std::array<char, 16384> part;
    const ssize_t got = read(input, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return output;
    output.append(part.data(), static_cast<std::size_t>(got));
  }
  return output;
}

}  // namespace

Result<Environment> parse_shell_output(std::string_view output) {
  const std::size_t begin = output.find(begin_marker);
  const std::size_t end = output.rfind(end_marker);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    return Error{ErrorCode::io_error, "no environment"};
  const std::size_t first = begin + begin_marker.size();
  Environment environment;
  for (const std::string_view entry :
       split_at_nul(output.substr(first, end - std::min(end, first)))) {
    const std::string_view name = entry.substr(0, entry.find('='));
    if (std::find(shells_own.begin(), shells_own.end(), name) == shells_own.end())
      environment.emplace_back(entry);
  }
  return environment;
}

Result<Environment> read_login_environment(std::uint32_t uid, const LoginEnvironment& wanted) {
  const ShellAccount account = TRY(account_of(uid));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return file_error("a pipe", "cannot be made", errno);
  const UniqueFd input(ends[0]);
  UniqueFd output(ends[1]);
  const pid_t shell = fork();
  if (shell < 0) return file_error(account.shell, "cannot be started", errno);
  if (shell == 0) run_shell(account, wanted.is_login, output.get());
  output.reset();
  const SteadyTime deadline = read_clocks().steady + std::chrono::seconds{wanted.timeout_s};
  const std::string text = read_until_marker(input.get(), deadline);
  // With all it started: a session of its own.
  kill(-shell, SIGKILL);
  kill(shell, SIGKILL);
  waitpid(shell, nullptr, 0);
  Result<Environment> environment = parse_shell_output(text);
  if (environment.ok()) return environment;
  return Error{
      ErrorCode::io_error,
      fmt::format("--get-user-env: the shell {} of user {} gave no environment within {} s",
                  account.shell, account.name, wanted.timeout_s)};
}

Result<Environment> read_export_file(const std::string& file_or_descriptor) {
  const auto number = parse_number(file_or_descriptor);
  const std::string path =
      number && *number >= 3 ? fmt::format("/proc/self/fd/{}", *number) : file_or_descriptor;
  const std::optional<std::string> bytes = TRY(read_file(path, environment_bytes_max));
  if (!bytes) return file_error(file_or_descriptor, "cannot be read for --export-file", ENOENT);
  Environment environment;
  for (const std::string_view entry : split_at_nul(*bytes)) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return Error{
          ErrorCode::invalid_argument,
          fmt::format("--export-file {}: entry {} is not NAME=value (entries end with a NUL)",
                      file_or_descriptor, environment.size() + 1)};
    environment.emplace_back(entry);
  }
  return environment;
}

}  // namespace sluice
