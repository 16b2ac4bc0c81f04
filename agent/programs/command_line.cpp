// command_line.cpp: the options.
#include "agent/programs/command_line.h"

#include "agent/programs/manual.h"
#include "common/arguments/arguments.h"

namespace sluice::agent {

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  Arguments arguments(
      "sluice-agent",
      "sluice-agent: starts and tends the jobs of one node; stays in the foreground");
  arguments.version("sluice-agent " SLUICE_VERSION);
  arguments.option("--name,-N", line.name, "node's name (default: the host's short name)");
  arguments.option("--config,-f", line.config_file,
                   "configuration file (default: as searched for)");
  arguments.option("--spool", line.spool, "spool folder (default: SlurmdSpoolDir)");
  arguments.option("--pidfile", line.pid_file, "file to write the process id to");
  arguments.option("--cgroup", line.cgroup,
                   "control group that holds the jobs' groups, below /sys/fs/cgroup");
  arguments.flag("--login", line.login, "a submit host: relays commands, has no resources");
  arguments.manual(agent_text());
  arguments.parse(argc, argv);
  return line;
}

}  // namespace sluice::agent
