// ranking.cpp: what priorities follow from beside the jobs: who used how much, whose turn it is by
// the tree of shares, and how large the cluster is.
#include <algorithm>
#include <set>

#include "daemon/core/handlers.h"
#include "daemon/core/priority.h"

namespace sluice {
namespace {

// --- usage ---

double usage_factor(const AccountBook& book, QosId id) {
  const auto qos = book.qos.find(id);
  return qos == book.qos.end() ? 1 : qos->second.usage_factor_ppm / 1e6;
}

void count(Ranking& ranking, std::map<AssociationId, DecayedUse>& uses, const UseKey& key,
           double seconds) {
  if (seconds <= 0 || key.association == AssociationId{}) return;
  const double counted = seconds * usage_factor(*ranking.accounts, key.qos);
  const double billed =
      counted * static_cast<double>(billing_of(*ranking.config, key.partition, key.tres));
  for (DecayedUse* use : {&uses[key.association], &ranking.qos[key.qos]}) {
    use->billing_s += billed;
    for (const TresCount& tres : key.tres)
      use->tres_s[tres.tres] += counted * static_cast<double>(tres.count);
  }
  ranking.all_billing_s += billed;
}

std::set<JobId> running_jobs(const State& state) {
  std::set<JobId> running;
  for (const auto& [node, jobs] : state.runs_on_node) running.insert(jobs.begin(), jobs.end());
  return running;
}

// Ascending by key and job, so that sums do not depend on how it came about.
std::map<AssociationId, DecayedUse> sum_usage(Ranking& ranking, const State& state) {
  std::map<AssociationId, DecayedUse> uses;
  state.usage.for_each(ranking.as_of, [&](const UseKey& key, double seconds) {
    count(ranking, uses, key, seconds);
  });
  for (const JobId id : running_jobs(state)) {
    const JobRecord& record = state.job(id);
    if (!record.times.started || record.association == AssociationId{}) continue;
    count(ranking, uses, use_key(record, record.allocation),
          state.usage.open_seconds({*record.times.started, ranking.as_of}, ranking.as_of));
  }
  return uses;
}

// --- the tree of shares ---

// Accounts stand before what is below them, whatever their ids. The root account's children hang
// from nothing: the root is no node of the tree.
class ShareTree {
 public:
  ShareTree(const AccountBook& book, const std::map<AssociationId, DecayedUse>& uses)
      : book_(book), uses_(uses), parents_(parents_in(book)) {
    for (const auto& [id, row] : book.associations)
      if (!row.deleted && !is_root(row)) children_[home_of(id)].push_back(&row);
    add_below({}, std::nullopt);
    give_back_deleted();
  }

  void fill(Ranking& ranking) const {
    const std::vector<FairShare> shares = fair_tree(nodes_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      AssociationRank& rank = ranking.associations[rows_[i]->id];
      rank.share = shares[i];
      if (const auto use = uses_.find(rows_[i]->id); use != uses_.end()) rank.own = use->second;
    }
  }

 private:
  static bool is_root(const Association& row) { return row.user.empty() && row.parent.empty(); }

  // 0: the root.
  AssociationId home_of(AssociationId id) const {
    const AssociationId parent = parents_.at(id);
    const auto row = book_.associations.find(parent);
    return row == book_.associations.end() || is_root(row->second) ? AssociationId{} : parent;
  }

  double used_by(AssociationId id) const {
    const auto use = uses_.find(id);
    return use == uses_.end() ? 0 : use->second.billing_s;
  }

  void add_below(AssociationId parent, std::optional<std::size_t> index) {
    const auto below = children_.find(parent);
    if (below == children_.end()) return;
    for (const Association* row : below->second) {
      nodes_.push_back({.parent = index,
                        .is_user = !row->user.empty(),
                        .shares = row->shares,
                        .usage = used_by(row->id)});
      rows_.push_back(row);
      index_of_[row->id] = nodes_.size() - 1;
      if (row->user.empty()) add_below(row->id, nodes_.size() - 1);
    }
  }

  // What an association used that is gone counts for the account it was in.
  void give_back_deleted() {
    for (const auto& [id, use] : uses_) {
      const auto row = book_.associations.find(id);
      if (row == book_.associations.end() || !row->second.deleted) continue;
      const auto heir = index_of_.find(home_of(id));
      if (heir != index_of_.end()) nodes_[heir->second].usage += use.billing_s;
    }
  }

