// plan.h: View -> Plan. Pure: same view, same plan.
#pragma once

#include "daemon/sched/view.h"

namespace sluice {

// Who goes first, who may start before whom and who gets a planned start is in the view's rules
// (order.h, backfill.h). A class whose next job cannot start now waits as a whole. At most
// `placements_max` placements, then the plan is `cut`.
Plan make_plan(const View& view, std::uint32_t placements_max = 1024);

// Only what can start now without going before anyone: what a full pass would start as well, at a
// small part of its cost. Waits and promises stay as they were; a full pass has to follow.
Plan make_quick_plan(const View& view, std::uint32_t placements_max = 1024);

}  // namespace sluice
