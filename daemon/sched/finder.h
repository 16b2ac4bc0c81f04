// finder.h: the earliest start of equal jobs that each lie on one node, asked for again and again
// within a pass: a node is looked at anew only when its turn comes or something was cancelled on
// it. Gives what Timeline::earliest() gives. Pure.
#pragma once

#include <queue>
#include <tuple>
#include <vector>

#include "daemon/sched/timeline.h"

namespace sluice {

class Finder {
 public:
  // All three outlive it. The shape must be one that is_for().
  Finder(const Timeline& timeline, const JobShape& shape, const PartitionView& partition);
  // Any one node that holds the job whole will do, and nothing but nodes is waited for.
  static bool is_for(const JobShape& shape);

  std::optional<Slot> earliest();

 private:
  // No earlier than `ready` can the node at `position` of the partition take the job.
  struct Entry {
    WallTime ready;
    std::size_t position;

    bool operator>(const Entry& other) const {
      return std::tie(ready, position) > std::tie(other.ready, other.position);
    }
  };
  void look_at(std::size_t position, WallTime from);
  void look_at_cancelled();

  const Timeline& timeline_;
  const JobShape& shape_;
  const PartitionView& partition_;
  std::optional<Duration> length_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
  std::vector<std::size_t> positions_;  // by NodeId, plus one; made when first needed
  std::size_t cancelled_seen_;
};

}  // namespace sluice
