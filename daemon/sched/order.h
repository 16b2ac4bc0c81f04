// order.h: who goes first: a table of orders, and the queue of a view by one of them. Pure.
#pragma once

#include <optional>
#include <queue>
#include <vector>

#include "daemon/sched/view.h"

namespace sluice {

// The lowest score goes first; equal ones go by their submit, then id.
double score(QueueOrder order, const ClassView& of, const PendingJob& job, WallTime now);

// Who goes first among those that the order holds equal; then by submit, then id. A job without a
// time limit is the longest, and the last of the largest.
enum class Tie { submit, shortest, smallest, largest };

struct Rank {
  double score = 0;
  double tie = 0;
  WallTime submitted;
  JobId job;

  auto operator<=>(const Rank&) const = default;
};
Rank rank_of(QueueOrder order, Tie tie, const ClassView& of, const PendingJob& job, WallTime now);

// What a job of the shape would hold, in seconds; infinite without a time limit.
double length_s_of(const JobShape& shape);
double cpu_seconds_of(const JobShape& shape);

// How far a pass has come within a class; its jobs go one after the other.
struct Cursor {
  std::size_t head = 0;
  std::uint32_t copies_left = 0;  // 0: all heads are dealt with
  bool waits = false;             // its shapes cannot start now: nor can its next job
  WallTime last_start;            // of the last one that was planned
};
std::vector<Cursor> make_cursors(const View& view);
// False: there was none behind it.
bool advance(Cursor& cursor, const ClassView& of);

struct Turn {
  std::size_t class_index;
  JobId job;
};

// The next job of each class, in order. One that was taken out leaves its class outside until
// again().
class Queue {
 public:
  Queue(const View& view, const std::vector<Cursor>& cursors, QueueOrder order,
        Tie tie = Tie::submit);
  std::optional<Turn> next();
  void again(std::size_t class_index);

 private:
  struct Entry {
    Rank rank;
    std::size_t class_index;
  };
  struct GoesLater {
    bool operator()(const Entry& a, const Entry& b) const;
  };

  const View& view_;
  const std::vector<Cursor>& cursors_;
  QueueOrder order_;
  Tie tie_;
  std::priority_queue<Entry, std::vector<Entry>, GoesLater> entries_;
};

}  // namespace sluice
