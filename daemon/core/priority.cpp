// priority.cpp: the factors of a job, and their sum. Source of the formulas: Slurm's "Multifactor
// Priority Plugin" page, sections named below.
#include "daemon/core/priority.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr std::uint64_t priority_max = 0xffff'ffff;
constexpr std::uint64_t basic_start = 4'294'000'000;

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

const PartitionConfig* find_partition(const ClusterConfig& config, const std::string& name) {
  for (const PartitionConfig& partition : config.partitions)
    if (partition.name == name) return &partition;
  return nullptr;
}

// "Age factor": from when it could first start; with ACCRUE_ALWAYS from its submit.
std::optional<WallTime> age_begins(const PriorityConfig& config, const JobRecord& record) {
  if (has_flag(config, PriorityFlag::ACCRUE_ALWAYS)) return record.times.submitted;
  if (record.times.eligible == WallTime{}) return std::nullopt;
  return record.times.eligible;
}

double age_factor(const Ranking& ranking, const JobRecord& record) {
  const PriorityConfig& config = ranking.config->priority;
  const std::optional<WallTime> since = age_begins(config, record);
  if (config.weights.age == 0 || !since || ranking.as_of <= *since) return 0;
  const double waited_s = seconds_of(ranking.as_of - *since);
  const double max_s = 60.0 * config.max_age_min;
  return waited_s < max_s ? waited_s / max_s : 1;
}

// "Job Size factor". A job that says no time limit counts with its partition's.
double job_size_factor(const Ranking& ranking, const JobRecord& record) {
  const PriorityConfig& config = ranking.config->priority;
  if (config.weights.job_size == 0 || ranking.nodes == 0 || ranking.cpus == 0) return 0;
  const double nodes = record.demand.nodes_min;
  const double cpus = static_cast<double>(count_of(asked_tres(record.demand), "cpu"));
  double factor = 0;
  if (has_flag(config, PriorityFlag::SMALL_RELATIVE_TO_TIME)) {
    const std::optional<Duration> limit = length_of(record.time_limit);
    // Slurm's number for an unlimited time is as good as infinite.
    const double minutes = limit ? std::max(1.0, seconds_of(*limit) / 60) : HUGE_VAL;
    factor = std::max(nodes * ranking.cpus / ranking.nodes, cpus) / minutes / ranking.cpus;
    if (config.favor_small) factor = 1 - factor;
  } else {
    factor = (nodes / ranking.nodes + cpus / ranking.cpus) / 2;
    if (config.favor_small) factor = 1 - factor;
  }
  return std::clamp(factor, 0.0, 1.0);
}

double normalised(const PriorityConfig& config, PriorityFlag raw, std::uint32_t value,
                  std::uint32_t highest) {
  if (has_flag(config, raw) || has_flag(config, PriorityFlag::NO_NORMAL_ALL)) return value;
  return highest == 0 ? 0 : static_cast<double>(value) / highest;
}

double partition_factor(const Ranking& ranking, const std::string& name) {
  const PriorityConfig& config = ranking.config->priority;
  const PartitionConfig* partition = find_partition(*ranking.config, name);
  if (config.weights.partition == 0 || !partition) return 0;
  return normalised(config, PriorityFlag::NO_NORMAL_PART, partition->priority_job_factor,
                    ranking.partition_factor_max);
}

double qos_factor(const Ranking& ranking, const JobRecord& record) {
  const PriorityConfig& config = ranking.config->priority;
  const auto qos = ranking.accounts->qos.find(record.qos);
  if (config.weights.qos == 0 || qos == ranking.accounts->qos.end()) return 0;
  return normalised(config, PriorityFlag::NO_NORMAL_QOS, qos->second.priority,
                    ranking.qos_priority_max);
}

double association_factor(const Ranking& ranking, const JobRecord& record) {
  const PriorityConfig& config = ranking.config->priority;
  const auto row = ranking.accounts->associations.find(record.association);
  if (config.weights.association == 0 || row == ranking.accounts->associations.end()) return 0;
  return normalised(config, PriorityFlag::NO_NORMAL_ASSOC, row->second.priority,
                    ranking.association_priority_max);
}

// "Fair-share factor": of the user's place in the tree; a job without an association has none.
double fair_share_factor(const Ranking& ranking, const JobRecord& record) {
  const auto rank = ranking.associations.find(record.association);
  if (ranking.config->priority.weights.fair_share == 0 || rank == ranking.associations.end())
    return 0;
  return rank->second.share.factor;
}

// "TRES factors": of what the partition has; licenses of what the site has.
std::vector<TresFactor> tres_factors(const Ranking& ranking, const JobRecord& record,
                                     const std::string& partition) {
  const PriorityConfig& config = ranking.config->priority;
  std::vector<TresFactor> factors;
  if (config.weights.tres.empty()) return factors;
  TresCounts asked = asked_tres(record.demand);
  if (count_of(asked, "billing") == 0)
    asked.push_back({"billing", billing_of(*ranking.config, partition, asked)});
  const bool is_raw = has_flag(config, PriorityFlag::NO_NORMAL_TRES) ||
                      has_flag(config, PriorityFlag::NO_NORMAL_ALL);
  static const TresCounts nothing;
  const auto of = ranking.partition_tres.find(partition);
  const TresCounts& nodes = of == ranking.partition_tres.end() ? nothing : of->second;
  for (const TresCount& weight : config.weights.tres) {
    const double count = static_cast<double>(count_of(asked, weight.tres));
    const double all = static_cast<double>(
        std::max(count_of(nodes, weight.tres), count_of(ranking.licenses, weight.tres)));
    factors.push_back({weight.tres, is_raw ? count : all > 0 ? std::min(1.0, count / all) : 0});
  }
  return factors;
}

