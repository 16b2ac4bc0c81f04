// sdiag_page.cpp: prose of sdiag(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sdiag_text() {
  return {.name = "sdiag",
          .section = 1,
          .summary = "show what the controller did, in numbers",
          .synopsis = "`sdiag` [OPTION...]",
          .text = R"(# DESCRIPTION
Tells how many jobs were submitted, started and ended, how long passes of the planner took, and which
requests came how often: since the controller started, or since the last reset. The lines have Slurm's
names, so that what reads them goes on; what `/metrics` shows is more (see `sluiced`(8)).

- Server thread count: Connections of commands and agents.
- Agent queue size: Orders that nodes have not acknowledged yet.
- DBD Agent queue size: 1 while a commit to the state file is under way.
- Main schedule statistics: Passes that start in strict order.
- Backfilling stats: Passes that also plan starts for the jobs that wait. A backfilled job started
  while another of its partition waited that goes before it.

# OPTIONS
# ENVIRONMENT
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: All was told.
- 1: An option was not understood, the reset was refused, or the answer could not be written.
)" + common_exit_status() +
                  R"(
# EXAMPLES
    sdiag
    sdiag --reset    (as an administrator)

# SEE ALSO
`sprio`(1), `scontrol`(1), `sluice`(1), `sluiced`(8)
)"};
}

}  // namespace sluice
