// changes.h: the smallest changes to a job that would start it now or much earlier: what `sluice
// why` and `sluice plan` offer. Each was judged as a submit is, and planned, before it is told.
// Pure; on a thread of readers.
#pragma once

#include <vector>

#include "daemon/core/foresee.h"

namespace sluice {

// A change of one thing.
struct Proposal {
  SmallChange change;
  SupposedJob candidate;  // the job with it
  double size = 0;        // the smaller the less is given up
};

// Three at most, those that start it now first, then the smallest first. Each starts it now, or in
// half the time it would wait by `planned`. `is_waiting`: it is a job of the queue, which a change
// would be applied to; else it is submitted anew.
std::vector<Proposal> helpful_changes(const Foresight& foresight, const Outlook& outlook,
                                      const SupposedJob& job, const PlannedStart& planned,
                                      bool is_waiting);

}  // namespace sluice
