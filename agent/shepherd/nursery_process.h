// nursery_process.h: the process that forks shepherds for an agent (agent/exec/nursery.h).
#pragma once

#include <optional>
#include <string>

namespace sluice::agent {

// Serves the socket that it was started with. In a process that is to tend a run: returns its
// folder. Nothing: the agent is gone.
std::optional<std::string> keep_nursery();

}  // namespace sluice::agent
