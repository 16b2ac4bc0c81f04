// scontrol_page.cpp: prose of scontrol(1).
#include "cli/manual/texts.h"

namespace sluice {
namespace {

std::string reservation_section() {
  return R"(# RESERVATIONS
`create reservation` [NAME] KEY=VALUE... keeps nodes, cores or licences for some over a span of time;
administrators make, change and delete reservations. Without a name it is called after the first account
or user. Others' jobs do not run on what is reserved while the reservation's window lasts, and none starts
there that could not be over before it. Keys may be abbreviated.

- StartTime, EndTime, Duration: The window: times as sbatch takes them for a begin, a duration as it takes
  a time limit, or infinite (a year).
- Nodes: A list of nodes, or ALL. NodeCnt: so many nodes; CoreCnt: so many cores, of nodes that are named,
  counted, or as many as it takes; TRES: cpu=, node= and license/NAME=. What is not named is chosen from
  PartitionName (the default one) among nodes with Features, where no job may run until after the start and
  nothing else is reserved.
- Licenses: NAME:COUNT,...
- Users, Accounts, Groups: Whom it lets in; who must be in Users (or Groups) and in Accounts where both are
  said. Names with a leading '-' are those it does not let in. AllowedPartitions: from which partitions.
- Flags: MAINT (for maintenance: nodes show it, and other reservations do not matter), OVERLAP (may hold what
  others reserved), IGNORE_JOBS (whatever runs there now), HOURLY, DAILY, WEEKDAY, WEEKEND, WEEKLY (the window comes
  again, at the same time of day also when the clock is changed), PART_NODES (with Nodes=ALL: those of
  PartitionName, also those that come later), ANY_NODES (its jobs may use other nodes too; licences alone
  need it), FLEX (its jobs may start before the window, end after it, and use other nodes too),
  PURGE_COMP[=TIME] (it is over when no job used it for so long, 5 minutes), NO_HOLD_JOBS_AFTER (jobs that
  waited for it run without it when it is gone; without the flag they are held). Other flags are refused.

`update ReservationName=`NAME changes what is said; with Users+=, Users-=, Flags+= and Flags-= a part of the list. `delete
reservation` NAME is refused while jobs run in it. Jobs that still run when a window ends are ended then, or
after ResvOverRun.
)";
}

}  // namespace

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

# CHANGES OF JOBS
`update jobid=`ID[,ID...] KEY=VALUE changes jobs of one's own; KEY is in any case, and VALUE is written as
for the option of `sbatch`(1).

- At any time: Comment, JobName, MailType, MailUser, Nice, TimeLimit, WCKey.
- While it waits: Account, CPUsPerTask, Deadline, Dependency, ExcNodeList, Features, Gres,
  KillOnInvalidDep, Licenses, MinCPUsNode, MinMemoryCPU, MinMemoryNode, MinTmpDiskNode, NumNodes,
  NumTasks, Partition, Priority, QOS, ReqNodeList, Requeue, Signal, StartTime, StdErr, StdIn, StdOut,
  TimeMin, TresPerNode, WorkDir, and of an array ArrayTaskThrottle.

A time limit or a priority may be raised, and nice lowered, by administrators. `requeue` runs jobs again;
with `incomplete` in front only those that did not end well. `requeuehold` holds them too, and with
State=SpecialExit shows them as SPECIAL_EXIT until they are released.

)" + reservation_section() + R"(
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
    $ scontrol create reservation starttime=22:00 duration=2:00:00 \
          nodes=ALL flags=maint users=root
    $ scontrol show reservation maint; scontrol delete reservation maint

# SEE ALSO
`sbatch`(1), `squeue`(1), `sinfo`(1), `sluice`(1), `sluiced`(8)
)"};
}

}  // namespace sluice
