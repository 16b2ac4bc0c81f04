// filters.cpp: see filters.h.
#include "daemon/sched/filters.h"

#include <algorithm>
#include <string_view>

#include "daemon/sched/fit.h"

namespace sluice {

bool has_features(const JobShape& shape, const NodeView& node) {
  const auto& choices = shape.demand.features;
  return choices.empty() ||
         std::any_of(choices.begin(), choices.end(), [&](const FeatureChoice& choice) {
           return passes(choice.each, node.features);
         });
}

namespace {

// --- filters: true means the node stays

bool is_not_excluded(const JobShape& shape, const NodeView& node, const Need&) {
  const std::vector<std::string>& names = shape.placement.exclude;
  return std::find(names.begin(), names.end(), node.name) == names.end();
}
bool has_its_features(const JobShape& shape, const NodeView& node, const Need&) {
  return has_features(shape, node);
}
bool has_tmp_disk(const JobShape& shape, const NodeView& node, const Need&) {
  return node.shape.tmp_disk_mb >= shape.demand.tmp_per_node_mb;
}
bool is_topology_known(const JobShape& shape, const NodeView& node, const Need&) {
  const Demand& demand = shape.demand;
  const bool needed =
      demand.ntasks_per_socket > 0 || demand.ntasks_per_core > 0 || demand.sockets_per_node_min > 0;
  return !needed || has_topology(node.shape);
}
bool has_sockets(const JobShape& shape, const NodeView& node, const Need&) {
  const Demand& demand = shape.demand;
  if (node.shape.sockets < demand.sockets_per_node_min) return false;
  return demand.ntasks_per_socket == 0 ||
         std::uint64_t{node.shape.sockets} * demand.ntasks_per_socket >= demand.ntasks_per_node;
}
bool has_cpus(const JobShape&, const NodeView& node, const Need& least) {
  return node.shape.cpus >= least.cpus;
}
bool has_memory(const JobShape&, const NodeView& node, const Need& least) {
  return node.shape.mem_mb >= least.mem_mb;
}
// Of the kinds in --gpus a node must have one at least.
bool gres_is_in(const Demand& demand, const NodeView& node, const std::vector<GresCount>& used) {
  const auto fits = [&](const GresCount& want) { return gres_fits(node.shape.gres, used, want); };
  const auto one_fits = [&](const GresCount& kind) { return fits({kind.name, kind.type, 1}); };
  return std::all_of(demand.gres_per_node.begin(), demand.gres_per_node.end(), fits) &&
         std::all_of(demand.gpus_per_task.begin(), demand.gpus_per_task.end(), fits) &&
         (demand.gpus.empty() || std::any_of(demand.gpus.begin(), demand.gpus.end(), one_fits));
}
bool has_gres(const JobShape& shape, const NodeView& node, const Need&) {
  return gres_is_in(shape.demand, node, {});
}
bool is_up(const JobShape&, const NodeView& node, const Need&) {
  return node.availability == Availability::available;
}
bool is_not_taken_whole(const JobShape&, const NodeView& node, const Need&) {
  return !node.exclusive;
}
bool is_empty_if_needed(const JobShape& shape, const NodeView& node, const Need&) {
  return node.jobs == 0 || !shape.demand.exclusive;
}
bool lets_the_user_in(const JobShape& shape, const NodeView& node, const Need&) {
  return node.jobs == 0 || node.exclusive_uid == shape.demand.exclusive_uid;
}
bool has_free_cpus(const JobShape&, const NodeView& node, const Need& least) {
  return free_cpus(node) >= least.cpus;
}
bool has_free_memory(const JobShape&, const NodeView& node, const Need& least) {
  return free_mem_mb(node) >= least.mem_mb;
}
bool has_free_gres(const JobShape& shape, const NodeView& node, const Need&) {
  return gres_is_in(shape.demand, node, node.gres_used);
}

constexpr NodeFilter filters[] = {
    {"excluded by the job", FilterOf::name, false, is_not_excluded},
    {"features", FilterOf::kind, false, has_its_features},
    {"cpus of the node", FilterOf::kind, false, has_cpus},
    {"memory of the node", FilterOf::kind, false, has_memory},
    {"temporary disk of the node", FilterOf::kind, false, has_tmp_disk},
    {"sockets and cores not known", FilterOf::kind, false, is_topology_known},
    {"sockets of the node", FilterOf::kind, false, has_sockets},
    {"gres of the node", FilterOf::kind, false, has_gres},
    {"not available (down, drained or silent)", FilterOf::kind, true, is_up},
    {"held whole by another job", FilterOf::moment, true, is_not_taken_whole},
    {"not empty", FilterOf::moment, true, is_empty_if_needed},
    {"held for one user, or used by others", FilterOf::moment, true, lets_the_user_in},
    {"free cpus", FilterOf::moment, true, has_free_cpus},
    {"free memory", FilterOf::moment, true, has_free_memory},
    {"free gres", FilterOf::moment, true, has_free_gres},
};

// Of that name.
constexpr const NodeFilter& filter_named(std::string_view name) {
  for (const NodeFilter& filter : filters)
    if (filter.name == name) return filter;
  return filters[0];
}
constexpr const NodeFilter& free_cpus_filter = filter_named("free cpus");
constexpr const NodeFilter& free_memory_filter = filter_named("free memory");

Need need_of(const JobShape& shape, const NodeView& node, const Load& load) {
  return {cpus_needed(shape.demand, node.shape, load), mem_mb_for(shape.demand, node.shape, load)};
}

bool has_plain_demand(const Demand& demand) {
  return demand.gres_per_node.empty() && demand.gpus.empty() && demand.gpus_per_task.empty() &&
         !demand.exclusive && !demand.exclusive_uid && demand.ntasks_per_socket == 0 &&
         demand.ntasks_per_core == 0;
}

}  // namespace

// --- the nodes

NodeRooms::NodeRooms(const View& view) {
  std::vector<const NodeView*> kinds;  // few, and neighbours are mostly alike
  std::uint32_t last = 0;
  view.nodes.for_each([&](std::uint32_t id, const NodeView& node) {
    const auto is_like = [&](const NodeView* other) {
      return node.availability == other->availability && node.shape == other->shape &&
             node.features == other->features;
    };
    if (kinds.empty() || !is_like(kinds[last])) {
      const auto at = std::find_if(kinds.begin(), kinds.end(), is_like);
      last = static_cast<std::uint32_t>(at - kinds.begin());
      if (at == kinds.end()) kinds.push_back(&node);
    }
    const NodeHolds* holds = view.holds.find(id);
    const bool ends = holds && !holds->empty() && holds->front().until != endless;
    if (id >= rows_.size()) rows_.resize(id + 1);
    rows_[id] = {.mem_free_mb = free_mem_mb(node),
                 .first_end = ends ? end_of(holds->front().until, view.now) : endless,
                 .cpus_free = free_cpus(node),
                 .kind = last,
                 .is_shared = !node.exclusive && !node.exclusive_uid};
    return true;
  });
}

NodeTest::NodeTest(const JobShape& shape)
    : shape_(shape),
      least_(least_load(shape.demand)),
      tasks_min_(shape.demand.nodes_max <= 1 ? shape.demand.ntasks : 1),
      is_plain_(has_plain_demand(shape.demand)) {}

const NodeTest::OfKind& NodeTest::of_kind(const NodeView& node, std::uint32_t kind) const {
  if (kind >= kinds_.size()) kinds_.resize(kind + 1);
  OfKind& known = kinds_[kind];
  if (known.is_known) return known;
  known.is_known = true;
  known.least = need_of(shape_, node, least_);
  Load load = least_;
  load.tasks = std::max(load.tasks, tasks_min_);
  known.of_tasks_min = need_of(shape_, node, load);
  for (const NodeFilter& filter : filters)
    if (filter.of == FilterOf::kind && !filter.keeps(shape_, node, known.least)) {
      known.refusal = &filter;
      break;
    }
  return known;
}

const NodeFilter* NodeTest::lasting_refusal(const NodeView& node, const OfKind& kind) const {
  if (!shape_.placement.exclude.empty() && !is_not_excluded(shape_, node, kind.least))
    return &filters[0];
  return kind.refusal;
}

const NodeFilter* NodeTest::quick_refusal(const NodeRoom& row, const OfKind& kind) const {
  if (!row.is_shared || shape_.demand.exclusive || shape_.demand.exclusive_uid) return nullptr;
  if (row.cpus_free < kind.least.cpus) return &free_cpus_filter;
  return row.mem_free_mb < kind.least.mem_mb ? &free_memory_filter : nullptr;
}

const NodeFilter* NodeTest::first_refusal(const NodeView& node, const OfKind& kind) const {
  if (const NodeFilter* lasting = lasting_refusal(node, kind)) return lasting;
  for (const NodeFilter& filter : filters)
    if (filter.of == FilterOf::moment && !filter.keeps(shape_, node, kind.least)) return &filter;
  return nullptr;
}

bool takes_part(const JobShape& shape, const NodeView& node) {
  return passes_filters(shape, node) && task_capacity(shape.demand, node) > 0;
}

bool passes_filters(const JobShape& shape, const NodeView& node) {
  const NodeTest test(shape);
  return !test.first_refusal(node, test.of_kind(node, 0));
}

}  // namespace sluice
