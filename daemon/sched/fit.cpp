// fit.cpp: the filters, and the choice of nodes among those that passed. Pure.
#include "daemon/sched/fit.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "common/base/result.h"

namespace sluice {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::uint64_t mem_for_tasks(const Demand& demand, const NodeView& node, std::uint32_t tasks) {
  if (demand.mem_whole_node) return node.shape.mem_mb;
  if (demand.mem_per_cpu_mb > 0)
    return demand.mem_per_cpu_mb * demand.cpus_per_task * static_cast<std::uint64_t>(tasks);
  return demand.mem_per_node_mb;
}

std::uint32_t tasks_at_least(const Demand& demand) {
  return demand.ntasks_per_node > 0 ? demand.ntasks_per_node : 1;
}

std::uint32_t free_cpus(const NodeView& node) {
  return node.shape.cpus > node.cpus_used ? node.shape.cpus - node.cpus_used : 0;
}
std::uint64_t free_mem_mb(const NodeView& node) {
  return node.shape.mem_mb > node.mem_used_mb ? node.shape.mem_mb - node.mem_used_mb : 0;
}

// How many tasks of the job the node can take now; 0: none.
std::uint32_t task_capacity(const Demand& demand, const NodeView& node) {
  std::uint64_t tasks = free_cpus(node) / demand.cpus_per_task;
  if (demand.mem_per_cpu_mb > 0 && !demand.mem_whole_node)
    tasks = std::min(tasks, free_mem_mb(node) / (demand.mem_per_cpu_mb * demand.cpus_per_task));
  if (demand.ntasks_per_node > 0)
    return tasks >= demand.ntasks_per_node ? demand.ntasks_per_node : 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tasks, demand.ntasks));
}

// --- filters: true means the node stays --------------------------------------------------------
using Filter = bool (*)(const JobShape&, const NodeView&);
struct FilterRow {
  const char* name;
  bool of_the_moment;  // false: a property of the node that no waiting changes
  Filter keeps;
};

bool is_not_excluded(const JobShape& shape, const NodeView& node) {
  return !contains(shape.placement.exclude, node.name);
}
bool has_features(const JobShape& shape, const NodeView& node) {
  return std::all_of(shape.placement.features.begin(), shape.placement.features.end(),
                     [&](const std::string& feature) { return contains(node.features, feature); });
}
bool has_cpus(const JobShape& shape, const NodeView& node) {
  return node.shape.cpus >= shape.demand.cpus_per_task * tasks_at_least(shape.demand);
}
bool has_memory(const JobShape& shape, const NodeView& node) {
  return node.shape.mem_mb >= mem_for_tasks(shape.demand, node, tasks_at_least(shape.demand));
}
bool has_gres(const JobShape& shape, const NodeView& node) {
  return std::all_of(shape.demand.gres_per_node.begin(), shape.demand.gres_per_node.end(),
                     [&](const GresCount& want) { return gres_fits(node.shape.gres, {}, want); });
}
bool is_up(const JobShape&, const NodeView& node) {
  return node.availability == Availability::available;
}
bool is_not_taken_whole(const JobShape&, const NodeView& node) { return !node.exclusive; }
bool is_empty_if_needed(const JobShape& shape, const NodeView& node) {
  return node.jobs == 0 || !shape.demand.exclusive;
}
bool has_free_cpus(const JobShape& shape, const NodeView& node) {
  return free_cpus(node) >= shape.demand.cpus_per_task * tasks_at_least(shape.demand);
}
bool has_free_memory(const JobShape& shape, const NodeView& node) {
  return free_mem_mb(node) >= mem_for_tasks(shape.demand, node, tasks_at_least(shape.demand));
}
bool has_free_gres(const JobShape& shape, const NodeView& node) {
  return std::all_of(
      shape.demand.gres_per_node.begin(), shape.demand.gres_per_node.end(),
      [&](const GresCount& want) { return gres_fits(node.shape.gres, node.gres_used, want); });
}

constexpr FilterRow filters[] = {
    {"excluded by the job", false, is_not_excluded},
    {"features", false, has_features},
    {"cpus of the node", false, has_cpus},
    {"memory of the node", false, has_memory},
    {"gres of the node", false, has_gres},
    {"not available (down, drained or silent)", true, is_up},
    {"held whole by another job", true, is_not_taken_whole},
    {"not empty", true, is_empty_if_needed},
    {"free cpus", true, has_free_cpus},
    {"free memory", true, has_free_memory},
    {"free gres", true, has_free_gres},
};

const FilterRow* first_refusal(const JobShape& shape, const NodeView& node, bool of_the_moment) {
  for (const FilterRow& filter : filters)
    if ((of_the_moment || !filter.of_the_moment) && !filter.keeps(shape, node)) return &filter;
  return nullptr;
}

