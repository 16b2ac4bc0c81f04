// fake_node.h: a node that pretends: the real supervisor on a machine that carries out every effect at
// once and starts no process. A run ends at once with exit code 0; a script line `sleep SECONDS` makes
// it last that long. No I/O and no clock: whoever owns it moves messages and time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "agent/core/supervisor.h"

namespace sluice::agent {

// Seconds that the script says it sleeps, all its `sleep` lines together.
std::uint32_t seconds_of_script(const std::string& script);

class FakeNode {
 public:
  struct Outside {
    std::function<void(MessageToController&)> send;
    std::function<void()> close_connection;
  };

  FakeNode(Self self, Outside outside, const Now& start);

  void on(Event event, const Now& now);
  // When pass() is wanted next; none: not before another event.
  std::optional<SteadyTime> next_due() const;
  void pass(const Now& now);
  const Supervisor& supervisor() const { return supervisor_; }

 private:
  struct FakeRun {
    SteadyTime ends;
    WallTime started_wall;
    SteadyTime started;
    std::uint32_t seconds = 0;
    bool is_member = false;
  };

  void carry_out(Effect& effect, const Now& now);
  void start(RunId id, const Now& now);
  void end(RunId id, ExitStatus status, Cause cause, const Now& now);
  void drain(const Now& now);

  Supervisor supervisor_;
  std::string name_;
  Outside outside_;
  std::map<RunId, FakeRun> runs_;
  std::map<std::pair<TimerKind, RunId>, SteadyTime> timers_;
  std::multimap<SteadyTime, ShepherdGone> ends_;
  std::deque<Event> events_;
};

}  // namespace sluice::agent
