// waits.cpp: what the controller knows of a wait beyond the planner's view: why a node is away.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/handlers.h"

namespace sluice {
namespace {

constexpr std::size_t nodes_told_max = 4;

// Empty: it takes jobs.
std::string why_away(const NodeEntry& node, const Now& now) {
  const NodeRecord& record = node.record;
  if (record.drain) return fmt::format("{} is drained: {}", record.name, record.reason);
  switch (record.state) {
    case NodeState::up:
      return {};
    case NodeState::unknown:
      return record.name + " has not registered yet";
    case NodeState::lost:
      return fmt::format("{} is down since {}: it does not answer", record.name,
                         utc_text(now.wall - (now.steady - node.last_answer)));
    case NodeState::down:
      return fmt::format("{} is down since {}: {}", record.name,
                         utc_text(record.reason_at.value_or(now.wall)), record.reason);
  }
  return {};
}

// The nodes that the job names, or all of its first partition.
std::vector<const NodeEntry*> nodes_meant(const State& state, const JobShape& shape) {
  std::vector<const NodeEntry*> nodes;
  for (const std::string& name : shape.placement.nodelist)
    if (const NodeEntry* node = state.find_node(name)) nodes.push_back(node);
  if (!shape.placement.nodelist.empty()) return nodes;
  for (const PartitionView& partition : *state.partitions)
    if (partition.name == shape.partition)
      for (NodeId id : partition.nodes) nodes.push_back(state.nodes.find(id.value));
  return nodes;
}

}  // namespace

void tell_nodes_away(const State& state, ClassWait& wait, const Now& now) {
  const auto of = state.classes.find(wait.class_id);
  if (wait.reason != Reason::ReqNodeNotAvail || of == state.classes.end()) return;
  std::size_t told = 0;
  for (const NodeEntry* node : nodes_meant(state, of->second.shapes->front())) {
    const std::string text = why_away(*node, now);
    if (text.empty() || told++ >= nodes_told_max) continue;
    wait.detail += (wait.detail.empty() ? "" : "; ") + text;
  }
  if (told > nodes_told_max) wait.detail += fmt::format("; and {} more", told - nodes_told_max);
}

}  // namespace sluice
