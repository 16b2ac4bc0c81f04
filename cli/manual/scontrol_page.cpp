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
