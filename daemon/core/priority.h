// priority.h: which number the site's rule gives a waiting job (PriorityType). A number is derived
// from the job's record and from a Ranking, and is stored only with rows that are written for other
// reasons. Under priority/basic it is the order of submits; under priority/multifactor it is as the
// page "Multifactor Priority Plugin" of Slurm 22.05 says, but for what the configuration refuses.
// Pure.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/model/accounting.h"
#include "common/model/config.h"
#include "common/model/job.h"
#include "daemon/core/state.h"
#include "daemon/core/usage.h"
#include "daemon/sched/fair_tree.h"

namespace sluice {

// Decayed usage.
struct DecayedUse {
  double billing_s = 0;                  // times the QOS's UsageFactor
  std::map<std::string, double> tres_s;  // by TRES, the same
};

// Of an association in the tree of shares.
struct AssociationRank {
  DecayedUse own;   // of its own jobs
  FairShare share;  // `usage` is billing with all that is below
};

// All that priorities follow from beside the jobs, as of one moment: every PriorityCalcPeriod, and
// whenever the configuration or the accounts change.
struct Ranking {
  WallTime as_of;
  std::shared_ptr<const ClusterConfig> config;
  std::shared_ptr<const AccountBook> accounts;
  std::map<AssociationId, AssociationRank> associations;  // none that was deleted
  std::map<QosId, DecayedUse> qos;
  double all_billing_s = 0;  // of all associations
  double cpus = 0;           // of all nodes
  double nodes = 0;
  std::map<std::string, TresCounts> partition_tres;  // what all of a partition's nodes have
  TresCounts licenses;
  // The highest, for the factors' norm; 0: none has any.
  std::uint32_t partition_factor_max = 0;
  std::uint32_t qos_priority_max = 0;
  std::uint32_t association_priority_max = 0;
};

// Of every association, also of those that were deleted, the account it hangs from; 0: none.
std::map<AssociationId, AssociationId> parents_in(const AccountBook& book);
std::shared_ptr<const Ranking> make_ranking(const State& state, WallTime as_of);
// After every event: makes a new ranking when it is due.
void keep_ranking(State& state, const Now& now);
// When keep_ranking() is to be called again at the latest; none: nothing changes with time.
std::optional<WallTime> next_ranking(const State& state);
// To be told of each run that is over, once; `times` and `allocation` are the run's. Without an
// association, or a start, it is not counted.
void count_run(State& state, const JobRecord& record, const JobTimes& times,
               const Allocation& allocation, const Now& now);

struct TresFactor {
  std::string tres;
  double factor = 0;
};

// 0..1, but for PriorityFlags=NO_NORMAL_*. Those whose weight is 0 are 0, as in Slurm.
struct PriorityFactors {
  double age = 0;
  double association = 0;
  double fair_share = 0;
  double job_size = 0;
  double partition = 0;
  double qos = 0;
  std::vector<TresFactor> tres;  // those with a weight
};

bool has_flag(const PriorityConfig& config, PriorityFlag flag);
// In that partition of the job's list.
PriorityFactors factors_of(const Ranking& ranking, const JobRecord& record,
                           const std::string& partition);
// Of its list the one that gives most: in which the job has its priority.
const std::string& partition_of_priority(const Ranking& ranking, const JobRecord& record);

// The number; 0: it is held.
std::uint64_t priority_of(const Ranking& ranking, const JobRecord& record);
// What is shown: of a job that started, the number it started with, unless CALCULATE_RUNNING.
std::uint64_t shown_priority(const Ranking& ranking, const JobRecord& record);

// The same for many jobs that differ by age alone.
class GroupPriority {
 public:
  GroupPriority(const Ranking& ranking, const JobRecord& any);
  std::uint64_t of(const JobRecord& record) const;

 private:
  const Ranking* ranking_;
  std::optional<std::uint64_t> fixed_;  // does not depend on age
  double without_age_ = 0;
};

// Where a job stands among those that differ by age alone: the smaller goes first. Equal where age
// counts for nothing.
WallTime queued_since(const Ranking& ranking, const JobRecord& record);
bool queues_alike(const Ranking& a, const Ranking& b);

// PriorityTier; 0: no such partition.
std::uint32_t tier_of(const ClusterConfig& config, const std::string& partition);
// What the planner goes by: the tier before the priority. A double holds it exactly.
std::uint64_t in_line(std::uint32_t tier, std::uint64_t priority);

// Somebody has used sacctmgr; else no job has an association, and nothing is to be counted.
bool has_accounts(const AccountBook& book);

}  // namespace sluice
