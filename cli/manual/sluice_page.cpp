// sluice_page.cpp: prose of sluice(1).
#include "cli/manual/texts.h"

namespace sluice {

ManualText sluice_text() {
  return {.name = "sluice",
          .section = 1,
          .summary = "commands of the Sluice job scheduler",
          .synopsis = "`sluice`\n`sluice` VERB [OPTION...]",
          .text = R"_(# DESCRIPTION
Sluice runs batch jobs on the nodes of a cluster. `sluice` alone says how the cluster is used and
what your own jobs do. With a verb it is one of the commands below. Those that Slurm has too can be
called by Slurm's name.

# VERBS
@VERBS@

Any other verb is a program named sluice-VERB beside this one, as `sluice dev` is.

# ADMINISTRATION
`sluice admin` is for administrators (root and SlurmUser). Its files are on the controller's host.

- admin backup FILE: Write a verified copy of the controller's state to FILE, while it runs.
- admin restore [--check] FILE: Put such a copy in the place of the state; the controller must not
  run. With --check, only say whether FILE is good.
- admin purge --older AGE --to FILE: Move jobs that ended longer than AGE ago, with their runs,
  scripts, environments and audit, into FILE, an SQLite file of the same tables. AGE is a number
  and a unit: h, d, w, months (of 30 days) or y (of 365), and a day at least. FILE is an absolute
  path, of a new file or of an archive of this cluster, which grows. Jobs that open jobs depend on
  and arrays that are not over stay. A job is durably in FILE before it leaves the state; when the
  purge is broken off, the same command goes on from there. The state file keeps its size, and
  new jobs use what was freed.

# OPTIONS
- --completion bash: Print lines that let bash complete the commands and their options.
- --help: Print the verbs.

`sluice` VERB `--help` says more of a verb.

# ENVIRONMENT
)_" + common_environment() +
                  R"_(
# EXIT STATUS
- 0: It was done.
- 1: It was refused, or not understood.
)_" + common_exit_status() +
                  R"_(
# EXAMPLES
A private cluster of two nodes on this machine, and its end:

    $ eval "$(sluice dev up --nodes 2)"
    $ sbatch --wrap hostname
    $ sluice why 1
    $ sluice dev down

Last year's jobs out of the controller's state:

    # sluice admin purge --older 1y --to /archive/jobs.db

Completion in this shell:

    $ eval "$(sluice --completion bash)"

# SEE ALSO
`sbatch`(1), `squeue`(1), `scancel`(1), `sinfo`(1), `scontrol`(1), `sacct`(1), `sprio`(1),
`sshare`(1), `sdiag`(1), `sluice-dev`(1),
`sluiced`(8), `sluice-agent`(8)
)_"};
}

}  // namespace sluice
