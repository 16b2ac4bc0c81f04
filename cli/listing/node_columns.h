// node_columns.h: the table of sinfo's columns, and how nodes are put together on one line. A new
// column is one row here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/listing/layout.h"
#include "cli/listing/node_text.h"

namespace sluice {

// A line of sinfo: nodes of one partition (or of none in particular) that look alike in the columns
// shown. Points into a NodesReply, which must outlive it.
struct NodeRow {
  const PartitionConfig* partition = nullptr;  // none: no column shows one
  std::vector<const NodeInfo*> nodes;
};

std::span<const Column<NodeRow>> node_columns();

// Groups that need attention come first, then the busy ones, as Slurm's states are numbered.
int node_state_order(const NodeInfo& info);

struct NodeGrouping {
  bool each_node = false;  // -N: one line for each node of each partition
  bool exact = false;      // -e: nodes of different size are not put together
  bool with_empty = true;  // a partition without nodes gets a line
};

// Lines for the nodes in `nodes`, which are those that passed the filters; partitions in the order
// of the configuration, nodes in the order of their names.
std::vector<NodeRow> node_rows(const std::vector<const NodeInfo*>& nodes,
                               const std::vector<const PartitionConfig*>& partitions,
                               const Layout<NodeRow>& layout, const NodeGrouping& grouping,
                               const ListingContext& context);

}  // namespace sluice
