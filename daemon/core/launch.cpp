// launch.cpp: see launch.h.
#include "daemon/core/launch.h"

#include <algorithm>

namespace sluice {

bool is_still_wanted(const State& state, const SendLaunch& launch) {
  const JobEntry* entry = state.find_job(launch.order.id.job);
  if (!entry || entry->record.run != launch.order.id.run || !holds_resources(entry->record.state))
    return false;
  return std::any_of(entry->record.parts.begin(), entry->record.parts.end(), [&](const RunPart& part) {
    return part.node == launch.node && part.state != PartState::over;
  });
}

}  // namespace sluice
