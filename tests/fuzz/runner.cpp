// runner.cpp: fork, a number shared with the child, and what the child's end means.
#include "tests/fuzz/runner.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "common/base/file.h"

namespace sluice::fuzz {
namespace {

using Number = std::atomic<std::uint64_t>;

// A page that parent and child both see.
class SharedNumber {
 public:
  SharedNumber()
      : page_(mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                   0)) {}
  ~SharedNumber() {
    if (is_there()) munmap(page_, sizeof(Number));
  }
  SharedNumber(const SharedNumber&) = delete;
  SharedNumber& operator=(const SharedNumber&) = delete;

  bool is_there() const { return page_ != MAP_FAILED; }
  Number& operator*() { return *static_cast<Number*>(page_); }

 private:
  void* page_;
};

[[noreturn]] void run_as_child(const Target& target, const Work& work, Number& number) {
  for (std::uint64_t i = 0; i < work.runs; ++i) {
    number = i;
    // A copy of exactly its size: a sanitizer sees a read behind it.
    const std::string input = work.input(i);
    const std::vector<std::uint8_t> bytes(input.begin(), input.end());
    alarm(work.seconds_max);
    target.run(bytes.data(), bytes.size());
  }
  std::fflush(nullptr);
  _exit(0);
}

std::string how_it_ended(int status, unsigned seconds_max) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return fmt::format("took more than {} s", seconds_max);
  return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

}  // namespace

Result<std::optional<Failure>> run_target(const Target& target, const Work& work) {
  SharedNumber number;
  if (!number.is_there()) return Error{ErrorCode::internal, "mmap: " + errno_text(errno)};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return Error{ErrorCode::internal, "fork: " + errno_text(errno)};
  if (child == 0) run_as_child(target, work, *number);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return Error{ErrorCode::internal, "waitpid: " + errno_text(errno)};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::optional<Failure>{};
  return std::optional{Failure{*number, how_it_ended(status, work.seconds_max)}};
}

}  // namespace sluice::fuzz
