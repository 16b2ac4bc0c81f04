// client_config.h: where a command finds its cluster. Search: SLUICE_CONF, SLURM_CONF,
// /etc/sluice/slurm.conf, /etc/slurm/slurm.conf; with no file at all the defaults of a one-node
// cluster. A file named by the environment that cannot be read is an error, never skipped.
#pragma once

#include "common/base/result.h"
#include "common/model/config.h"

namespace sluice {

// Errors: config_invalid with file, line and what was seen.
Result<ClusterConfig> load_client_config();

}  // namespace sluice