// All but the age, times the weights.
double sum_without_age(const PriorityWeights& weights, const PriorityFactors& factors) {
  double sum = factors.association * weights.association + factors.fair_share * weights.fair_share +
               factors.job_size * weights.job_size + factors.partition * weights.partition +
               factors.qos * weights.qos;
  for (const TresFactor& factor : factors.tres)
    sum += factor.factor * static_cast<double>(count_of(weights.tres, factor.tres));
  return sum;
}

PriorityFactors factors_without_age(const Ranking& ranking, const JobRecord& record,
                                    const std::string& partition) {
  PriorityFactors factors;
  factors.association = association_factor(ranking, record);
  factors.fair_share = fair_share_factor(ranking, record);
  factors.job_size = job_size_factor(ranking, record);
  factors.partition = partition_factor(ranking, partition);
  factors.qos = qos_factor(ranking, record);
  factors.tres = tres_factors(ranking, record, partition);
  return factors;
}

// 0 is for held jobs alone.
std::uint64_t as_number(double sum) {
  if (sum < 1) return 1;
  return sum >= static_cast<double>(priority_max) ? priority_max : static_cast<std::uint64_t>(sum);
}

bool goes_by_age(const Ranking& ranking) {
  const PriorityConfig& config = ranking.config->priority;
  return config.multifactor && config.weights.age > 0;
}

}  // namespace

bool has_flag(const PriorityConfig& config, PriorityFlag flag) {
  return std::find(config.flags.begin(), config.flags.end(), flag) != config.flags.end();
}

PriorityFactors factors_of(const Ranking& ranking, const JobRecord& record,
                           const std::string& partition) {
  PriorityFactors factors = factors_without_age(ranking, record, partition);
  factors.age = age_factor(ranking, record);
  return factors;
}

const std::string& partition_of_priority(const Ranking& ranking, const JobRecord& record) {
  if (record.choices.empty()) return record.partition;
  const std::string* best = &record.choices.front().partition;
  double most = -1;
  for (const PartitionChoice& choice : record.choices) {
    const double sum = sum_without_age(ranking.config->priority.weights,
                                       factors_without_age(ranking, record, choice.partition));
    if (sum > most) best = &choice.partition;
    most = std::max(most, sum);
  }
  return *best;
}

GroupPriority::GroupPriority(const Ranking& ranking, const JobRecord& any) : ranking_(&ranking) {
  const PriorityConfig& config = ranking.config->priority;
  if (any.priority_asked) {
    fixed_ = *any.priority_asked;
  } else if (!config.multifactor) {
    fixed_ = basic_start - static_cast<std::uint64_t>(static_cast<std::int64_t>(any.nice));
  } else {
    without_age_ =
        sum_without_age(config.weights,
                        factors_without_age(ranking, any, partition_of_priority(ranking, any))) -
        any.nice;
  }
}

std::uint64_t GroupPriority::of(const JobRecord& record) const {
  if (fixed_) return *fixed_;
  return as_number(without_age_ +
                   age_factor(*ranking_, record) * ranking_->config->priority.weights.age);
}

std::uint64_t priority_of(const Ranking& ranking, const JobRecord& record) {
  if (record.hold != Hold::none) return 0;
  return GroupPriority(ranking, record).of(record);
}

std::uint64_t shown_priority(const Ranking& ranking, const JobRecord& record) {
  const bool is_derived = record.state == JobState::pending ||
                          (record.state != JobState::ended &&
                           has_flag(ranking.config->priority, PriorityFlag::CALCULATE_RUNNING));
  return is_derived && record.hold == Hold::none ? priority_of(ranking, record) : record.priority;
}

WallTime queued_since(const Ranking& ranking, const JobRecord& record) {
  if (!goes_by_age(ranking)) return {};
  return age_begins(ranking.config->priority, record).value_or(WallTime::max());
}

bool queues_alike(const Ranking& a, const Ranking& b) {
  return goes_by_age(a) == goes_by_age(b) &&
         has_flag(a.config->priority, PriorityFlag::ACCRUE_ALWAYS) ==
             has_flag(b.config->priority, PriorityFlag::ACCRUE_ALWAYS);
}

std::uint32_t tier_of(const ClusterConfig& config, const std::string& name) {
  const PartitionConfig* partition = find_partition(config, name);
  return partition ? partition->priority_tier : 0;
}

std::uint64_t in_line(std::uint32_t tier, std::uint64_t priority) {
  constexpr std::uint64_t tier_max = 0xf'ffff;
  return std::min<std::uint64_t>(tier, tier_max) << 32 | std::min(priority, priority_max);
}

}  // namespace sluice
