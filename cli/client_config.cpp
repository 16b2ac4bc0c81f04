// client_config.cpp: the search order of the configuration file.
#include "cli/client_config.h"

#include <unistd.h>

#include <cstdlib>

namespace sluice {

std::string find_config_file() {
  for (const char* variable : {"SLUICE_CONF", "SLURM_CONF"}) {
    const char* path = std::getenv(variable);
    if (path && *path) return path;
  }
  for (const char* path : {"/etc/sluice/slurm.conf", "/etc/slurm/slurm.conf"})
    if (access(path, F_OK) == 0) return path;
  return {};
}

Result<ClusterConfig> load_client_config() {
  ClusterConfig config;
  if (const char* socket = std::getenv("SLUICE_SOCKET")) config.paths.controller_socket = socket;
  return config;
}

}  // namespace sluice
