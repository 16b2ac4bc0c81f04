// outlook.h: what starts are foreseen by: all that the planner, and the checks before it, look at,
// of one moment. It is made on the loop, where State is, and read by readers on their own thread;
// it costs what a view costs. Beside it in the Snapshot are the records of the same moment.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/wire/messages.h"
#include "daemon/core/state.h"

namespace sluice {

struct Outlook {
  View view;
  std::shared_ptr<const ClusterConfig> config;
  std::shared_ptr<const std::map<std::string, Reservation>> reservations;
  std::shared_ptr<const LimitRules> limit_rules;
  LimitLedger limits_held;       // by runs that are not over
  LimitLedger limits_submitted;  // tasks that wait or run
  std::shared_ptr<const Ranking> ranking;
};

// Not const: making a view keeps what it sorted.
std::shared_ptr<const Outlook> make_outlook(State& state, const Now& now);

// A submission that was judged and is not kept: its record as it would be.
struct Trial {
  JobRecord record;
  JobSpecPtr spec;
  SubmitReply base;  // but for the planned starts
};

}  // namespace sluice
