// plan.h: View -> Plan. Pure: same view, same plan.
#pragma once

#include "daemon/sched/view.h"

namespace sluice {

// Jobs by priority, then id, over all classes; first fit. A class whose next job does not fit waits
// as a whole. At most `placements_max` placements, then the plan is `cut`.
Plan make_plan(const View& view, std::uint32_t placements_max = 1024);

}  // namespace sluice
