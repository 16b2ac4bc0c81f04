// choice.cpp: greedy, in the partition's order.
#include "daemon/sched/choice.h"

#include <algorithm>
#include <span>

#include "daemon/sched/fit.h"
#include "daemon/sched/need.h"

namespace sluice {
namespace {

using Pointers = std::vector<const Candidate*>;

std::uint64_t sum(const std::vector<std::uint32_t>& counts) {
  std::uint64_t total = 0;
  for (std::uint32_t count : counts) total += count;
  return total;
}

// Nodes picked so far, and what they still lack together.
class Pick {
 public:
  Pick(const Demand& demand, const FeatureChoice& choice) : demand_(demand), choice_(choice) {
    tasks_missing_ = demand.ntasks;
    for (const GresCount& kind : demand.gpus) gpus_missing_.push_back(kind.count);
    for (const FeatureCount& count : choice.counts) nodes_missing_.push_back(count.nodes);
  }

  void add(const Candidate& candidate) {
    picked_.push_back(&candidate);
    tasks_missing_ -= std::min<std::uint64_t>(tasks_missing_, candidate.capacity);
    for (std::size_t kind = 0; kind < gpus_missing_.size(); ++kind)
      gpus_missing_[kind] -= std::min(gpus_missing_[kind], candidate.gpus[kind]);
    for (std::size_t i = 0; i < nodes_missing_.size(); ++i)
      if (counts_for(candidate, i)) --nodes_missing_[i];
  }

  bool is_enough() const { return picked_.size() >= demand_.nodes_min && nothing_missing(); }
  bool is_full() const { return picked_.size() >= demand_.nodes_max; }
  bool fits() const { return is_enough() && picked_.size() <= demand_.nodes_max; }
  bool lacks_features() const { return sum(nodes_missing_) > 0; }

  // How many of the feature counts that are still open the node serves.
  std::size_t features_served(const Candidate& candidate) const {
    std::size_t served = 0;
    for (std::size_t i = 0; i < nodes_missing_.size(); ++i) served += counts_for(candidate, i);
    return served;
  }
  // A node that only adds to what there is enough of is left to others.
  bool is_helped_by(const Candidate& candidate) const {
    if (picked_.size() < demand_.nodes_min || tasks_missing_ > 0) return true;
    for (std::size_t kind = 0; kind < gpus_missing_.size(); ++kind)
      if (gpus_missing_[kind] > 0 && candidate.gpus[kind] > 0) return true;
    return features_served(candidate) > 0;
  }

  std::vector<Candidate> take() const {
    std::vector<Candidate> taken;
    for (const Candidate* candidate : picked_) taken.push_back(*candidate);
    return taken;
  }

 private:
  bool nothing_missing() const {
    return tasks_missing_ == 0 && sum(gpus_missing_) == 0 && !lacks_features();
  }
  bool counts_for(const Candidate& candidate, std::size_t i) const {
    return nodes_missing_[i] > 0 && passes(choice_.counts[i].test, candidate.node->features);
  }