  const AccountBook& book_;
  const std::map<AssociationId, DecayedUse>& uses_;
  std::map<AssociationId, AssociationId> parents_;
  std::map<AssociationId, std::vector<const Association*>> children_;
  std::map<AssociationId, std::size_t> index_of_;
  std::vector<ShareNode> nodes_;
  std::vector<const Association*> rows_;
};

// --- the cluster ---

void add(TresCounts& counts, const std::string& tres, std::uint64_t count) {
  const auto at = std::find_if(counts.begin(), counts.end(),
                               [&](const TresCount& row) { return row.tres == tres; });
  if (at != counts.end()) at->count += count;
  else counts.push_back({tres, count});
}

void measure(Ranking& ranking, const State& state) {
  state.nodes.for_each([&](std::uint32_t, const NodeEntry& entry) {
    ranking.cpus += entry.record.shape.cpus;
    ++ranking.nodes;
    return true;
  });
  for (const PartitionConfig& partition : ranking.config->partitions) {
    ranking.partition_factor_max =
        std::max(ranking.partition_factor_max, partition.priority_job_factor);
    TresCounts& counts = ranking.partition_tres[partition.name];
    for (const std::string& name : partition.nodes) {
      const NodeEntry* node = state.find_node(name);
      if (!node) continue;
      const NodeShape& shape = node->record.shape;
      add(counts, "cpu", shape.cpus);
      add(counts, "mem", shape.mem_mb);
      add(counts, "node", 1);
      for (const GresCount& gres : shape.gres) {
        add(counts, "gres/" + gres.name, gres.count);
        if (!gres.type.empty()) add(counts, "gres/" + gres.name + ":" + gres.type, gres.count);
      }
    }
    add(counts, "billing", billing_of(*ranking.config, partition.name, counts));
  }
  for (const LicenseCount& license : ranking.config->licenses)
    add(ranking.licenses, "license/" + license.name, license.count);
}

void find_highest(Ranking& ranking) {
  for (const auto& [id, qos] : ranking.accounts->qos)
    if (!qos.deleted) ranking.qos_priority_max = std::max(ranking.qos_priority_max, qos.priority);
  for (const auto& [id, row] : ranking.accounts->associations)
    if (!row.deleted)
      ranking.association_priority_max = std::max(ranking.association_priority_max, row.priority);
}

bool has_something_to_rank(const State& state) {
  return state.config->priority.multifactor || has_accounts(*state.accounts);
}

}  // namespace

bool has_accounts(const AccountBook& book) {
  static const AccountBook first = first_book();
  return !(book == AccountBook{}) && !(book == first);
}

std::map<AssociationId, AssociationId> parents_in(const AccountBook& book) {
  std::map<std::string, AssociationId> accounts;
  for (const auto& [id, row] : book.associations)
    if (!row.deleted && row.user.empty()) accounts[row.account] = id;
  std::map<AssociationId, AssociationId> parents;
  for (const auto& [id, row] : book.associations) {
    const auto parent = accounts.find(row.user.empty() ? row.parent : row.account);
    parents[id] =
        parent == accounts.end() || parent->second == id ? AssociationId{} : parent->second;
  }
  return parents;
}

std::shared_ptr<const Ranking> make_ranking(const State& state, WallTime as_of) {
  auto ranking = std::make_shared<Ranking>();
  ranking->as_of = as_of;
  ranking->config = state.config;
  ranking->accounts = state.accounts;
  const std::map<AssociationId, DecayedUse> uses = sum_usage(*ranking, state);
  ShareTree(*state.accounts, uses).fill(*ranking);
  measure(*ranking, state);
  find_highest(*ranking);
  return ranking;
}

std::optional<WallTime> next_ranking(const State& state) {
  if (!has_something_to_rank(state)) return std::nullopt;
  const WallTime due =
      state.ranking->as_of + std::chrono::minutes{state.config->priority.calc_period_min};
  return std::min(due, state.rank_again_at.value_or(due));
}

void keep_ranking(State& state, const Now& now) {
  const bool is_reconfigured = state.ranking->config != state.config;
  const bool has_changed = is_reconfigured || state.ranking->accounts != state.accounts;
  const std::optional<WallTime> due = next_ranking(state);
  // A clock that was set back would keep the next calculation far away.
  const bool is_ahead = due && state.ranking->as_of > now.wall;
  if (!has_changed && !is_ahead && !(due && *due <= now.wall)) return;
  state.usage.advance(state.config->priority, now.wall, is_reconfigured);
  state.rank_again_at.reset();
  state.set_ranking(make_ranking(state, now.wall));
}

void count_run(State& state, const JobRecord& record, const JobTimes& times,
               const Allocation& allocation, const Now& now) {
  if (!times.started || !times.ended || record.association == AssociationId{}) return;
  state.usage.advance(state.config->priority, now.wall);
  // By the clock of a node, which may be ahead of ours.
  const WallTime until = std::min(*times.ended, now.wall);
  const WallTime from = std::max(*times.started, times.submitted);
  state.usage.add(use_key(record, allocation), {from, until});
}

}  // namespace sluice
