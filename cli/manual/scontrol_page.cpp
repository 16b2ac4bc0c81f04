// scontrol_page.cpp: prose of scontrol(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText scontrol_text() {
  return {.name = "scontrol",
          .section = 1,
          .summary = "look at and change jobs, nodes and the controller",
          .synopsis = "`scontrol` [OPTION...] [KEYWORD [ARGUMENT...]]",
          .text = R"(# DESCRIPTION
Does what the keyword says. Without one, keywords are read from standard input, a line each, until
`exit`; `!!` repeats the last one. Keywords may be abbreviated.

# KEYWORDS
@KEYWORDS@

# OPTIONS)" + document_section() +
                  R"(
# ENVIRONMENT
- SLURM_TIME_FORMAT: How times are written, as in `strftime`(3).
- SLURM_JOB_NODELIST: The list of hosts that `show hostnames` takes when none is named.
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: It was done.
- 1: It was refused, or the keyword was not understood.
)" + common_exit_status() +
                  R"(
# EXAMPLES
    $ scontrol show job 17
    $ scontrol update jobid=17 timelimit=2:00:00
    $ scontrol update nodename=n3 state=drain reason="new memory"
    $ scontrol hold 17; scontrol release 17

# SEE ALSO
`sbatch`(1), `squeue`(1), `sinfo`(1), `sluice`(1), `sluiced`(8)
)"};
}

}  // namespace sluice
