// shares_listing.cpp: see shares_listing.h.
#include "daemon/core/shares_listing.h"

#include <algorithm>
#include <map>

#include "daemon/core/priority.h"
#include "daemon/core/select.h"

namespace sluice {
namespace {

// --- priorities ---

std::string name_of(const AccountBook& book, QosId id) {
  const auto qos = book.qos.find(id);
  return qos == book.qos.end() ? "" : qos->second.name;
}

JobPriority priority_row(const JobEntry& entry, const Ranking& ranking,
                         const std::string& partition) {
  const JobRecord& record = entry.record;
  JobPriority row;
  row.id = record.id;
  row.shown_id = shown_id(record.id, record.array);
  row.user = entry.spec->user;
  row.uid = entry.spec->uid;
  row.account = entry.spec->account;
  row.qos = name_of(*ranking.accounts, record.qos);
  row.partition = partition;
  row.priority = priority_of(ranking, record);
  row.nice = record.nice;
  row.is_asked = record.priority_asked.has_value();
  if (row.is_asked) return row;
  const PriorityFactors factors = factors_of(ranking, record, partition);
  row.age = factors.age;
  row.association = factors.association;
  row.fair_share = factors.fair_share;
  row.job_size = factors.job_size;
  row.partition_factor = factors.partition;
  row.qos_factor = factors.qos;
  for (const TresFactor& factor : factors.tres) row.tres.push_back({factor.tres, factor.factor});
  return row;
}

bool has_priority(const JobRecord& record, WallTime as_of) {
  return record.state == JobState::pending && record.hold == Hold::none &&
         record.times.eligible != WallTime{} && record.times.eligible <= as_of;
}

// --- shares ---

using Amounts = std::map<std::string, double>;

std::vector<TresAmount> rows_of(const Amounts& amounts) {
  std::vector<TresAmount> rows;
  for (const auto& [tres, amount] : amounts) rows.push_back({tres, amount});
  return rows;
}

// By association: what its own running jobs hold, times the time they have left.
std::map<AssociationId, Amounts> left_to_run(const Snapshot& snapshot, WallTime as_of) {
  std::map<AssociationId, Amounts> left;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    const std::optional<Duration> length = length_of(record.time_limit);
    if (!holds_resources(record.state) || !record.times.started || !length) return true;
    const double seconds = std::max(
        0.0, std::chrono::duration<double>(*record.times.started + *length - as_of).count());
    Amounts& amounts = left[record.association];
    const TresCounts held = allocated_tres(record.allocation, record.demand.licenses);
    for (const TresCount& tres : held)
      amounts[tres.tres] += seconds * static_cast<double>(tres.count);
    amounts["billing"] +=
        seconds * static_cast<double>(billing_of(*snapshot.config, record.partition, held));
    return true;
  });
  return left;
}

class ShareListing {
 public:
  ShareListing(const Snapshot& snapshot, const QueryShares& query, WallTime as_of)
      : ranking_(*snapshot.ranking), query_(query), run_left_(left_to_run(snapshot, as_of)) {
    const AccountBook& book = *ranking_.accounts;
    const std::map<AssociationId, AssociationId> parents = parents_in(book);
    for (const auto& [id, row] : book.associations)
      if (!row.deleted) children_[parents.at(id)].push_back(&row);
    for (auto& [id, rows] : children_)
      std::sort(rows.begin(), rows.end(), [](const Association* a, const Association* b) {
        return place_of(*a) < place_of(*b);
      });
    Sums sums;
    add_below(AssociationId{}, 0, false, sums);
  }

  std::vector<ShareRow> take() { return std::move(rows_); }

 private:
  struct Sums {
    Amounts used;
    Amounts run;
    bool is_wanted = false;
  };

  static std::tuple<bool, std::string, std::string, std::string> place_of(const Association& row) {
    return {row.user.empty(), row.user, row.account, row.partition};
  }

  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  bool is_meant(const Association& row, bool is_within) const {
    if (!query_.accounts.empty() && !is_within) return false;
    if (row.user.empty()) return query_.users.empty();
    return query_.users.empty() || has(query_.users, row.user);
  }

