// node_order.h: the order of sinfo's lines (-S, SINFO_SORT). Pure.
#pragma once

#include <string_view>
#include <vector>

#include "cli/listing/node_columns.h"
#include "common/base/result.h"

namespace sluice {

struct NodeSortKey {
  char letter = 0;
  bool descending = false;
  bool configured = false;  // "#P": partitions as they are configured
};

// "#P,-t": letters of columns with an optional sign. Error: invalid_argument, the detail is the
// letter.
Result<std::vector<NodeSortKey>> parse_node_order(std::string_view text);

// Equal lines stay as they are.
void sort_node_rows(const std::vector<NodeSortKey>& order,
                    const std::vector<const PartitionConfig*>& partitions,
                    const ListingContext& context, std::vector<NodeRow>& rows);

}  // namespace sluice
