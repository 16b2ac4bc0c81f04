// fit.cpp: the filters, and what could ever fit. Pure.
#include "daemon/sched/fit.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "common/base/hostlist.h"
#include "common/base/result.h"
#include "daemon/sched/choice.h"
#include "daemon/sched/filters.h"
#include "daemon/sched/need.h"
#include "daemon/sched/reserved.h"

namespace sluice {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Not of a filter: free, but another job's planned start would be in the way.
constexpr const char* kept = "kept for jobs that are planned before it";

void count(std::vector<FilterCount>& counts, std::string_view filter) {
  for (FilterCount& row : counts)
    if (row.filter == filter) {
      ++row.nodes;
      return;
    }
  counts.push_back({std::string(filter), 1});
}

bool counts_features(const Demand& demand) {
  return std::any_of(demand.features.begin(), demand.features.end(),
                     [](const FeatureChoice& choice) { return !choice.counts.empty(); });
}

}  // namespace

const NodeView& NodesNow::node(NodeId id) const {
  const NodeView* node = nodes_.find(id.value);
  ASSERT(node != nullptr);
  return *node;
}

bool can_take(const JobShape& shape, const NodeView& node, const NodeShare& share) {
  return passes_filters(shape, node) && free_cpus(node) >= share.cpus &&
         free_mem_mb(node) >= share.mem_mb &&
         std::all_of(share.gres.begin(), share.gres.end(), [&](const GresCount& gres) {
           return gres_fits(node.shape.gres, node.gres_used, gres);
         });
}

namespace {

// A node that will not do counts by the first filter that says so, or by what is planned or reserved
// there.
void count_refusal(Fit& fit, const NodeUse& use, NodeId id, const JobShape& shape,
                   const NodeFilter* refusal) {
  const bool may_change = !refusal || refusal->may_change;
  if (const auto keeper = may_change ? use.keeper_of(id, shape) : std::nullopt) {
    count(fit.ruled_out, "reserved: " + window_text(keeper->reservation, keeper->window));
    if (fit.reserved++ == 0) fit.reserved_by = keeper->reservation;
    return;
  }
  const bool is_kept = may_change && use.is_kept(id, shape);
  count(fit.ruled_out, is_kept ? kept : refusal ? refusal->name : "free cpus");
}

// Where too little is free now, the rest of the span need not be looked at.
const NodeFilter* refused_quickly(const NodeTest& test, const NodeUse& use, NodeId id) {
  const NodeRoom* row = use.present(id);
  if (!row || !test.shape().placement.exclude.empty()) return nullptr;
  const NodeTest::OfKind* kind = test.known_kind(row->kind);
  if (!kind || kind->refusal) return nullptr;
  return test.quick_refusal(*row, *kind);
}

// Counts the same filter many times in a row.
class QuickCount {
 public:
  void count(Fit& fit, const NodeFilter& filter) {
    if (&filter != last_) {
      last_ = &filter;
      sluice::count(fit.ruled_out, filter.name);
      index_ = index_of(fit, filter);
      return;
    }
    ++fit.ruled_out[index_].nodes;
  }

 private:
  static std::size_t index_of(const Fit& fit, const NodeFilter& filter) {
    std::size_t index = 0;
    while (fit.ruled_out[index].filter != filter.name) ++index;
    return index;
  }

