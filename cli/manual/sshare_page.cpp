// sshare_page.cpp: prose of sshare(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sshare_text() {
  return {.name = "sshare",
          .section = 1,
          .summary = "show the tree of shares, and who used how much",
          .synopsis = "`sshare` [OPTION...]",
          .text = R"(# DESCRIPTION
Lists accounts and, in each, its users and the accounts below it; blanks before a name tell the tree.
Without an option it shows one's own shares and the accounts above them.

- RawShares, NormShares: What was given, and as a part of what all siblings were given.
- RawUsage: Seconds of runs, times what each is billed (TRESBillingWeights of the partition, else its
  CPUs) and the UsageFactor of its QOS. A second counts half after PriorityDecayHalfLife. Of an account
  with all that is below. Runs under way count up to the last calculation.
- NormUsage, EffectvUsage: The same as a part of all usage, and of the siblings'.
- LevelFS: NormShares divided by EffectvUsage: above 1 for who used less than given.
- FairShare: Of users. They are put in order going down the tree, always to the higher LevelFS first
  (Slurm's Fair Tree); the first of N has 1, the last 1/N. It is the factor of `sprio`(1).

Usage is the sum over the runs that the controller has in its state, which is the same after a restart.
Numbers are as of the last calculation (PriorityCalcPeriod). A changed TRESBillingWeights or UsageFactor
counts for the past too; a changed PriorityDecayHalfLife for what is used from then on, and for all
after the next start. Runs that were purged count until the next start.

# OPTIONS
# COLUMNS
`-o` takes names of columns with commas between them; the beginning of a name is enough. `%20` behind
a name is its width, `%-20` puts the value to the left.

@COLUMNS@

# ENVIRONMENT
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: The list is complete.
- 1: An option was not understood, or the answer could not be written.
)" + common_exit_status() +
                  R"(
# EXAMPLES
The factors of all users, for a program:

    $ sshare -a -U -n -P -o account,user,fairshare

# SEE ALSO
`sprio`(1), `scontrol`(1), `sluice`(1)
)"};
}

}  // namespace sluice
