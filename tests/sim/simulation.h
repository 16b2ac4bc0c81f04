// simulation.h: one run of the whole system from a seed: activity under faults, then everything is healed
// and must come to rest with every promise kept.
#pragma once

#include <memory>
#include <vector>

#include "tests/sim/clients.h"
#include "tests/sim/faults.h"

namespace sluice::sim {

class Simulation {
 public:
  Simulation(std::uint64_t seed, const Breaks& breaks);

  // Throws Violation.
  void run();
  Stage& stage() { return stage_; }
  std::uint64_t steps() const { return steps_; }

 private:
  void act_until(Duration end);
  void come_to_rest();
  bool is_at_rest() const;
  bool all_ended() const;
  std::string what_is_left() const;

  Stage stage_;
  SimController controller_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  Clients clients_;
  Faults faults_;
  std::uint64_t steps_ = 0;
};

}  // namespace sluice::sim