  const NodeFilter* last_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace

Fit find_nodes(const NodeTest& test, const PartitionView& partition, const NodeUse& use) {
  const JobShape& shape = test.shape();
  Fit fit;
  std::vector<Candidate> candidates;
  std::size_t required_found = 0;
  QuickCount quick;
  const bool stops_at_first = shape.demand.nodes_min <= 1 && shape.placement.nodelist.empty() &&
                              shape.demand.gpus.empty() && !counts_features(shape.demand);
  for (NodeId id : partition.nodes) {
    if (const NodeFilter* refusal = refused_quickly(test, use, id)) {
      quick.count(fit, *refusal);
      continue;
    }
    const NodeView& node = use.node(id);
    const NodeFilter* refusal = test.first_refusal(node, test.of_kind(node, use.kind_of(id)));
    const std::uint32_t capacity = refusal ? 0 : task_capacity(shape.demand, node);
    if (capacity == 0) {
      count_refusal(fit, use, id, shape, refusal);
      continue;
    }
    const bool required = contains(shape.placement.nodelist, node.name);
    required_found += required ? 1 : 0;
    candidates.push_back({id, &node, capacity, gpu_capacity(shape.demand, node), required});
    // One node is enough and nothing better can come: stop, so that big clusters cost little.
    if (stops_at_first && capacity >= shape.demand.ntasks) break;
  }
  fit.usable = static_cast<std::uint32_t>(candidates.size());
  if (required_found < shape.placement.nodelist.size()) return fit;
  const std::vector<Candidate> chosen = choose(shape.demand, candidates);
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
  idle.exclusive_uid.reset();
  return idle;
}

std::string names_of(const std::vector<NodeView>& nodes) {
  std::vector<std::string> names;
  for (const NodeView& node : nodes) names.push_back(node.name);
  return names.empty() ? "none" : compress_hostlist(names);
}

struct NodeAmount {
  const char* name;
  std::uint64_t (*wanted)(const Demand& demand, const NodeShape& node);
  std::uint64_t (*has)(const NodeShape& node);
};
// What is asked of one node against what the largest has.
constexpr NodeAmount amounts[] = {
    {"cpus",
     [](const Demand& demand, const NodeShape& node) {
       return cpus_needed(demand, node, least_load(demand));
     },
     [](const NodeShape& node) { return std::uint64_t{node.cpus}; }},
    {"mem_mb",
     [](const Demand& demand, const NodeShape& node) {
       return mem_mb_for(demand, node, least_load(demand));
     },
     [](const NodeShape& node) { return node.mem_mb; }},
    {"tmp_mb", [](const Demand& demand, const NodeShape&) { return demand.tmp_per_node_mb; },
     [](const NodeShape& node) { return node.tmp_disk_mb; }},
};

std::string kind_text(const GresCount& gres) {
  return gres.type.empty() ? gres.name : gres.name + ":" + gres.type;
}

// Each kind that the nodes have, once: "gpu:a100, nic".
std::string kinds_there(const std::vector<NodeView>& nodes) {
  std::vector<std::string> kinds;
  for (const NodeView& node : nodes)
    for (const GresCount& gres : node.shape.gres)
      if (!contains(kinds, kind_text(gres))) kinds.push_back(kind_text(gres));
  return kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, ", "));
}

// An unknown kind, or more than one node has of a known one.
Result<void> check_gres(const Demand& demand, const std::string& partition,
                        const std::vector<NodeView>& nodes) {
  std::vector<GresCount> wants = gres_for(demand, least_load(demand));
  if (!demand.gpus.empty()) wants.pop_back();  // least_load() asks for one of the first kind
  for (GresCount kind : demand.gpus) wants.push_back({kind.name, kind.type, 1});
  for (const GresCount& want : wants) {
    std::uint32_t largest = 0;
    for (const NodeView& node : nodes) {
      std::uint32_t has = 0;
      for (const GresCount& gres : node.shape.gres)
        if (gres.name == want.name && (want.type.empty() || gres.type == want.type))
          has += gres.count;
      largest = std::max(largest, has);
    }
    if (largest == 0)
      return Error{ErrorCode::invalid_gres,
                   fmt::format("no node of partition {} has {} (there are: {})", partition,
                               kind_text(want), kinds_there(nodes))};
    if (largest < want.count)
      return Error{ErrorCode::never_fits,
                   fmt::format("gres {}:{} on one node exceeds every node (largest: {})",
                               kind_text(want), want.count, largest)};
  }
  return {};
}

