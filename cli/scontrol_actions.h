// scontrol_actions.h: sends an action on jobs and tells what came of it.
#pragma once

#include "cli/scontrol.h"

namespace sluice {

// "TEXT for job N" for each job it failed for, then "WHAT error: TEXT" where `what` is given.
int perform(Control& control, const UpdateJobs& request, const char* what);

}  // namespace sluice
