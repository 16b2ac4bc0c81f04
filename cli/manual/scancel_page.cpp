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

# SIGNALS
`--signal` sends a signal to a running job instead of ending it, at once and on all its nodes: to all
processes that its script started, but not to the shell that runs the script, which without a trap
would die of it. With `--batch` the shell alone gets it, with `--full` the shell and all others. Where
the script has started nothing, or the shell is meant and has gone, nobody gets it, and that is no error.
`sbatch --signal` chooses in the same way: B: is `--batch`.

KILL is another matter, unless `--batch` sends it to the shell alone: the job is cancelled, without the
time that SIGTERM leaves. A job that waits is cancelled by KILL and refuses every other signal.

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