// "cpus=8 on one node exceeds every node (largest: 4)" and the like.
std::string nearest_fit(const JobShape& shape, const std::vector<NodeView>& nodes,
                        const std::vector<FilterCount>& ruled_out) {
  const Demand& demand = shape.demand;
  for (const NodeAmount& amount : amounts) {
    std::uint64_t least_wanted = UINT64_MAX;
    std::uint64_t largest = 0;
    for (const NodeView& node : nodes) {
      least_wanted = std::min(least_wanted, amount.wanted(demand, node.shape));
      largest = std::max(largest, amount.has(node.shape));
    }
    if (!nodes.empty() && least_wanted > largest)
      return fmt::format("{}={} on one node exceeds every node (largest: {})", amount.name,
                         least_wanted, largest);
  }
  std::string text = fmt::format("{} nodes with {} tasks", demand.nodes_min, demand.ntasks);
  for (const GresCount& kind : demand.gpus)
    text += fmt::format(" and {}:{}", kind_text(kind), kind.count);
  for (const FilterCount& row : ruled_out)
    text += fmt::format("; {} of {} nodes ruled out by {}", row.nodes, nodes.size(), row.filter);
  return text;
}

Error no_features(const JobShape& shape, const std::string& partition,
                  const std::vector<NodeView>& nodes) {
  std::vector<std::string> known;
  for (const NodeView& node : nodes)
    for (const std::string& feature : node.features)
      if (!contains(known, feature)) known.push_back(feature);
  return Error{ErrorCode::invalid_feature,
               fmt::format("no node of partition {} meets {} (features there: {})", partition,
                           shown_constraint(shape.placement.constraint),
                           known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")))};
}

// What the counts of features ask for, where the nodes there are cannot meet it.
Result<void> check_feature_counts(const JobShape& shape, const std::string& partition,
                                  const std::vector<NodeView>& nodes) {
  std::string missing;
  for (const FeatureChoice& choice : shape.demand.features) {
    std::string lacks;
    for (const FeatureCount& count : choice.counts) {
      const auto has = std::count_if(nodes.begin(), nodes.end(), [&](const NodeView& node) {
        return passes(count.test, node.features) && passes(choice.each, node.features);
      });
      if (has < count.nodes) lacks = fmt::format("{} of {} nodes", has, count.nodes);
    }
    if (lacks.empty()) return {};
    missing += (missing.empty() ? "" : " or ") + lacks;
  }
  if (missing.empty()) return {};
  return Error{ErrorCode::never_fits,
               fmt::format("partition {} has {} that {} asks for", partition, missing,
                           shown_constraint(shape.placement.constraint))};
}

}  // namespace

namespace {

// Each as if it were up and idle; made when it is asked for.
class NodesIdle final : public NodeUse {
 public:
  explicit NodesIdle(const IdTable<NodeView>& nodes) : nodes_(nodes) {}
  const NodeView& node(NodeId id) const override {
    if (!twins_.find(id.value)) twins_.put(id.value, idle_twin(*nodes_.find(id.value)));
    return *twins_.find(id.value);
  }
  bool is_kept(NodeId, const JobShape&) const override { return false; }

 private:
  const IdTable<NodeView>& nodes_;
  mutable IdTable<NodeView> twins_;
};

}  // namespace

Result<void> could_ever_fit(const JobShape& shape, const PartitionView& partition,
                            const IdTable<NodeView>& nodes) {
  const NodesIdle idle(nodes);
  const NodeTest test(shape);
  const Fit fit = find_nodes(test, partition, idle);
  if (fit.ok()) return {};
  std::vector<NodeView> list;
  for (NodeId id : partition.nodes) list.push_back(idle.node(id));
  for (const std::string& name : shape.placement.nodelist)
    if (std::none_of(list.begin(), list.end(), [&](const auto& node) { return node.name == name; }))
      return Error{ErrorCode::invalid_node,
                   fmt::format("node {} is not in partition {} (it has: {})", name, partition.name,
                               names_of(list))};
  if (shape.demand.nodes_min > list.size())
    return Error{ErrorCode::node_count_invalid,
                 fmt::format("{} nodes exceed partition {} ({} nodes)", shape.demand.nodes_min,
                             partition.name, list.size())};
  const auto no_feature = [&](const NodeView& node) { return !has_features(shape, node); };
  if (!list.empty() && std::all_of(list.begin(), list.end(), no_feature))
    return no_features(shape, partition.name, list);
  TRY(check_feature_counts(shape, partition.name, list));
  TRY(check_gres(shape.demand, partition.name, list));
  return Error{ErrorCode::never_fits, nearest_fit(shape, list, fit.ruled_out)};
}

}  // namespace sluice
