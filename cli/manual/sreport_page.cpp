// sreport_page.cpp: prose of sreport(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sreport_text() {
  return {.name = "sreport",
          .section = 1,
          .summary = "sum up past use by account and user",
          .synopsis = "`sreport` [OPTION...] FAMILY REPORT [KEY=VALUE...]",
          .text = R"(# DESCRIPTION
Adds up what runs held within a period: cpus, or what `--tres` names, times the time. It reads the same
record as `sacct`(1), so a run that goes on counts up to now. Families, reports and keys may be
abbreviated, in any case of letters. The tables have Slurm's columns; Energy is 0, because nothing
measures it. What else Slurm reports (cluster Utilization, job sizes, reservations, wckeys, shares in
percent) is refused by name; `sluice report` sums up waits, forecasts and waste.

# REPORTS
@REPORTS@

# KEYS
- start=, end=: The period, in whole hours; else yesterday.
- accounts=, users=: Only these.
- format=: Columns, as "Login%20,Used": Cluster, Account, Login, Proper, TresName, Used, Energy.
- TopCount=: How many users user TopUsage shows; else 10.
- group: One row a user, whatever the accounts.
- tree: Accounts are indented by what they stand below.

# OPTIONS
# ENVIRONMENT
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: All was told.
- 1: Something was not understood, or the answer could not be written.
)" + common_exit_status() +
                  R"(
# EXAMPLES
    sreport cluster AccountUtilizationByUser start=11/01/26 end=12/01/26
    sreport -t Hours -T gres/gpu user top TopCount=20

# SEE ALSO
`sacct`(1), `sshare`(1), `sacctmgr`(1), `sluice`(1)
)"};
}

}  // namespace sluice
