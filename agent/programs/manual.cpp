// manual.cpp: the prose of sluice-agent(8).
#include "agent/programs/manual.h"

namespace sluice::agent {

ManualText agent_text() {
  return {.name = "sluice-agent",
          .section = 8,
          .summary = "agent of a node of a Sluice cluster",
          .synopsis = "`sluice-agent` [OPTION...]",
          .text = R"(# DESCRIPTION
Runs on every node: tells the controller what the node has, starts a shepherd for each job that is
sent to it, and reports how it ended. It dials the controller and is never dialled, and it passes on
the commands of the users of its host.

It stays in the foreground. It may be killed or ended at any moment: jobs go on under their
shepherds, and the next agent takes them over.

# OPTIONS
# FILES
The paths are those of the configuration's defaults; its keys change them.

- /var/spool/sluice: SlurmdSpoolDir: a folder for each job of the node. Names may hold %n, the name
  of the node.
- /etc/sluice/cluster.key: SluiceKeyFile: the cluster's key, or a key derived for this node alone.
- /run/sluice/agent.sock: SluiceAgentSocket: where commands on this host are answered.
- /sys/fs/cgroup/sluice: The control groups of jobs; --cgroup names another. Under systemd that is
  the group of sluice-jobs.service, which systemd leaves to the agent.

# ENVIRONMENT
- SLUICE_CONF: The configuration file. Without it, the first of SLURM_CONF,
  /etc/sluice/slurm.conf and /etc/slurm/slurm.conf that is there.
- SLURM_CONF: As SLUICE_CONF. It is read as a file of Slurm's: its ports, spool and log files are
  left to Slurm.

# EXIT STATUS
- 0: It was told to end.
- 1: It could not start; the last line of its log says why.

# EXAMPLES
A node, and a host from which jobs are submitted but on which none run:

    # sluice-agent --name n1 --config /etc/sluice/slurm.conf
    # sluice-agent --login

# SEE ALSO
`sluiced`(8), `sluice`(1)
)"};
}

}  // namespace sluice::agent
