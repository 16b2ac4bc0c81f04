// getent.cpp: see getent.h.
#include "cli/getent.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "common/base/file.h"

namespace sluice {
namespace {

constexpr const char* program = "/usr/bin/getent";
constexpr std::size_t answer_bytes_max = 1U << 20;

std::string read_to_end(int input) {
  std::string text;
  std::array<char, 4096> part;
  while (text.size() < answer_bytes_max) {
    const ssize_t got = read(input, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

std::optional<std::string> getent(const std::string& database, const std::string& key) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const UniqueFd input(ends[0]);
  UniqueFd output(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  // A key is never an option, whatever a user typed.
  const char* words[] = {"getent", "--", database.c_str(), key.c_str(), nullptr};
  char* no_environment[] = {nullptr};
  pid_t pid = -1;
  const int failed =
      posix_spawn(&pid, program, &actions, nullptr, const_cast<char**>(words), no_environment);
  posix_spawn_file_actions_destroy(&actions);
  output.reset();
  if (failed != 0) return std::nullopt;
  const std::string text = read_to_end(input.get());
  waitpid(pid, nullptr, 0);
  if (text.empty()) return std::nullopt;
  return text.substr(0, text.find('\n'));
}

}  // namespace sluice
