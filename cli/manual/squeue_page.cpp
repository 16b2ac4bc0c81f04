// squeue_page.cpp: prose of squeue(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText squeue_text() {
  return {.name = "squeue",
          .section = 1,
          .summary = "show the queue of jobs",
          .synopsis = "`squeue` [OPTION...]",
          .text = R"(# DESCRIPTION
Lists the jobs that have not ended, or those that the options choose, as the controller has them on
its disk: a job that was accepted is there at once. What is said must all hold; in a list one of its
elements is enough.

The last column says where a job runs or, in brackets, in one word why it waits. `sluice why` JOB
says it in a sentence with numbers.

# OPTIONS
# COLUMNS
`-o` takes text with a letter for each column, `-O` a list of names. Both take a width; a dot in
front of it puts the value to the right: `-o "%.18i %j"`, `-O jobid:.18,name`.

@COLUMNS@
)" + document_section() +
                  R"(
# ENVIRONMENT
- SLURM_TIME_FORMAT: How times are written, as in `strftime`(3).
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: The list is complete, even if it is empty.
- 1: An option was not understood, the one job that was named never was, or the answer could not be
  written.
)" + common_exit_status() +
                  R"(
# EXAMPLES
Your own jobs that wait, and why:

    $ squeue --me -t PENDING -o "%.10i %.20j %r"

The tasks of an array, one a line:

    $ squeue -r -j 18

# SEE ALSO
`sbatch`(1), `scancel`(1), `sinfo`(1), `sacct`(1), `sluice`(1)
)"};
}

}  // namespace sluice
