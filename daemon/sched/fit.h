// fit.h: which nodes can take a job, and why the others cannot (filters.h). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "daemon/sched/filters.h"
#include "daemon/sched/view.h"

namespace sluice {

// A reservation for others that keeps a node from a job.
struct Keeper {
  std::string reservation;
  ReservedWindow window;
};

// What nodes have given out: as they are, or at worst over a span of time (timeline.h). So the same
// filters and the same choice judge the present and the future.
class NodeUse {
 public:
  NodeUse() = default;
  NodeUse(const NodeUse&) = delete;
  NodeUse& operator=(const NodeUse&) = delete;
  virtual ~NodeUse() = default;
  // Good while nothing is asked of another span of time.
  virtual const NodeView& node(NodeId id) const = 0;
  // The row of a node where the span begins now; null: it does not, or there are no rows.
  virtual const NodeRoom* present(NodeId) const { return nullptr; }
  // By default each node is of a kind of its own.
  virtual std::uint32_t kind_of(NodeId id) const { return id.value; }
  // Would this node do, were it not for starts that are planned for later?
  virtual bool is_kept(NodeId id, const JobShape& shape) const = 0;
  // Would it do, were it not for what is reserved for others?
  virtual std::optional<Keeper> keeper_of(NodeId, const JobShape&) const { return std::nullopt; }
};

// The nodes of a table, as they are.
class NodesNow final : public NodeUse {
 public:
  explicit NodesNow(const IdTable<NodeView>& nodes) : nodes_(nodes) {}
  const NodeView& node(NodeId id) const override;
  bool is_kept(NodeId, const JobShape&) const override { return false; }

 private:
  const IdTable<NodeView>& nodes_;
};

struct Fit {
  std::vector<NodeShare> shares;       // empty: it does not fit
  std::vector<NodeId> nodes;           // of the shares, in their order
  std::vector<FilterCount> ruled_out;  // by the first filter that said no
  std::uint32_t usable = 0;            // nodes that passed every filter, though too few together

  std::string reserved_by;     // the first reservation for others that said no
  std::uint32_t reserved = 0;  // nodes that would do without such reservations
  std::string opens_later;     // its own reservation, which is not open then

  bool ok() const { return !shares.empty(); }
};

// First fit on the partition's nodes in their order.
Fit find_nodes(const NodeTest& test, const PartitionView& partition, const NodeUse& use);

// Does the node pass every filter of the job's, and has it room for this share? What a placement
// made from an older view is asked again before it starts.
bool can_take(const JobShape& shape, const NodeView& node, const NodeShare& share);

// Could it run on these nodes if all of them were idle and up? Errors: never_fits, invalid_node,
// invalid_feature, invalid_gres, node_count_invalid; the detail names the failing part and the
// nearest fit.
Result<void> could_ever_fit(const JobShape& shape, const PartitionView& partition,
                            const IdTable<NodeView>& nodes);

// How many of `want` are free in `have` minus `used`. A request without a type is met by any type.
bool gres_fits(const std::vector<GresCount>& have, const std::vector<GresCount>& used,
               const GresCount& want);
// What a request takes from a node: untyped requests are given a type that is free.
std::vector<GresCount> choose_gres(const std::vector<GresCount>& have,
                                   const std::vector<GresCount>& used,
                                   const std::vector<GresCount>& want);
void add_gres(std::vector<GresCount>& to, const std::vector<GresCount>& more);
void subtract_gres(std::vector<GresCount>& from, const std::vector<GresCount>& less);

}  // namespace sluice
