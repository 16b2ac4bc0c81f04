// finder.h: the earliest start of equal jobs that each lie on one node, asked for again and again
// within a pass: a node is looked at when it next gives something back, and anew when its turn
// comes or something was cancelled on it. So a start that comes soon costs little on many nodes.
// Gives what Timeline::earliest() gives. Pure.
#pragma once

#include <queue>
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
  // No earlier than `at` can the node at `position` of the partition take the job.
  using Entry = NodeReturn;
  bool has_room_now(NodeId id) const;
  void look_at(std::size_t position, WallTime from);
  void look_at_cancelled();

  const Timeline& timeline_;
  NodeTest test_;
  const PartitionView& partition_;
  std::optional<Duration> length_;
  const NodeOrder& order_;
  std::size_t next_ = 0;  // in the order: was not looked at yet, unless it had room from the first
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
  std::vector<std::size_t> positions_;  // by NodeId, plus one; made when first needed
  std::size_t cancelled_seen_;
};

}  // namespace sluice
