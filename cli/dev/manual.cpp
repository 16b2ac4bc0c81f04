// manual.cpp: the prose of sluice-dev(1).
#include "cli/dev/manual.h"

namespace sluice::dev {

ManualText dev_text() {
  return {.name = "sluice-dev",
          .section = 1,
          .summary = "private Sluice clusters on this machine",
          .synopsis = "`sluice dev` VERB [OPTION...]",
          .text = R"_(# DESCRIPTION
Starts a controller and agents on loopback, all below one folder, as whoever calls it, and ends
exactly what it started. `up` prints lines for the shell: PATH with the commands, MANPATH with these
pages, and the configuration. Nodes may declare more than the machine has.

The other verbs do to the daemons what machines do to them sooner or later: nothing that was
accepted is lost by any of it.

# OPTIONS
# ENVIRONMENT
- SLUICE_DEV_DIR: The folder of the cluster, for all verbs but `up`.

# EXIT STATUS
- 0: It was done.
- 1: It could not be done; what was started is ended again.

# EXAMPLES
    $ eval "$(sluice dev up --nodes 2 --cpus 4)"
    $ sbatch --wrap 'sleep 30'
    $ sluice dev kill9 controller
    $ sluice dev restart controller
    $ sluice dev down

# SEE ALSO
`sluice`(1), `sluiced`(8), `sluice-agent`(8)
)_"};
}

}  // namespace sluice::dev
