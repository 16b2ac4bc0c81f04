// environment.h: the environment of a job's first process. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/core/spooled_run.h"

namespace sluice::agent {

// The submitted environment, then what the controller says of the job (which wins), then what only
// this node knows. HOME, USER, LOGNAME, SHELL, PATH and TMPDIR are filled in where nobody set them.
// Entries that are not NAME=value pass through as they are.
std::vector<std::string> build_environment(const SpooledRun& run);

}  // namespace sluice::agent
