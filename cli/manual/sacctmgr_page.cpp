// sacctmgr_page.cpp: prose of sacctmgr(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sacctmgr_text() {
  return {.name = "sacctmgr",
          .section = 1,
          .summary = "look at and change accounts, users and QOS",
          .synopsis = "`sacctmgr` [OPTION...] [VERB [ENTITY] [WORD...]]",
          .text = R"(# DESCRIPTION
Accounts are a tree below `root`. A user is in one or more of them; each such place is an association,
with shares, limits and the QOS that may be used. A QOS has limits and a priority of its own. The
controller keeps all of it in its state file, and each change is there, or not, as a whole. Without a
verb, sacctmgr reads verbs line by line.

Everybody may list. Administrators change all; users with AdminLevel Administrator too, those with
Operator all but levels. A coordinator of an account changes the users in it and the accounts below.

What is enforced is the site's to say (AccountingStorageEnforce in slurm.conf): `associations` (a job
needs one), `qos` (a job's QOS must be one that its association may use), `limits`, or `all`. A site
where nobody has added anything takes any name of an account.

# VERBS
@VERBS@

Verbs, entities and keys may be abbreviated and stand in the plural. Words before `set` choose, those
behind it change. A bare word is a name. Lists are divided by commas; `+=` and `-=` add to a list and
take from it; -1 takes a limit away. Before a change the command shows it and asks, unless `-i` is given.

Of accounts: Description, Organization, Parent. Of users: DefaultAccount, AdminLevel. Of both, for the
association: Fairshare (a number or `parent`), QOS, DefaultQOS, Priority, GrpTRES, GrpJobs, GrpSubmitJobs,
MaxTRES, MaxTRESPerNode, MaxJobs, MaxSubmitJobs, MaxWall. Of a QOS: Description, Flags (DenyOnLimit,
OverPartQOS), Priority, UsageFactor, GrpTRES, GrpJobs, GrpSubmitJobs, MaxTRESPerJob, MaxTRESPerNode,
MaxTRESPerUser, MaxTRESPerAccount, MinTRESPerJob, MaxJobsPerUser, MaxJobsPerAccount, MaxSubmitJobsPerUser,
MaxSubmitJobsPerAccount, MaxWall. A limit of Slurm that is not enforced here is refused. A job that exceeds a
limit all by itself is refused at its submit, as Slurm does with DenyOnLimit; here it is so without the flag.

TRES are cpu, mem (MB, or with a unit), node, gres/NAME, gres/NAME:TYPE and license/NAME. What is
counted is what was given out, so that a limit on one type of GPU holds for jobs that named no type too.

# LISTINGS
`list` takes conditions (`account=a`, `user=u`), `format=FIELD[%WIDTH],...` (a negative width is to the
left), and the words `withassoc`, `withcoord`, `withdeleted`, `tree` and `wolimits`.

# OPTIONS
# ENVIRONMENT
)" + common_environment() +
                  R"(
# EXIT STATUS
- 0: It is done, or was not wanted after all.
- 1: Nothing was added, changed or deleted, or something was not understood.
)" + common_exit_status() +
                  R"(
# EXAMPLES
    $ sacctmgr -i add account physics Description="Department of Physics"
    $ sacctmgr -i add user ann account=physics
    $ sacctmgr -i modify user ann set MaxJobs=10 GrpTRES=cpu=64
    $ sacctmgr list associations tree format=account,user,grptres%30

# SEE ALSO
`sacct`(1), `scontrol`(1), `sluice`(1)
)"};
}

}  // namespace sluice
