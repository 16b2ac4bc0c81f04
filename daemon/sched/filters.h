// filters.h: THE table of filters: what keeps a node from a job. The first one that rules a node
// out is the reason that is counted. What does not change while jobs come and go is judged once for
// each kind of node. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/sched/need.h"
#include "daemon/sched/view.h"

namespace sluice {

// What a job takes of a node.
struct Need {
  std::uint64_t cpus = 0;
  std::uint64_t mem_mb = 0;
};

// What of a node a filter looks at: its name; what makes its kind; what is held of it at a moment.
enum class FilterOf { name, kind, moment };

struct NodeFilter {
  const char* name;
  FilterOf of;
  bool may_change;  // false: waiting does not help
  bool (*keeps)(const JobShape&, const NodeView&, const Need& least);
};

// What most questions about a node are answered by, as it is now; side by side in memory, because a
// pass reads it a million times.
struct NodeRoom {
  std::uint64_t mem_free_mb = 0;
  WallTime first_end;  // of what is held: it has no more room before; endless: never
  std::uint32_t cpus_free = 0;
  std::uint32_t kind = 0;  // nodes of one kind have shape, features and availability in common
  bool is_shared = true;   // held by nobody whole, nor for one user
};

// What runs longer than its limit is being ended; how soon it is gone nobody knows.
constexpr Duration soon = std::chrono::seconds{30};
inline WallTime end_of(WallTime until, WallTime now) { return until > now ? until : now + soon; }

// The nodes of a view, by NodeId.
class NodeRooms {
 public:
  explicit NodeRooms(const View& view);
  const NodeRoom& of(NodeId id) const { return rows_[id.value]; }

 private:
  std::vector<NodeRoom> rows_;
};

// One shape against many nodes. The shape outlives it.
class NodeTest {
 public:
  explicit NodeTest(const JobShape& shape);

  // A kind of node, for this shape.
  struct OfKind {
    bool is_known = false;
    const NodeFilter* refusal = nullptr;  // the first of the kind's that says no
    Need least;                           // of any part of the job
    Need of_tasks_min;                    // of one with tasks_min()
  };

  const JobShape& shape() const { return shape_; }
  // The tasks that one node has to hold: all of them where the job lies on one.
  std::uint32_t tasks_min() const { return tasks_min_; }
  // Of what is held of a node, cpus and memory alone can keep the job from it, or that it is held
  // whole or for one user.
  bool is_plain() const { return is_plain_; }
  const OfKind& of_kind(const NodeView& node, std::uint32_t kind) const;
  // Null: no node of that kind was asked for yet.
  const OfKind* known_kind(std::uint32_t kind) const {
    return kind < kinds_.size() && kinds_[kind].is_known ? &kinds_[kind] : nullptr;
  }
  // By its name or its kind. Null: none.
  const NodeFilter* lasting_refusal(const NodeView& node, const OfKind& kind) const;
  // By what is free of it now: of the filters that go first. Null: the others are to be asked.
  const NodeFilter* quick_refusal(const NodeRoom& row, const OfKind& kind) const;
  // By any filter; `node` has what is held at the moment in question. Null: it passes all.
  const NodeFilter* first_refusal(const NodeView& node, const OfKind& kind) const;

 private:
  const JobShape& shape_;
  Load least_;
  std::uint32_t tasks_min_;
  bool is_plain_;
  mutable std::vector<OfKind> kinds_;
};

// Does the node pass every filter of the job's, with room for the least that a node of it carries?
bool takes_part(const JobShape& shape, const NodeView& node);
// The filters alone.
bool passes_filters(const JobShape& shape, const NodeView& node);
bool has_features(const JobShape& shape, const NodeView& node);

}  // namespace sluice
