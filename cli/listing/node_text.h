// node_text.h: the facts of a node that several commands show in the same way. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/listing/amount_text.h"
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace sluice {

// What users see of a node, as a function of its record and its load.
enum class NodeWord {
  unknown,
  idle,
  mixed,
  allocated,
  completing,
  drained,   // nothing runs on it
  draining,  // something still does
  down,
  maintenance,  // idle, kept by a reservation of MAINT
  reserved,     // idle, kept by another one
};

NodeWord node_word(const NodeInfo& info);
// "idle", "mix*": sinfo's short and long words; a star where the node does not answer.
std::string node_state_code(const NodeInfo& info);
std::string node_state_word(const NodeInfo& info);
// "ALLOCATED+DRAIN": scontrol's form.
std::string node_state_flags(const NodeInfo& info);

// A/I/O/T of cpus: idle cpus of a node that takes no job are "other".
struct CpuCounts {
  std::uint64_t allocated = 0;
  std::uint64_t idle = 0;
  std::uint64_t other = 0;
  std::uint64_t total = 0;
};
CpuCounts cpu_counts(const NodeInfo& info);

// sinfo -t: words a user may give, to states of nodes. Error: invalid_argument, the detail is the
// element. A word of Slurm for what nodes here never are matches no node.
struct NodeStateFilter {
  std::vector<std::string> words;  // lower case
};
Result<NodeStateFilter> parse_node_states(std::string_view text);
bool matches(const NodeStateFilter& filter, const NodeInfo& info);
std::string node_state_list();

// Load and free memory have been heard of at least once; how long ago that was, by the controller's
// clock.
bool was_measured(const NodeInfo& info);
std::optional<std::int64_t> measurement_age_s(const NodeInfo& info, WallTime as_of);

TresAmounts tres_of(const NodeShape& shape);
// Sums of the partition's nodes.
TresAmounts tres_of(const PartitionConfig& partition, const std::vector<NodeInfo>& nodes);
TresAmounts tres_allocated(const NodeInfo& info);

// "gpu:2", "gpu:a100:2"; "(null)" where there is none.
std::string gres_or_null(const std::vector<GresCount>& gres);
// What is used of each kind the node has: "gpu:0"; "(null)" where it has none.
std::string gres_used_text(const NodeInfo& info);

}  // namespace sluice