void count(std::vector<FilterCount>& counts, const char* filter) {
  for (FilterCount& row : counts)
    if (row.filter == filter) {
      ++row.nodes;
      return;
    }
  counts.push_back({filter, 1});
}

// --- choice ------------------------------------------------------------------------------------
struct Candidate {
  NodeId id;
  const NodeView* node;
  std::uint32_t capacity;  // in tasks, > 0
  bool required;           // named by --nodelist
};

std::uint64_t capacity_of(std::span<const Candidate> chosen) {
  std::uint64_t total = 0;
  for (const Candidate& candidate : chosen) total += candidate.capacity;
  return total;
}

// Required nodes first, then in the partition's order; a job that may use one node takes the first
// that holds it whole.
std::vector<Candidate> choose(const Demand& demand, std::vector<Candidate> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.required > b.required; });
  const auto required = static_cast<std::size_t>(
      std::count_if(candidates.begin(), candidates.end(), [](const auto& c) { return c.required; }));
  if (demand.nodes_min <= 1 && required <= 1)
    for (std::size_t i = 0; i < (required == 1 ? 1 : candidates.size()); ++i)
      if (candidates[i].capacity >= demand.ntasks) return {candidates[i]};
  std::vector<Candidate> chosen(candidates.begin(),
                                candidates.begin() + static_cast<std::ptrdiff_t>(required));
  std::vector<Candidate> rest(candidates.begin() + static_cast<std::ptrdiff_t>(required),
                              candidates.end());
  if (demand.nodes_max < required + rest.size())  // few nodes allowed: the roomy ones first
    std::stable_sort(rest.begin(), rest.end(), [](const Candidate& a, const Candidate& b) {
      return a.capacity > b.capacity;
    });
  for (const Candidate& candidate : rest) {
    if (chosen.size() >= demand.nodes_min && capacity_of(chosen) >= demand.ntasks) break;
    if (chosen.size() >= demand.nodes_max) break;
    chosen.push_back(candidate);
  }
  if (chosen.size() < demand.nodes_min || chosen.size() > demand.nodes_max ||
      capacity_of(chosen) < demand.ntasks)
    return {};
  return chosen;
}

// One task each, then round and round while there is room; --ntasks-per-node is already the capacity.
std::vector<std::uint32_t> spread_tasks(const Demand& demand, std::span<const Candidate> chosen) {
  std::vector<std::uint32_t> tasks(chosen.size(), 0);
  std::uint32_t left = demand.ntasks_per_node > 0
                           ? demand.ntasks_per_node * static_cast<std::uint32_t>(chosen.size())
                           : std::max(demand.ntasks, static_cast<std::uint32_t>(chosen.size()));
  while (left > 0) {
    bool moved = false;
    for (std::size_t i = 0; i < chosen.size() && left > 0; ++i) {
      if (tasks[i] >= chosen[i].capacity) continue;
      ++tasks[i];
      --left;
      moved = true;
    }
    if (!moved) break;
  }
  return tasks;
}

