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
