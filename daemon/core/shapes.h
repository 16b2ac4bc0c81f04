// shapes.h: from a waiting job to what the planner is shown of it: in which partitions it may be
// planned, and by which shapes. The same for a job that is kept and for one that is only foreseen.
// Pure. Only files of this folder include it.
#pragma once

#include <vector>

#include "daemon/core/site.h"
#include "daemon/core/standing.h"

namespace sluice {

struct OpenChoices {
  std::vector<PartitionChoice> choices;  // the highest tier first; none: it waits
  std::vector<Standing> closed;          // the others, each with what keeps it out
  Wait wait;                             // of none: as the first of its list says
};
// Of the record's choices those that limits of the partition, accounts and reservations leave it.
OpenChoices open_choices(const Site& site, const JobRecord& record, const JobSpec& spec);

struct ClassShapes {
  JobShapes shapes;                    // one for each choice, and there for each reservation
  std::vector<LimitSubject> subjects;  // of each shape; none: no limits are in force
};
ClassShapes shapes_of(const Site& site, const JobSpec& spec,
                      const std::vector<PartitionChoice>& choices);

// No start by that shape can take less of what limits count.
JobAmounts least_amounts_of(const JobShape& shape);

}  // namespace sluice
