// sbatch_page.cpp: prose of sbatch(1).
#include "cli/manual/texts.h"

namespace sluice {
namespace {

constexpr const char* about = R"(# DESCRIPTION
Submits a script and prints the id of the job. The id is printed after the job is on the
controller's disk: what was accepted is never lost.

The script is a copy of what SCRIPT held at that moment; without SCRIPT it is read from standard
input. Its first line names an interpreter (`#!/bin/sh`). The job starts when nodes with what it asks
for are free, in the directory it was submitted from and with the caller's environment.

Options may stand in the script, in lines that begin with `#SBATCH` before the first command. Words
are divided and quoted there as in a shell, and a blank with a # begins a remark. The command line
is stronger than the environment, and the environment is stronger than the script.

An option that Sluice does not honour is refused by name, wherever it stands; nothing is read and
ignored.

# OPTIONS
Long options may be abbreviated. Times are minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S. Sizes are
megabytes, or whole numbers with K, M, G or T. Lists of hosts are written as in `n[1-3,7],m1`.

# FILE NAMES
In the names of output, error and input files these are filled in:

- %j: Id of the job.
- %A, %a: Id of the array, and the index of the task in it.
- %x, %u: Name of the job, name of its user.
- %N: Short name of the first node.
- %%: A percent sign.

A number between the percent sign and the letter is a width, filled with zeros: `%5j`. Without
`--output` a job writes to slurm-%j.out, and the tasks of an array to slurm-%A_%a.out.

# NODES
With several partitions (`-p a,b`) the job starts in the first that can take it; every one of them must
be able to, unless the site says EnforcePartLimits=NO.

A constraint joins features by `&` or `,` (and) and by `|` (or), from left to right; parentheses group.

- a*2&b*1: Of the nodes of the job, two at least have a and one at least has b.
- [a|b]: All nodes have a, or all have b.

Licences are counted by the site over the whole cluster. A job holds what it asked for from its start to
its end; `scontrol show licenses` tells what is left.

GPUs can be asked for by job (`--gpus`), node or task. Options that contradict each other are refused.

# DEPENDENCIES
`--dependency` is a list of TYPE:ID[:ID...]. All of them must be met where they are divided by commas,
one of them is enough where one is divided by a question mark. An id may be that of a job, of an array
(all of its tasks) or of one task (18_3).

- after: It started or was cancelled; after:18+10 is ten minutes later.
- afterany, afterburstbuffer: It ended.
- afterok: It ended well: COMPLETED.
- afternotok: It ended in any other way.
- aftercorr: Each task of this array waits for the task of the same index of the other array to end well.
- singleton: All jobs of this user and this name that were submitted before ended. Names no id.

Jobs that ended long ago are known from the records. An id that never existed, a circle, and what can
never be met are refused; what can no longer be met later ends the job (CANCELLED, with reason
DependencyNeverSatisfied), or keeps it waiting with `--kill-on-invalid-dep=no`.

# SIGNALS
`--signal=USR2@90` sends a signal 90 seconds before the end of the time limit, to all processes that the
script started but not to the shell that runs it: a shell without a trap would die of it. With B: in
front the shell alone gets it, as a script that is itself the program needs. The node sends it, by the
clock of the job, also while the controller is away. A job whose limit is raised after its signal gets
another before the new end; one without a limit gets none.

# MAIL
The controller starts the site's mail program (MailProg) when the job begins, ends or is run again.
`--mail-type` names what is told. An array speaks once, or with ARRAY_TASKS for each task. Mail is sent
as an ordinary user and may be lost; nothing waits for it.

# LINES OF PBS
Lines that begin with `#PBS` are read too: -a -A -d -e -h -J -j oe -l -m -M -N -o -p -q -r -t -v -V
-W depend= -w, and of -l nodes, ppn, select, walltime, mem, pmem, ncpus, procs, ngpus and their like. What
has no counterpart is refused by name. `#SBATCH` lines, variables and the command line are stronger.
`--ignore-pbs` leaves them out.

# ENVIRONMENT
A variable says what its option says, unless the command line gives the option.

)";

constexpr const char* results = R"(
Inside the job, variables that begin with SLURM_ tell what it got: SLURM_JOB_ID, SLURM_JOB_NODELIST,
SLURM_CPUS_ON_NODE, SLURM_ARRAY_TASK_ID, SLURM_SUBMIT_DIR and their like.

# EXIT STATUS
- 0: The job was accepted. With `--wait`, its script ended with 0.
- 1: The controller refused the job, or the script cannot be used.
- 255: An option or its value was not understood.
)";

constexpr const char* examples = R"(
With `--wait` the exit code of the job's script is passed on.

# EXAMPLES
A job of two tasks with four gigabytes on one node:

    $ cat job.sh
    #!/bin/sh
    #SBATCH --job-name=model --ntasks=2 --nodes=1
    #SBATCH --mem=4G --time=1:00:00   # an hour
    ./model
    $ sbatch job.sh
    Submitted batch job 17

A hundred tasks, ten at a time, and a job that starts when all of them ended well:

    $ sbatch --parsable --array=1-100%10 part.sh
    18
    $ sbatch --dependency=afterok:18 --wrap ./collect

# SEE ALSO
`squeue`(1), `scancel`(1), `sacct`(1), `scontrol`(1), `sluice`(1)
)";

}  // namespace

ManualText sbatch_text() {
  return {.name = "sbatch",
          .section = 1,
          .summary = "submit a batch script to Sluice",
          .synopsis =
              "`sbatch` [OPTION...] SCRIPT [ARGUMENT...]\n"
              "`sbatch` [OPTION...] `--wrap=`COMMAND\n"
              "`sluice submit` ...",
          .text = about + common_environment() + results + common_exit_status() + examples};
}

}  // namespace sluice
