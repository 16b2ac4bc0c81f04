// plan.cpp: one pass by the rules of the view, or a short one.
#include "daemon/sched/plan.h"

#include "daemon/sched/backfill.h"

namespace sluice {

Plan make_plan(const View& view, std::uint32_t placements_max) {
  Pass pass(view, view.rules, placements_max);
  run_rule(pass);
  return pass.finish();
}

Plan make_quick_plan(const View& view, std::uint32_t placements_max) {
  PlanRules strict = view.rules;
  strict.backfill = Backfill::none;
  Pass pass(view, strict, placements_max);
  pass.close_pools();
  run_rule(pass);
  Plan plan = pass.finish();
  plan.waits.clear();
  if (view.promises) plan.promises = *view.promises;
  return plan;
}

}  // namespace sluice
