// order.h: who goes first: a table of orders, and the queue of a view by one of them. Pure.
#pragma once

#include <optional>
#include <queue>
#include <vector>

#include "daemon/sched/view.h"

namespace sluice {

// The lowest score goes first; equal ones go by their submit, then id.
double score(QueueOrder order, const ClassView& of, const PendingJob& job, WallTime now);

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
  Queue(const View& view, const std::vector<Cursor>& cursors, QueueOrder order);
  std::optional<Turn> next();
  void again(std::size_t class_index);

 private:
  struct Entry {
    double score;
    WallTime submitted;
    Turn turn;
  };
  struct GoesLater {
    bool operator()(const Entry& a, const Entry& b) const;
  };

  const View& view_;
  const std::vector<Cursor>& cursors_;
  QueueOrder order_;
  std::priority_queue<Entry, std::vector<Entry>, GoesLater> entries_;
};

}  // namespace sluice
