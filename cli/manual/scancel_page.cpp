// scancel_page.cpp: prose of scancel(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText scancel_text() {
  return {.name = "scancel",
          .section = 1,
          .summary = "end or signal jobs",
          .synopsis = "`scancel` [OPTION...] [JOB...]\n`sluice cancel` ...",
          .text = R"(# DESCRIPTION
Ends jobs. A job that runs gets SIGTERM, and SIGKILL when KillWait has passed; one that waits is
taken out of the queue. JOB is an id (`5`), a task of an array (`5_3`) or several of them
(`5_[1-3,7]`); several stand in a list or in words of their own.

Options that choose jobs must all hold, and hold for the named jobs too. A job that is over is no
error.

# OPTIONS
# ENVIRONMENT
A variable counts where the command line does not give its option.

)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: All that was meant has been told to end, or was over.
- 1: A job could not be ended, or an option was not understood.
)" + common_exit_status() +
                  R"(
# EXAMPLES
    $ scancel 17
    $ scancel 18_[90-100]
    $ scancel --me --state=PENDING
    $ scancel --signal=USR1 --batch 17

# SEE ALSO
`sbatch`(1), `squeue`(1), `scontrol`(1)
)"};
}

}  // namespace sluice
