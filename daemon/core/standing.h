// standing.h: where a waiting job stands: in which partitions of its list it may be planned at all, and
// what keeps it out of the others.
#pragma once

#include <string>
#include <vector>

#include "common/model/config.h"
#include "common/model/job.h"

namespace sluice {

struct Wait {
  Reason reason = Reason::None;
  std::string detail;
};

struct Standing {
  PartitionChoice choice;
  Wait wait;  // Reason::None: it is in this partition's line

  bool is_open() const { return wait.reason == Reason::None; }
};

// One for each partition of the job's list, in its order; never empty. A time limit changed by hand
// holds in all.
std::vector<Standing> standings_of(const ClusterConfig& config, const JobRecord& record);

// No limit exceeds all but an unlimited one. Seconds count: a message may say them.
bool exceeds(const std::optional<TimeLimit>& limit, const TimeLimit& max);

// The limit was changed since the submit gave it that of the partition it is in.
bool limit_was_changed(const JobRecord& record);

}  // namespace sluice
