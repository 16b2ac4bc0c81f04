// pass.h: one pass over the queue: what it has given out and booked so far, and what it decided. It
// offers the steps; which of them are taken, and in which order, is the rule's (backfill.h). Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/sched/finder.h"
#include "daemon/sched/order.h"
#include "daemon/sched/refusal.h"
#include "daemon/sched/timeline.h"

namespace sluice {

class Pass {
 public:
  // `rules` and the view outlive it.
  Pass(const View& view, const PlanRules& rules, std::uint32_t placements_max);

  const PlanRules& rules() const { return rules_; }
  const View& view() const { return view_; }
  Queue queue(QueueOrder order, Tie tie = Tie::submit) const {
    return {view_, cursors_, order, tie};
  }
  // The job whose turn it is.
  const PendingJob& job_of(const Turn& turn) const {
    return view_.classes[turn.class_index].heads[cursors_[turn.class_index].head];
  }
  // Whose turn was not yet.
  std::uint64_t jobs_left(std::size_t class_index) const;
  // Enough was decided for one pass.
  bool is_full() const { return plan_.placements.size() >= placements_max_; }

  // Starts the job now by the first of its shapes that fits beside all that runs and is booked, and
  // goes on to the next of its class; else the class waits.
  bool start(const Turn& turn);
  // Books the earliest start of the job, and goes on to the next of its class; false: none is
  // known.
  bool book_earliest(const Turn& turn);
  // Gives those that are booked a latest start (Promise), or what the last plan gave them.
  void set_latest();
  std::optional<WallTime> latest_promised(JobId job) const;
  // Starts it, or books it, no later than the last plan promised, and goes on. False: nothing was
  // promised to it, or what was is no longer possible.
  bool keep_promise(const Turn& turn);
  // Until somebody's promise is asked for: what is promised to those that had no turn yet is in
  // nobody's way. Where it is then no longer possible it is void.
  void lift_promises();
  void restore_promises();
  // Where a start moved, others may too: in order, each booked job as early as the others' bookings
  // let it; starts those that can now.
  void move_up();

  // No other job starts in the job's partitions; what is asked of them is told so. With
  // `close_pools()` neither in any that could take a node or a licence from it.
  void close_partitions(const Turn& turn);
  void close_pools() { closes_pools_ = true; }
  bool is_closed(const Turn& turn) const;
  void open_partitions() { closed_.clear(); }

  // For want of nodes or licences.
  bool lacks_room(const Turn& turn) const;
  bool waits(const Turn& turn) const { return cursors_[turn.class_index].waits; }
  std::size_t booked() const { return booked_.size(); }

  Plan finish();

 private:
  struct Booked {
    Turn turn;
    const JobShape* shape;
    Booking booking;
    WallTime submitted;
    bool started = false;
    std::optional<WallTime> latest = {};
  };
  // A promise of the last plan, until its job has its turn.
  struct Pledge {
    std::tuple<double, WallTime, JobId, WallTime> rank;  // of the queue, then by start
    const Promise* promise;
    const JobShape* shape;
    Booking booking;
    bool is_booked = false;
    bool is_void = false;  // or its job had its turn
  };
  struct Waiting {
    ClassWait wait;
    std::vector<std::string> partitions;  // whose nodes it lacks
  };
  struct Shorter {
    TimeLimit limit;
    Fit fit;
  };

  const JobShapes& shapes_of(const Turn& turn) const {
    return *view_.classes[turn.class_index].shapes;
  }
  // No limit keeps the class from starting by it.
  bool is_open(const Turn& turn, const JobShape& shape) const {
    const ClassView& of = view_.classes[turn.class_index];
    return of.is_open(static_cast<std::size_t>(&shape - of.shapes->data()));
  }
  std::optional<Slot> earliest(const JobShape& shape, WallTime from);
  const PartitionView* find_partition(const std::string& name) const;
  std::optional<Refusal> try_shape(const JobShape& shape, const Turn& turn);
  Refusal refuse(const JobShape& shape, const PartitionView& partition, const Fit& fit) const;
  std::optional<Shorter> shorten(const JobShape& shape, const PartitionView& partition) const;
  std::string licenses_short(const JobShape& shape, const Span& span) const;
  Span from_now(const JobShape& shape) const;
  void place(const Turn& turn, const JobShape& shape, Booking booking,
             std::optional<TimeLimit> limit = {});
  void go_on(const Turn& turn);
  void wait(const Turn& turn, const std::vector<Refusal>& refusals);
  void take_pledges();
  Pledge* find_pledge(JobId job);
  bool move_up(Booked& booked);
  void explain_bookings();
  void take_waits();
  void take_promises();
  void keep_latest();

  const View& view_;
  const PlanRules& rules_;
  std::size_t placements_max_;
  Timeline timeline_;
  std::map<const JobShape*, Finder> finders_;
  std::vector<Cursor> cursors_;
  std::vector<Booked> booked_;
  std::map<std::size_t, Waiting> waits_;               // by class index
  std::map<std::string, JobId> closed_;                // by whom
  std::vector<Pledge> pledges_;                        // by rank
  std::map<JobId, std::vector<std::size_t>> pledged_;  // their indices, the first to start last
  bool closes_pools_ = false;
  bool are_lifted_ = false;
  bool has_moved_ = false;  // someone's start is not where the last plan had it
  Plan plan_;
};

}  // namespace sluice
