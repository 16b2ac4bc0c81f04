// foresee.h: when and where would a job start, as it is or were it another? THE one path of answers
// about starts to come: `sbatch --test-only`, `sluice plan`, `sluice why` and what it proposes. It
// asks what a submit and a pass ask: partitions, accounts, reservations, limits, then the planner.
// Pure; on a thread of readers, because a question costs one pass.
#pragma once

#include <memory>
#include <vector>

#include "common/wire/messages_foresee.h"
#include "daemon/core/outlook.h"
#include "daemon/sched/foresee.h"

namespace sluice {

// A job as it would be.
struct SupposedJob {
  JobRecord record;
  JobSpec spec;
};

// Questions about one job, be it in the queue or not. The outlook outlives it.
class Foresight {
 public:
  Foresight(const Outlook& outlook, JobId job);

  // As its next start would be; without a start the reason says why none is known. Of an array it
  // is the first task's. A candidate that asks for other nodes has lost what was promised.
  PlannedStart start_of(const SupposedJob& candidate, bool keeps_promise = true) const;
  // The same were each partition of its list the only one: one row each, the earliest first.
  std::vector<PlannedStart> starts_of(const SupposedJob& candidate) const;
  // Beside what is planned for those that go first: cheap, and near what start_of() says.
  PlannedStart quick_start_of(const SupposedJob& candidate) const;

  WallTime now() const { return outlook_.view.now; }

 private:
  struct Subject;
  Subject make_subject(const SupposedJob& candidate,
                       const std::vector<PartitionChoice>* choices = nullptr) const;
  PlannedStart plan(const Subject& subject, const View& view) const;

  const Outlook& outlook_;
  View others_;                                         // without the job
  mutable std::unique_ptr<const Plan> plan_of_others_;  // made when first needed
  mutable std::unique_ptr<const Others> beside_others_;
};

}  // namespace sluice
