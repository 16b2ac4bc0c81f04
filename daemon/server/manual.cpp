// manual.cpp: the prose of sluiced(8).
#include "daemon/server/manual.h"

namespace sluice {

ManualText sluiced_text() {
  return {.name = "sluiced",
          .section = 8,
          .summary = "controller of a Sluice cluster",
          .synopsis = "`sluiced` [OPTION...]",
          .text = R"(# DESCRIPTION
Owns the queue, the nodes and the history of a cluster. It answers commands on a Unix socket,
listens for the agents of the nodes (TLS 1.3 with a key derived from the cluster's key file), and
keeps its state in one SQLite file. What it has answered is on disk: it may be killed at any moment.

It stays in the foreground. SIGTERM and SIGINT end it, SIGHUP lets it read the configuration anew;
the jobs on the nodes do not notice either.

# OPTIONS
# FILES
The paths are those of the configuration's defaults; its keys change them.

- /var/lib/sluice: StateSaveLocation: state.db, and id_floor, from which job ids go on.
- /etc/sluice/cluster.key: SluiceKeyFile: what makes a machine one of the cluster. Of root alone.
- /run/sluice/sluiced.sock: SluiceControllerSocket: where commands are answered.

# ENVIRONMENT
- SLUICE_CONF: The configuration file. Without it, the first of SLURM_CONF,
  /etc/sluice/slurm.conf and /etc/slurm/slurm.conf that is there.
- SLURM_CONF: As SLUICE_CONF. It is read as a file of Slurm's: its ports, state and log files are
  left to Slurm.

# EXIT STATUS
- 0: It was told to end.
- 1: It could not start or go on; the last line of its log says why.

# EXAMPLES
    # sluiced --config /etc/sluice/slurm.conf --pidfile /run/sluiced.pid
    # scontrol reconfigure
    # sluice admin backup /root/state-copy.db

# SEE ALSO
`sluice-agent`(8), `sluice`(1), `scontrol`(1)
)"};
}

}  // namespace sluice