std::vector<NodeShare> make_shares(const Demand& demand, std::span<const Candidate> chosen) {
  const std::vector<std::uint32_t> tasks = spread_tasks(demand, chosen);
  std::vector<NodeShare> shares;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const NodeView& node = *chosen[i].node;
    NodeShare share;
    share.node = node.name;
    share.tasks = tasks[i];
    share.cpus = demand.exclusive ? node.shape.cpus : tasks[i] * demand.cpus_per_task;
    share.mem_mb = mem_for_tasks(demand, node, tasks[i]);
    share.gres = choose_gres(node.shape.gres, node.gres_used, demand.gres_per_node);
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace

const NodeView& NodeUse::node(NodeId id) const {
  if (const NodeView* changed = changed_.find(id.value)) return *changed;
  const NodeView* node = nodes_.find(id.value);
  ASSERT(node != nullptr);
  return *node;
}

void NodeUse::take(NodeId id, const NodeShare& share, bool exclusive) {
  NodeView changed = node(id);
  changed.cpus_used += share.cpus;
  changed.mem_used_mb += share.mem_mb;
  add_gres(changed.gres_used, share.gres);
  ++changed.jobs;
  changed.exclusive = changed.exclusive || exclusive;
  changed_.put(id.value, std::move(changed));
}

bool can_take(const JobShape& shape, const NodeView& node, const NodeShare& share) {
  return !first_refusal(shape, node, true) && free_cpus(node) >= share.cpus &&
         free_mem_mb(node) >= share.mem_mb &&
         std::all_of(share.gres.begin(), share.gres.end(), [&](const GresCount& gres) {
           return gres_fits(node.shape.gres, node.gres_used, gres);
         });
}

Fit find_nodes(const JobShape& shape, const PartitionView& partition, const NodeUse& use) {
  Fit fit;
  std::vector<Candidate> candidates;
  std::size_t required_found = 0;
  for (NodeId id : partition.nodes) {
    const NodeView& node = use.node(id);
    const bool required = contains(shape.placement.nodelist, node.name);
    if (const FilterRow* refusal = first_refusal(shape, node, true)) {
      count(fit.ruled_out, refusal->name);
      continue;
    }
    const std::uint32_t capacity = task_capacity(shape.demand, node);
    if (capacity == 0) {
      count(fit.ruled_out, "free cpus");
      continue;
    }
    required_found += required ? 1 : 0;
    candidates.push_back({id, &node, capacity, required});
    // One node is enough and nothing better can come: stop, so that big clusters cost little.
    if (shape.demand.nodes_min <= 1 && shape.placement.nodelist.empty() &&
        capacity >= shape.demand.ntasks)
      break;
  }
  fit.usable = static_cast<std::uint32_t>(candidates.size());
  if (required_found < shape.placement.nodelist.size()) return fit;
  const std::vector<Candidate> chosen = choose(shape.demand, std::move(candidates));
  fit.shares = make_shares(shape.demand, chosen);
  for (const Candidate& candidate : chosen) fit.nodes.push_back(candidate.id);
  return fit;
}

namespace {

NodeView idle_twin(const NodeView& node) {
  NodeView idle = node;
  idle.availability = Availability::available;
  idle.cpus_used = 0;
  idle.mem_used_mb = 0;
  idle.gres_used.clear();
  idle.jobs = 0;
  idle.exclusive = false;
  return idle;
}

// "cpus per node 8 exceeds every node (largest: 4)" and the like.
std::string nearest_fit(const JobShape& shape, const std::vector<NodeView>& nodes,
                        const std::vector<FilterCount>& ruled_out) {
  const Demand& demand = shape.demand;
  std::uint32_t cpus = 0;
  std::uint64_t mem_mb = 0;
  for (const NodeView& node : nodes) {
    cpus = std::max(cpus, node.shape.cpus);
    mem_mb = std::max(mem_mb, node.shape.mem_mb);
  }
  const std::uint32_t cpus_wanted = demand.cpus_per_task * tasks_at_least(demand);
  if (cpus_wanted > cpus)
    return fmt::format("cpus={} on one node exceeds every node (largest: {})", cpus_wanted, cpus);
  const std::uint64_t mem_wanted =
      nodes.empty() ? 0 : mem_for_tasks(demand, nodes.front(), tasks_at_least(demand));
  if (mem_wanted > mem_mb)
    return fmt::format("mem_mb={} on one node exceeds every node (largest: {})", mem_wanted, mem_mb);
  std::string text = fmt::format("{} nodes with {} tasks", demand.nodes_min, demand.ntasks);
  for (const FilterCount& row : ruled_out)
    text += fmt::format("; {} of {} nodes ruled out by {}", row.nodes, nodes.size(), row.filter);
  return text;
}

}  // namespace

Result<void> could_ever_fit(const JobShape& shape, const PartitionView& partition,
                            const IdTable<NodeView>& nodes) {
  IdTable<NodeView> idle;
  std::vector<NodeView> list;
  for (NodeId id : partition.nodes) {
    const NodeView* node = nodes.find(id.value);
    ASSERT(node != nullptr);
    list.push_back(idle_twin(*node));
    idle.put(id.value, list.back());
  }
  for (const std::string& name : shape.placement.nodelist)
    if (std::none_of(list.begin(), list.end(), [&](const auto& node) { return node.name == name; }))
      return Error{ErrorCode::invalid_node,
                   fmt::format("node {} is not in partition {}", name, partition.name)};
  if (shape.demand.nodes_min > list.size())
    return Error{ErrorCode::node_count_invalid,
                 fmt::format("{} nodes exceed partition {} ({} nodes)", shape.demand.nodes_min,
                             partition.name, list.size())};
  const Fit fit = find_nodes(shape, partition, NodeUse(idle));
  if (fit.ok()) return {};
  const auto no_feature = [&](const NodeView& node) { return !has_features(shape, node); };
  if (!list.empty() && std::all_of(list.begin(), list.end(), no_feature))
    return Error{ErrorCode::invalid_feature,
                 fmt::format("no node of partition {} has all of: {}", partition.name,
                             fmt::join(shape.placement.features, ","))};
  return Error{ErrorCode::never_fits, nearest_fit(shape, list, fit.ruled_out)};
}

}  // namespace sluice
