// steps.h: allocations that commands hold, and the steps in them: one function an event.
#pragma once

#include "daemon/core/effects.h"
#include "daemon/core/events.h"
#include "daemon/core/state.h"

namespace sluice {

void on_allocation_awaited(State& state, const AllocationAwaited& event, const Now& now,
                           Effects& out);
void on_job_released(State& state, const JobReleased& event, const Now& now, Effects& out);
void on_step_asked(State& state, const StepAsked& event, const Now& now, Effects& out);
void on_step_signalled(State& state, const StepSignalled& event, const Now& now, Effects& out);
void on_step_started(State& state, const StepStartedOnNode& event, const Now& now, Effects& out);
void on_step_refused(State& state, const StepRefusedByNode& event, const Now& now, Effects& out);
void on_step_exited(State& state, const StepExitedOnNode& event, const Now& now, Effects& out);
void on_steps_found(State& state, const StepsFoundOnNode& event, const Now& now, Effects& out);
void on_steps_measured(State& state, const StepsMeasuredOnNode& event, const Now& now,
                       Effects& out);

}  // namespace sluice
