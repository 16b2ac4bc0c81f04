// common_text.cpp: what all commands have in common.
#include "cli/manual/texts.h"

namespace sluice {

std::string common_environment() {
  return R"(- SLUICE_CONF: The configuration file. Without it, the first of SLURM_CONF,
  /etc/sluice/slurm.conf and /etc/slurm/slurm.conf that is there; without any, a cluster of this
  one host.
- SLURM_CONF: As SLUICE_CONF. It is read as a file of Slurm's: its ports, state and log files are
  left to Slurm.
)";
}

std::string common_exit_status() {
  return R"(- 69: Nobody listens where the controller should be. Nothing was sent.
- 75: The request was sent and not answered within MessageTimeout. It may have been done.
)";
}

}  // namespace sluice
