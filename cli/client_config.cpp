// client_config.cpp: reads the configuration; what it warns about is for the daemons' logs.
#include "cli/client_config.h"

#include "common/options/config_file.h"

namespace sluice {

Result<ClusterConfig> load_client_config() {
  ConfigFile file = TRY(find_and_read_config());
  return std::move(file.config);
}

}  // namespace sluice