  const Demand& demand_;
  const FeatureChoice& choice_;
  Pointers picked_;
  std::uint64_t tasks_missing_ = 0;
  std::vector<std::uint32_t> gpus_missing_;   // by kind
  std::vector<std::uint32_t> nodes_missing_;  // by feature count
};

// Nodes with counted features, those that serve most of the counts first.
void pick_features(Pick& pick, Pointers& rest) {
  while (pick.lacks_features() && !pick.is_full()) {
    const auto best =
        std::max_element(rest.begin(), rest.end(), [&](const Candidate* a, const Candidate* b) {
          return pick.features_served(*a) < pick.features_served(*b);
        });
    if (best == rest.end() || pick.features_served(**best) == 0) return;
    pick.add(**best);
    rest.erase(best);
  }
}

Pick pick_from(const Demand& demand, const FeatureChoice& choice, const Pointers& required,
               Pointers rest) {
  Pick pick(demand, choice);
  for (const Candidate* candidate : required) pick.add(*candidate);
  pick_features(pick, rest);
  for (const Candidate* candidate : rest) {
    if (pick.is_enough() || pick.is_full()) break;
    if (pick.is_helped_by(*candidate)) pick.add(*candidate);
  }
  return pick;
}

bool holds_all(const Demand& demand, const FeatureChoice& choice, const Candidate& candidate) {
  if (candidate.capacity < demand.ntasks) return false;
  for (std::size_t kind = 0; kind < demand.gpus.size(); ++kind)
    if (candidate.gpus[kind] < demand.gpus[kind].count) return false;
  return std::all_of(choice.counts.begin(), choice.counts.end(), [&](const FeatureCount& count) {
    return count.nodes == 1 && passes(count.test, candidate.node->features);
  });
}

const Candidate* find_single(const Demand& demand, const FeatureChoice& choice,
                             const Pointers& candidates) {
  const auto at = std::find_if(
      candidates.begin(), candidates.end(),
      [&](const Candidate* candidate) { return holds_all(demand, choice, *candidate); });
  return at == candidates.end() ? nullptr : *at;
}

void roomy_first(Pointers& candidates, bool by_gpus) {
  const auto room = [by_gpus](const Candidate* candidate) {
    return by_gpus ? sum(candidate->gpus) : candidate->capacity;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate* a, const Candidate* b) { return room(a) > room(b); });
}

std::vector<Candidate> choose_by(const Demand& demand, const FeatureChoice& choice,
                                 const std::vector<Candidate>& candidates) {
  Pointers required;
  Pointers rest;
  for (const Candidate& candidate : candidates) {
    if (passes(choice.each, candidate.node->features))
      (candidate.required ? required : rest).push_back(&candidate);
    else if (candidate.required) return {};
  }
  if (demand.nodes_min <= 1 && required.size() <= 1)
    if (const Candidate* one = find_single(demand, choice, required.empty() ? rest : required))
      return {*one};
  const bool are_nodes_few = demand.nodes_max < required.size() + rest.size();
  if (are_nodes_few) roomy_first(rest, !demand.gpus.empty());
  const Pick pick = pick_from(demand, choice, required, rest);
  if (pick.fits()) return pick.take();
  if (!are_nodes_few || demand.gpus.empty()) return {};
  roomy_first(rest, false);
  const Pick by_tasks = pick_from(demand, choice, required, rest);
  return by_tasks.fits() ? by_tasks.take() : std::vector<Candidate>{};
}

// One each, then round and round while there is room.
std::vector<std::uint32_t> deal(std::uint64_t count, const std::vector<std::uint32_t>& room) {
  std::vector<std::uint32_t> dealt(room.size(), 0);
  for (bool moved = true; count > 0 && moved;) {
    moved = false;
    for (std::size_t i = 0; i < room.size() && count > 0; ++i) {
      if (dealt[i] >= room[i]) continue;
      ++dealt[i];
      --count;
      moved = true;
    }
  }
  return dealt;
}

// --ntasks-per-node is already the capacity.
std::vector<std::uint32_t> spread_tasks(const Demand& demand, std::span<const Candidate> chosen) {
  std::vector<std::uint32_t> room;
  for (const Candidate& candidate : chosen) room.push_back(candidate.capacity);
  const std::uint64_t tasks = demand.ntasks_per_node > 0
                                  ? std::uint64_t{demand.ntasks_per_node} * chosen.size()
                                  : std::max<std::uint64_t>(demand.ntasks, chosen.size());
  return deal(tasks, room);
}

std::vector<Load> make_loads(const Demand& demand, const std::vector<Candidate>& chosen) {
  std::vector<Load> loads(chosen.size());
  const std::vector<std::uint32_t> tasks = spread_tasks(demand, chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) loads[i].tasks = tasks[i];
  for (std::size_t kind = 0; kind < demand.gpus.size(); ++kind) {
    std::vector<std::uint32_t> room;
    for (const Candidate& candidate : chosen) room.push_back(candidate.gpus[kind]);
    const std::vector<std::uint32_t> gpus = deal(demand.gpus[kind].count, room);
    for (std::size_t i = 0; i < chosen.size(); ++i) loads[i].gpus.push_back(gpus[i]);
  }
  return loads;
}

}  // namespace

std::vector<Candidate> choose(const Demand& demand, const std::vector<Candidate>& candidates) {
  static const FeatureChoice any_node;
  if (demand.features.empty()) return choose_by(demand, any_node, candidates);
  for (const FeatureChoice& choice : demand.features)
    if (auto chosen = choose_by(demand, choice, candidates); !chosen.empty()) return chosen;
  return {};
}

std::vector<NodeShare> make_shares(const Demand& demand, const std::vector<Candidate>& chosen) {
  const std::vector<Load> loads = make_loads(demand, chosen);
  std::vector<NodeShare> shares;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const NodeView& node = *chosen[i].node;
    NodeShare share;
    share.node = node.name;
    share.tasks = loads[i].tasks;
    share.cpus = demand.exclusive
                     ? node.shape.cpus
                     : static_cast<std::uint32_t>(cpus_needed(demand, node.shape, loads[i]));
    share.mem_mb = mem_mb_for(demand, node.shape, loads[i]);
    share.gres = choose_gres(node.shape.gres, node.gres_used, gres_for(demand, loads[i]));
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace sluice
