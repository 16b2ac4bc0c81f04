// stage.h: what all actors of one simulated run share, and the seed's own choice of a cluster.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "common/model/config.h"
#include "tests/sim/ledger.h"
#include "tests/sim/network.h"
#include "tests/sim/timeline.h"

namespace sluice::sim {

// Promises broken on purpose: each must be found out.
struct Breaks {
  bool synchronous_off = false;
  bool reply_before_commit = false;
  bool no_lease = false;
};

// The last lines of what happened, for whoever has to understand a failure.
class Trace {
 public:
  explicit Trace(const Timeline& timeline) : timeline_(timeline) {}
  void line(std::string text);
  void print() const;
  void set_echo(bool echo) { echo_ = echo; }

 private:
  static constexpr std::size_t lines_max = 120;
  const Timeline& timeline_;
  std::deque<std::string> lines_;
  bool echo_ = false;
};

struct HostClock {
  Duration steady_offset{};  // of this boot
  Duration wall_offset{};
};

struct Stage {
  Stage(std::uint64_t seed, const Breaks& to_break);

  Now now(const HostClock& clock) const;

  const std::uint64_t seed;
  const Breaks breaks;
  Random random;
  Timeline timeline;
  std::shared_ptr<const ClusterConfig> config;
  Network network;
  Ledger ledger;
  Trace trace{timeline};
};

}  // namespace sluice::sim
