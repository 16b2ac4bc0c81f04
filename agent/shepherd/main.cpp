// main.cpp: sluice-shepherd RUN_FOLDER: tends one run on one node, from its order to its exit record.
// With --guard SPOOL it is the lease guard of a node (guard.h). Started by the agent only; outlives it.
// Must start like an empty program.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "agent/exec/file.h"
#include "agent/shepherd/guard.h"
#include "agent/shepherd/shepherd.h"

namespace {

// Nothing of the agent's is kept, and 0 to 2 are never a file of the job by accident.
void drop_inherited_descriptors() {
  close_range(3, ~0U, 0);
  while (true) {
    const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || fd > 2) {
      close(fd);
      return;
    }
  }
}

void become_own_session_and_reaper() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_guard = argc == 3 && std::strcmp(argv[1], "--guard") == 0;
  if (argc != 2 && !is_guard) {
    std::fputs("usage: sluice-shepherd RUN_FOLDER (started by sluice-agent)\n", stderr);
    return 2;
  }
  drop_inherited_descriptors();
  become_own_session_and_reaper();
  const char* folder = argv[argc - 1];
  const auto outcome =
      is_guard ? sluice::agent::guard_leases(folder) : sluice::agent::tend_run(folder);
  if (outcome.ok()) return 0;
  std::fprintf(stderr, "sluice-shepherd: %s: %s\n", folder, outcome.error().detail.c_str());
  return 1;
}
