// refusal.h: why a job does not start now, in words with numbers. Pure.
#pragma once

#include <string>
#include <vector>

#include "daemon/sched/fit.h"
#include "daemon/sched/view.h"

namespace sluice {

// A job that one of its partitions could not start.
struct Refusal {
  const JobShape* shape = nullptr;
  Reason reason = Reason::Resources;
  std::string detail;
  std::vector<FilterCount> ruled_out;
  std::string reservation = {};  // for others: were it not for this one, it could start
};

Refusal refuse_for_nodes(const JobShape& shape, const PartitionView& partition, const Fit& fit);

// Of a list of partitions each says its own; the reason is that of the one that is nearest.
ClassWait make_wait(const ClassView& of, JobId job, const std::vector<Refusal>& refusals);

}  // namespace sluice