  void add_below(AssociationId parent, std::uint32_t depth, bool is_within, Sums& sums) {
    const auto below = children_.find(parent);
    if (below == children_.end()) return;
    for (const Association* row : below->second) {
      const std::size_t index = rows_.size();
      rows_.push_back(make_row(*row, depth));
      // Users belong to the account that was named; accounts below it do not.
      const bool is_named = row->user.empty() ? has(query_.accounts, row->account) : is_within;
      Sums own = sums_of(*row);
      own.is_wanted = is_meant(*row, is_named);
      if (row->user.empty()) add_below(row->id, depth + 1, is_named, own);
      if (own.is_wanted) {
        rows_[index].tres_s = rows_of(own.used);
        rows_[index].tres_run_s = rows_of(own.run);
      } else {
        rows_.resize(index);
      }
      for (const auto& [tres, amount] : own.used) sums.used[tres] += amount;
      for (const auto& [tres, amount] : own.run) sums.run[tres] += amount;
      sums.is_wanted = sums.is_wanted || own.is_wanted;
    }
  }

  Sums sums_of(const Association& row) const {
    Sums sums;
    if (const auto rank = ranking_.associations.find(row.id); rank != ranking_.associations.end()) {
      sums.used = rank->second.own.tres_s;
      sums.used["billing"] = rank->second.own.billing_s;
    }
    if (const auto run = run_left_.find(row.id); run != run_left_.end()) sums.run = run->second;
    return sums;
  }

  ShareRow make_row(const Association& row, std::uint32_t depth) const {
    ShareRow made;
    made.id = row.id;
    made.depth = depth;
    made.account = row.account;
    made.user = row.user;
    made.partition = row.partition;
    made.shares = row.shares;
    made.grp_tres_mins = row.limits.grp_tres_mins;
    const auto rank = ranking_.associations.find(row.id);
    if (rank == ranking_.associations.end()) {  // the root
      made.usage_s = ranking_.all_billing_s;
      made.norm_usage = made.usage_s > 0 ? 1 : 0;
      made.effective_usage = 1;
      return made;
    }
    const FairShare& share = rank->second.share;
    made.norm_shares = share.norm_shares;
    made.usage_s = share.usage;
    made.norm_usage = ranking_.all_billing_s > 0 ? share.usage / ranking_.all_billing_s : 0;
    made.effective_usage = share.effective_usage;
    made.level = share.level;
    made.factor = share.factor;
    return made;
  }

  const Ranking& ranking_;
  const QueryShares& query_;
  std::map<AssociationId, Amounts> run_left_;
  std::map<AssociationId, std::vector<const Association*>> children_;
  std::vector<ShareRow> rows_;
};

}  // namespace

PrioritiesReply list_priorities(const Snapshot& snapshot, const QueryPriorities& query,
                                WallTime as_of) {
  const Ranking& ranking = *snapshot.ranking;
  PrioritiesReply reply;
  reply.as_of = ranking.as_of;
  reply.multifactor = ranking.config->priority.multifactor;
  reply.weights = ranking.config->priority.weights;
  if (!reply.multifactor) return reply;
  const std::vector<std::string>& wanted = query.filter.partitions;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    if (!has_priority(entry.record, as_of) || !matches(entry, query.filter)) return true;
    std::vector<std::string> partitions{entry.record.partition};
    if (!entry.record.choices.empty()) partitions.clear();
    for (const PartitionChoice& choice : entry.record.choices)
      partitions.push_back(choice.partition);
    for (const std::string& partition : partitions)
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), partition) != wanted.end())
        reply.jobs.push_back(priority_row(entry, ranking, partition));
    return true;
  });
  return reply;
}

SharesReply list_shares(const Snapshot& snapshot, const QueryShares& query, WallTime as_of) {
  return {snapshot.ranking->as_of, ShareListing(snapshot, query, as_of).take()};
}

}  // namespace sluice
