// balance.h: the rule `balanced`: short jobs go first as long as that costs the others little.
// Pure.
//
// Waits are felt in proportion to how long a job runs, and short jobs are little work: to let them
// go first does much for them and little to the rest. Three limits see to the "little":
// - The first that waits is delayed by its slack at most, a twentieth of its wait and five minutes:
//   what goes before it is no longer than that, and over by the latest start that was set when the
//   first had its planned start. So every wait is bounded.
// - What goes before it in one pass is the shortest of the queue, five minutes of the machine's
//   time at most.
// - In a deep queue, one that the machine needs more than six jobs' time to work off, what counts
//   for all is how well the machine is used. Small jobs fill the gaps that large ones leave: who
//   takes them all first has none left for later. So there only the smallest go first, one second
//   of the machine's time at most, and gaps are filled with the largest that fits.
// Behind the first, who delays it not at all may start, the shortest first (EASY-SJBF).
// All of it is among jobs of equal priority; a job of a higher one goes before. While there are
// reservations nobody goes before the first.
//
// The constants come from reason and from replays of five public logs, parts of them, and the same
// with other loads and orders of arrival; the figures change little with each of them.
// Kin: EASY-SJBF (Tsafrir et al. 2007), slack (Talby and Feitelson 1999), a bound on the wait of
// those that are overtaken (Lelong, Reis and Trystram 2017).
#pragma once

#include "daemon/sched/view.h"

namespace sluice {

class Pass;

// By how much a job that waited so long may be delayed.
Duration slack_after(Duration wait);

// Work is counted in cpu-seconds by the time limits; what has none is not counted.
struct QueueLoad {
  double cpus = 0;      // of nodes that are available
  double waiting = 0;   // work
  double length_s = 0;  // of the waiting jobs, each as much as its work
  bool is_deep() const { return waiting > 6 * length_s * cpus; }
};
QueueLoad load_of(const View& view);

// Starts those that may go before the first that waits. Nothing is booked yet.
void start_short(Pass& pass, const QueueLoad& load);

}  // namespace sluice
