// manual.cpp: the prose of sluiced(8).
#include "daemon/server/manual.h"

#include <fmt/format.h>

#include "daemon/core/metrics.h"

namespace sluice {
namespace {

std::string metric_entries() {
  std::string text;
  for (const MetricHelp& metric : list_metrics())
    text += fmt::format("- {} ({}): {}.\n", metric.name, metric.type, metric.help);
  return text;
}

}  // namespace

ManualText sluiced_text() {
  return {.name = "sluiced",
          .section = 8,
          .summary = "controller of a Sluice cluster",
          .synopsis = "`sluiced` [OPTION...]",
          .text = fmt::format(fmt::runtime(R"(# DESCRIPTION
Owns the queue, the nodes and the history of a cluster. It answers commands on a Unix socket,
listens for the agents of the nodes (TLS 1.3 with a key derived from the cluster's key file), and
keeps its state in one SQLite file. What it has answered is on disk: it may be killed at any moment.

It stays in the foreground. SIGTERM and SIGINT end it, SIGHUP lets it read the configuration anew;
the jobs on the nodes do not notice either. Started by a service manager (NOTIFY_SOCKET) it says when
it serves.

# OPTIONS
# FILES
The paths are those of the configuration's defaults; its keys change them.

- /var/lib/sluice: StateSaveLocation: state.db, and id_floor, from which job ids go on.
- /etc/sluice/cluster.key: SluiceKeyFile: what makes a machine one of the cluster. Of root, and
  readable at most by the group of the controller's user.
- /run/sluice/sluiced.sock: SluiceControllerSocket: where commands are answered.

# PLANNING
Jobs are tried by priority. One that must wait gets a planned start, by the time limits of what runs,
on nodes that are then kept for it: others start before it where they are over by then, or use other
nodes. So a time limit (sbatch -t) that is true lets a job start earlier. A job without one starts
where it delays no planned start. Keys of the configuration:

- SluiceBackfill: guarantee (a planned start is never moved to later for jobs that go behind it),
  balanced (among jobs of equal priority short ones go first, where the first that waits is delayed
  by no more than a twentieth of its wait and five minutes: less waiting for most, and only the
  first's planned start is kept), conservative (all plans are made anew each time), easy (only the
  first job that waits has a planned start) or none (strict order in each partition).
- SchedulerType: sched/builtin is SluiceBackfill=none.
- SchedulerParameters: bf_max_job_test, how many jobs get a planned start (1000), and bf_window, how
  many minutes ahead. Others are named as not used.

# METRICS
GET /metrics at SluiceMetricsAddr (127.0.0.1:6829; NONE: not served) answers in the OpenMetrics
format, from one committed state. Names that begin with slurm_ are those of the exporters for Slurm
and mean the same. A counter's samples end with _total. Whoever reaches the address may read it.

{}
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
)"), metric_entries())};
}

}  // namespace sluice
