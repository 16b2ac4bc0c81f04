// verbs.h: what `sluice dev` can do, a function a verb. Output for scripts goes to standard output,
// everything else to standard error; an error leaves the cluster as it was, unless it says more.
#pragma once

#include <string>

#include "cli/dev/configuration.h"
#include "common/base/result.h"

namespace sluice::dev {

// Prints `export` lines once all nodes are idle. When that fails, what was started is ended again;
// the logs of a folder that the caller named stay.
Result<void> up(const UpRequest& request);
// Ends exactly what `up` started, with what runs in its jobs.
Result<void> down(const std::string& dir);
Result<void> status(const std::string& dir);

// Which processes of a node a fault hits.
enum class Part { agent, shepherds, all };  // all: also the jobs, as if the machine was gone

struct Fault {
  std::string dir;
  std::string daemon;  // "controller" or the name of a node
  Part part = Part::agent;
};
Result<void> kill9(const Fault& fault);
Result<void> freeze(const Fault& fault);
Result<void> thaw(const Fault& fault);
// Ends the daemon politely if it runs, and starts it.
Result<void> restart(const Fault& fault);

}  // namespace sluice::dev
