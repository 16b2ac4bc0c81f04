// reserved.h: what reservations keep from a job, and what they hold a job of theirs to. Pure. It
// knows windows; what is held of a node at which moment is the timeline's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/sched/view.h"

namespace sluice {

struct Span {
  WallTime start;
  WallTime end;  // not within; may be `endless`
};
Span span_of(WallTime start, std::optional<Duration> length);

// A window of a reservation on one node.
struct NodeWindow {
  const ReservationView* of = nullptr;
  ReservedWindow window;
  std::uint32_t cpus = 0;
  bool is_whole = false;
};

// What jobs of one reservation, or of none, may use.
class Access {
 public:
  Access() = default;  // of none
  // Null: of one that is gone; it may use nothing.
  explicit Access(const ReservationView* own) : own_(own), is_void_(own == nullptr) {}
  // Of a job that no reservation is in the way of.
  static Access to_all();

  const ReservationView* own() const { return own_; }
  bool may_use(NodeId node) const;
  // What that reservation keeps is in this job's way.
  bool is_kept_out_by(const ReservationView& other) const;
  // The job's own reservation gives it no more of a node than it holds there.
  bool is_held_to(const ReservationView& other) const;
  // The first moment, not before `from`, at which a job may start; none: never again.
  std::optional<WallTime> admitted(WallTime from) const;
  // A job that starts then is ended by this moment, whatever its time limit.
  WallTime last_end(WallTime start) const;
  Span clip(const Span& span) const;

 private:
  const ReservationView* own_ = nullptr;
  bool is_void_ = false;
  bool ignores_all_ = false;
};

// The reservations of a view, by name and by node.
class Reserved {
 public:
  explicit Reserved(const View& view);

  Access access_of(const std::string& reservation) const;
  // Null: none.
  const std::vector<NodeWindow>* of_node(NodeId id) const;
  const std::vector<ReservationView>& all() const { return *all_; }

 private:
  const std::vector<ReservationView>* all_;
  std::vector<std::vector<NodeWindow>> by_node_;  // by NodeId; short where none are reserved
};

// "maint from 2026-12-01T10:00:00Z to 2026-12-01T12:00:00Z".
std::string window_text(const std::string& name, const ReservedWindow& window);

}  // namespace sluice
