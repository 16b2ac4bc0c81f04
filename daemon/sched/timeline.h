// timeline.h: the future of the nodes: what each of them has given out over time, as runs are
// expected to end and as starts are booked. Pure. It knows nothing of who goes first. A node
// without anything held or booked costs nothing; of the others only their own few steps are looked
// at. Columns are real nodes today; whatever holds things over time can be one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/sched/fit.h"
#include "daemon/sched/reserved.h"
#include "daemon/sched/view.h"

namespace sluice {

// A job that is to hold these shares for that time.
struct Booking {
  Span span;
  std::vector<NodeId> nodes;  // of the shares, in their order
  std::vector<NodeShare> shares;
  const Demand* demand = nullptr;  // not owned
  std::string reservation = {};    // of the shape; its end is earlier where that says so
};

// What a reservation keeps of a node at a moment, and how much of it its own jobs hold.
struct ReservedUse {
  const ReservationView* of = nullptr;
  std::uint32_t cpus = 0;
  bool is_whole = false;
  std::uint32_t inside = 0;  // cpus

  bool operator==(const ReservedUse&) const = default;
};

// What is held of a node from one moment to the next step.
struct Use {
  std::uint32_t cpus = 0;
  std::uint64_t mem_mb = 0;
  std::vector<GresCount> gres;
  std::uint32_t jobs = 0;
  std::uint32_t whole = 0;        // of the jobs: hold the node whole
  std::uint32_t of_one_user = 0;  // of the jobs: share it with jobs of `user` alone
  std::optional<std::uint32_t> user;
  std::vector<ReservedUse> reserved;

  bool operator==(const Use&) const = default;
};

// One node over time.
class Column {
 public:
  // A run that should be over gives back what it holds a little later than now, never in the past.
  // `windows` may be null: nothing of it is reserved.
  Column(const NodeView& node, const NodeHolds& holds, const std::vector<NodeWindow>* windows,
         WallTime now);

  void add(const Span& span, const NodeHold& hold) { change(span, hold, true); }
  void remove(const Span& span, const NodeHold& hold) { change(span, hold, false); }
  // The node with the most that is held of each thing at any moment of the span. Good until it is
  // asked again. Users who let nobody in beside them, one after the other: held whole; so is what
  // is reserved for others.
  const NodeView& worst(const Span& span, const Access& access) const;
  // The first moment, not before `from`, from which on the node, which is of that kind, can take its
  // part of the job for so long. What is not by then ends at `last_end`: no moment from there on is
  // looked at, it is itself the answer.
  std::optional<WallTime> ready(const NodeTest& test, const NodeTest::OfKind& kind,
                                const Access& access, WallTime from,
                                std::optional<Duration> length, WallTime last_end) const;
  std::optional<WallTime> next_step(WallTime after) const;

 private:
  struct Step {
    WallTime from;
    Use use;
  };
  // What most questions are about, side by side in memory: a pass reads it a million times.
  struct Tight {
    WallTime from;
    std::uint64_t mem_mb;
    std::uint32_t cpus;
    bool is_plain;  // no more than these two is to be looked at
  };
  void change(const Span& span, const NodeHold& hold, bool adds);
  void reserve(const std::vector<NodeWindow>& windows, const NodeHolds& holds);
  void note_tight();
  bool is_tight(std::size_t step, const Need& need, const Access& access) const;
  std::size_t step_at(WallTime time) const;
  std::size_t split_at(WallTime time);
  void join_at(std::size_t index);

  std::vector<Step> steps_;  // ascending, one at least; the last lasts for ever
  std::vector<Tight> tight_;  // of each step
  mutable NodeView seen_;    // its used members are rewritten by every question
};

// The licences of the site over time.
class LicenseColumn {
 public:
  // Both outlive it.
  LicenseColumn(const View& view, const Reserved& reserved);
  void change(const Span& span, const std::vector<LicenseCount>& licenses,
              const std::string& reservation, bool adds);
  // The most that is used, or reserved for others, at any moment of the span.
  std::uint32_t worst(const std::string& name, const Span& span, const Access& access) const;
  bool has_room(const std::vector<LicenseCount>& wanted, const Span& span,
                const Access& access) const;
  std::optional<WallTime> ready(const std::vector<LicenseCount>& wanted, WallTime from,
                                std::optional<Duration> length, const Access& access) const;

