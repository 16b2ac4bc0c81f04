// command_line.cpp: the options.
#include "daemon/server/command_line.h"

#include "common/arguments/arguments.h"
#include "daemon/server/manual.h"

namespace sluice {

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  Arguments arguments("sluiced", "sluiced: the controller of a Sluice cluster");
  arguments.option("-f,--config", line.config_path,
                   "Configuration file (default: SLUICE_CONF, SLURM_CONF, /etc/sluice/slurm.conf)");
  arguments.option("--pidfile", line.pid_file, "File to write the process id to");
  arguments.option("--node-key", line.node_key_of,
                   "Print the key file for the host of this node (or login host), and end");
  arguments.version("slurm-wlm 22.05.8 (sluice " SLUICE_VERSION ")");
  arguments.manual(sluiced_text());
  arguments.parse(argc, argv);
  return line;
}

}  // namespace sluice
