// core.h: the controller's decisions: State + Event + Now -> State + Effects. Deterministic; contains
// no I/O, clock, random number, thread or global. The daemon, the simulator and the fault tests link
// this very code.
#pragma once

#include <optional>
#include <string>

#include "daemon/core/effects.h"
#include "daemon/core/events.h"
#include "daemon/core/state.h"

namespace sluice {

class Core {
 public:
  explicit Core(std::shared_ptr<const ClusterConfig> config) : state(std::move(config)) {}

  // To be called once, before the first event, with what the store held. `ids_from` is the id floor:
  // the highest of table and file. Runs that were under way are expected back from their agents.
  void recover(const LoadedState& loaded, JobId ids_from, const Now& now);

  void on(const Event& event, const Now& now, Effects& out);

  // When TimePassed is wanted next.
  std::optional<SteadyTime> next_timer(const Now& now) const;

  State state;
};

// The secret the witnesses share is the driver's; so are other things that are not decisions.
// How long after start a restarted controller waits before it requeues for loss.
Duration loss_margin(const ClusterConfig& config);

}  // namespace sluice
