// foresee.h: when would this job start? Answered by the very pass that plans it, on a view with the
// job in it. What no pass gives a start (it plans so many and no more, or none by its rule) is told
// where it fits beside those that have one. Pure.
#pragma once

#include <optional>
#include <vector>

#include "daemon/sched/view.h"

namespace sluice {

struct Foreseen {
  WallTime start;         // the view's `now`: at once
  std::size_t shape = 0;  // of its class
  std::vector<NodeShare> shares;
  std::optional<TimeLimit> time_limit;  // that it would have there; none: unlimited
};

// The view without that job: it may stand in it as it is now.
View without_job(const View& view, JobId job);

// `of` holds the job alone, as one head; `view` does not. It is in nobody's way before `from`.
// One pass, and a little. None: as far as is known it never starts.
std::optional<Foreseen> foresee(const View& view, const ClassView& of, WallTime from);

// What others are to hold, to be asked about many changes of one job: a plan that was made without
// it. A cheap first look; only foresee() tells what a pass would do.
class Others {
 public:
  // All three outlive it. `goes_first` and the job stand in the view's order: of the planned starts
  // those count that go before the job, since it may take what was planned for the others.
  Others(const View& view, const Plan& plan);
  ~Others();
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;

  // The earliest start beside what goes before it, not before `from`.
  std::optional<Foreseen> earliest(const ClassView& of, WallTime from) const;

 private:
  struct Booked;
  const View& view_;
  std::vector<Booked> booked_;
};

}  // namespace sluice
