// steps.cpp: no message leads here yet: srun and salloc come with the agents' side of steps.
// Whoever asks all the same is refused, and a node may forget what it reports.
#include "daemon/core/steps.h"

namespace sluice {
namespace {

const Error no_steps{ErrorCode::not_supported, "steps"};

}  // namespace

void on_allocation_awaited(State&, const AllocationAwaited& event, const Now&, Effects& out) {
  out.refuse(event.from, no_steps);
}

void on_job_released(State&, const JobReleased& event, const Now&, Effects& out) {
  out.refuse(event.from, no_steps);
}

void on_step_asked(State&, const StepAsked& event, const Now&, Effects& out) {
  out.refuse(event.from, no_steps);
}

void on_step_signalled(State&, const StepSignalled& event, const Now&, Effects& out) {
  out.refuse(event.from, no_steps);
}

void on_step_started(State&, const StepStartedOnNode&, const Now&, Effects&) {}

void on_step_refused(State&, const StepRefusedByNode&, const Now&, Effects&) {}

void on_step_exited(State&, const StepExitedOnNode& event, const Now&, Effects& out) {
  out.send(event.node, StepCommitted{event.message.record.id});
}

void on_steps_found(State&, const StepsFoundOnNode&, const Now&, Effects&) {}

void on_steps_measured(State&, const StepsMeasuredOnNode&, const Now&, Effects&) {}

}  // namespace sluice
