// sprio_page.cpp: prose of sprio(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sprio_text() {
  return {.name = "sprio",
          .section = 1,
          .summary = "show what the priorities of waiting jobs are made of",
          .synopsis = "`sprio` [OPTION...]",
          .text = R"(# DESCRIPTION
Lists the jobs that wait, are not held and whose time has come, with the parts of their priorities:
one line for each partition of a job's list. It needs PriorityType=priority/multifactor. A priority is

    PriorityWeightAge * AGE + PriorityWeightAssoc * ASSOC
    + PriorityWeightFairShare * FAIRSHARE
    + PriorityWeightJobSize * JOBSIZE
    + PriorityWeightPartition * PARTITION
    + PriorityWeightQOS * QOS
    + the sum of PriorityWeightTRES * TRES - NICE

without its fraction, 1 at least. Each factor is a number from 0 to 1:

- AGE: How long the job could have started, as a part of PriorityMaxAge. With
  PriorityFlags=ACCRUE_ALWAYS since its submit.
- ASSOC, PARTITION, QOS: The priority of its association, its partition (PriorityJobFactor) or its
  QOS, as a part of the highest; as it is with PriorityFlags=NO_NORMAL_ASSOC, NO_NORMAL_PART and
  NO_NORMAL_QOS. Of several partitions that counts which gives most.
- FAIRSHARE: The place of its user in the tree of shares; see `sshare`(1).
- JOBSIZE: Half of it the nodes, half the CPUs asked for, as parts of the cluster; with
  PriorityFavorSmall=YES what is left to 1. With PriorityFlags=SMALL_RELATIVE_TO_TIME CPUs for each
  minute of the time limit.
- TRES: What is asked for as a part of what the partition has.

The numbers are calculated anew each PriorityCalcPeriod. A partition with a higher PriorityTier goes
first whatever they are. A priority that an administrator gave stays, and has no parts.

# OPTIONS
# COLUMNS
`-o` takes text with a letter for each column, small for the factor, large for what it adds to the
priority. A number before the letter is the width; a dot in front of it puts the value to the right.

@COLUMNS@

# ENVIRONMENT
- SPRIO_FORMAT: As `-o`.
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: The list is complete.
- 1: An option was not understood, priorities have no factors here, or the answer could not be written.
)" + common_exit_status() +
                  R"(
# EXAMPLES
The parts of one's own jobs, the highest first:

    $ sprio -u $USER -S -Y

The weights of the site:

    $ sprio -w

# SEE ALSO
`sshare`(1), `squeue`(1), `scontrol`(1), `sluice`(1)
)"};
}

}  // namespace sluice
