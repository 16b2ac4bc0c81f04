// sacct_page.cpp: prose of sacct(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sacct_text() {
  return {.name = "sacct",
          .section = 1,
          .summary = "show jobs of the past and what they used",
          .synopsis = "`sacct` [OPTION...]",
          .text = R"(# DESCRIPTION
Lists every job that was ever accepted, from the same file that the queue is kept in: it is never
behind. Without options these are your own jobs of today. A job has a line, and its script another
(`17.batch`) that says what it used.

# OPTIONS
Times are dates (2026-11-30, 11/30), times of day (16:00, 4:05PM), both, or words such as now,
now-2hours, today, midnight, noon.

# COLUMNS
`--format` takes a list of names, in any case. A number behind a percent sign is the width, a minus
before it puts the value to the left: `--format=jobid%20,state,elapsed%-12`.

@COLUMNS@
)" + document_section() +
                  R"(
# ENVIRONMENT
- SLURM_TIME_FORMAT: How times are written, as in `strftime`(3).
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: The list is complete, even if it is empty.
- 1: An option was not understood, or the answer could not be written.
)" + common_exit_status() +
                  R"(
# EXAMPLES
    $ sacct -j 17 --format=jobid,state,exitcode,elapsed,maxrss
    $ sacct -S now-2days -s FAILED -X
    $ sacct -P -n -j 18 --format=jobid,state

# SEE ALSO
`squeue`(1), `sbatch`(1), `sluice`(1)
)"};
}

}  // namespace sluice
