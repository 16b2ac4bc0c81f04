// backfill.h: THE table of backfill rules: which jobs may start before one that goes first. Pure.
#pragma once

#include "daemon/sched/pass.h"

namespace sluice {

// Decides the whole queue of the pass by the rule of its view.
void run_rule(Pass& pass);

}  // namespace sluice
