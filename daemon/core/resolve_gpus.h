// resolve_gpus.h: GPUs can be asked for by job, node and task, and tasks by GPU; what one of them says
// of the others is worked out here. Pure.
#pragma once

#include "common/base/result.h"
#include "common/model/job.h"

namespace sluice {

// `demand` has its counts of nodes and tasks. Afterwards GPUs stand in one of its three lists, and its
// counts follow from them where the request left them open. Errors: invalid_gres when two options
// contradict each other, not_supported for kinds of GPUs that cannot be counted together.
Result<void> resolve_gpus(const ResourceRequest& request, Demand& demand);

}  // namespace sluice
