// foresee.h: answers to those who ask when a job would start that is not submitted.
#pragma once

#include <memory>

#include "daemon/core/outlook.h"
#include "daemon/rpc/session.h"

namespace sluice::rpc {

// Plans the trial beside what is committed: a SubmitReply, or a PlanReply, which has changes too.
// The snapshot must have an outlook.
ReadTask trial_task(std::shared_ptr<const Trial> trial, bool with_changes);

}  // namespace sluice::rpc
