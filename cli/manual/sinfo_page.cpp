// sinfo_page.cpp: prose of sinfo(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sinfo_text() {
  return {.name = "sinfo",
          .section = 1,
          .summary = "show partitions and nodes",
          .synopsis = "`sinfo` [OPTION...]",
          .text = R"(# DESCRIPTION
Lists the partitions and, of each, the nodes by what state they are in. The partition that jobs get
when they name none has a star. A star behind the state of nodes means that their agents do not
answer.

# OPTIONS
# COLUMNS
`-o` takes text with a letter for each column, `-O` a list of names. Both take a width; a dot in
front of it puts the value to the right. Nodes that differ in none of the columns share a line.
CPU load and free memory are as the node last told them; `-O measuredago` says how long ago.

@COLUMNS@
)" + document_section() +
                  R"(
# ENVIRONMENT
- SLURM_TIME_FORMAT: How times are written, as in `strftime`(3).
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: The list is complete.
- 1: An option was not understood, or the answer could not be written.
)" + common_exit_status() +
                  R"(
# EXAMPLES
One line for each node, with its CPUs (allocated, idle, other, all) and free memory:

    $ sinfo -N -o "%.10N %.12C %.8e %t"

Why nodes are down or drained:

    $ sinfo -R

# SEE ALSO
`squeue`(1), `scontrol`(1), `sluice`(1)
)"};
}

}  // namespace sluice