 private:
  struct ReservedLicenses {
    const ReservationView* of;
    std::vector<LicenseCount> inside;  // held by its own jobs
  };
  struct Step {
    WallTime from;
    std::vector<LicenseCount> used;
    std::vector<ReservedLicenses> reserved;
  };
  std::size_t split_at(WallTime time);

  const std::vector<LicenseCount>& all_;
  std::vector<Step> steps_;
};

struct Slot {
  WallTime start;
  Fit fit;  // ok
};

// Nodes of a partition, by their positions in it, in the order in which they next give something
// back.
struct NodeReturn {
  WallTime at;
  std::size_t position;

  auto operator<=>(const NodeReturn&) const = default;
};
using NodeOrder = std::vector<NodeReturn>;

class Timeline {
 public:
  explicit Timeline(const View& view);

  // At worst over the span.
  const NodeView& worst(NodeId id, const Span& span, const Access& access = {}) const;
  // On what the job would start then and hold for so long. Licences are not looked at.
  Fit fit_at(const JobShape& shape, const PartitionView& partition, const Span& span) const {
    return fit_at(NodeTest(shape), partition, span);
  }
  Fit fit_at(const NodeTest& test, const PartitionView& partition, const Span& span) const;
  // The first moment, not before `from`, at which it fits, licences and all. None: as far as is
  // known it never will, because a node is away or what holds it has no time limit.
  std::optional<Slot> earliest(const JobShape& shape, const PartitionView& partition, WallTime from,
                               std::optional<Duration> length) const;
  // Do these very shares, and the licences, fit then?
  bool has_room(const JobShape& shape, const Booking& booking) const;
  // Those that are reserved for others too.
  std::uint32_t licenses_used(const std::string& name, const Span& span,
                              const JobShape& shape) const {
    return licenses_.worst(name, span, reserved_.access_of(shape.reservation));
  }

  // From when on one node alone can take its part of the job; see Column::ready().
  std::optional<WallTime> ready(NodeId id, const NodeTest& test, WallTime from,
                                std::optional<Duration> length) const;

  // What is held only falls, but for what is booked: so where a node has too little room now it has
  // no more before its entry here, whatever is booked or cancelled.
  const NodeOrder& order_of(const PartitionView& partition) const;
  const NodeRoom& row_of(NodeId id) const { return rows_.of(id); }
  const NodeView& view_of(NodeId id) const { return *view_.nodes.find(id.value); }

  WallTime now() const { return view_.now; }
  // The nodes of all that was cancelled, in its order: nothing else makes a start possible earlier.
  const std::vector<NodeId>& cancelled() const { return cancelled_; }
  void book(const Booking& booking) { change(booking, true); }
  void cancel(const Booking& booking) { change(booking, false); }

 private:
  class Window;
  void change(const Booking& booking, bool adds);
  Column* find_column(NodeId id) const;
  Column& make_column(NodeId id) const;
  const NodeHolds* holds_of(NodeId id) const;
  std::optional<WallTime> next_chance(const NodeTest& test, const PartitionView& partition,
                                      WallTime from, std::optional<Duration> length,
                                      bool was_tried) const;

  const View& view_;
  NodeRooms rows_;
  mutable std::map<const PartitionView*, NodeOrder> orders_;  // made when first needed
  Reserved reserved_;
  mutable std::vector<std::unique_ptr<Column>> columns_;  // by NodeId; made when first needed
  LicenseColumn licenses_;
  std::vector<NodeId> cancelled_;
};

}  // namespace sluice
