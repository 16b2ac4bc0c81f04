// main.cpp: sluice-shepherd --nursery ROOM: forks processes that tend one run on one node each,
// from its order to its exit record (agent/exec/nursery.h). They outlive the agent. sluice-shepherd
// --guard SPOOL: the lease guard of a node (guard.h), which outlives it too. Must start like an
// empty program.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "agent/exec/file.h"
#include "agent/exec/nursery.h"
#include "agent/shepherd/guard.h"
#include "agent/shepherd/nursery_process.h"
#include "agent/shepherd/shepherd.h"

namespace {

// From `first` on nothing of the agent's is kept, and 0 to 2 are never a file of the job by
// accident.
void drop_inherited_descriptors(unsigned first) {
  close_range(first, ~0U, 0);
  while (true) {
    const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || fd > 2) {
      close(fd);
      return;
    }
  }
}

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
}

void become_own_session_and_reaper() {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

// The arguments lie one behind the other; what is listed as the second then names the run.
void show_folder(char** argv, const std::string& folder) {
  char* const end = argv[2] + std::strlen(argv[2]);
  const std::size_t size = std::min(folder.size(), static_cast<std::size_t>(end - argv[1]));
  std::memset(argv[1], 0, static_cast<std::size_t>(end - argv[1]));
  std::memcpy(argv[1], folder.data(), size);
}

int report(const char* folder, const sluice::Result<void>& outcome) {
  if (outcome.ok()) return 0;
  std::fprintf(stderr, "sluice-shepherd: %s: %s\n", folder, outcome.error().detail.c_str());
  return 1;
}

int guard(const char* spool) {
  become_own_session_and_reaper();
  return report(spool, sluice::agent::guard_leases(spool));
}

int keep_nursery(char** argv) {
  const auto folder = sluice::agent::keep_nursery();
  if (!folder) return 0;
  close(sluice::agent::nursery_socket);
  show_folder(argv, *folder);
  become_own_session_and_reaper();
  return report(folder->c_str(), sluice::agent::tend_run(*folder));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc == 3 ? argv[1] : "";
  const bool is_nursery = word == "--nursery";
  if (!is_nursery && word != "--guard") {
    std::fputs("usage: sluice-shepherd is started by sluice-agent\n", stderr);
    return 2;
  }
  drop_inherited_descriptors(is_nursery ? sluice::agent::nursery_socket + 1 : 3);
  block_signals();
  return is_nursery ? keep_nursery(argv) : guard(argv[2]);
}
