// usage.cpp: the integral in closed form. A moment is a whole number of half-lives and a fraction,
// so that moving the origin by whole half-lives is exact.
#include "daemon/core/usage.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "common/base/calendar.h"
#include "common/model/licenses.h"
#include "common/model/tres_counts.h"

namespace sluice {
namespace {

constexpr int half_lives_kept = 30;              // 2^-30 is left
constexpr std::int64_t exponent_max = 900;       // of two; a double ends at 1023
constexpr std::int64_t origin_behind_max = 256;  // half-lives; far from the ends of a double

constexpr Duration sweep_period = std::chrono::hours{1};

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

struct Moment {
  std::int64_t whole;  // half-lives since the epoch
  double part;         // 0..1
};

Moment moment_of(WallTime at, Duration half_life) {
  std::int64_t whole = to_us(at) / half_life.count();
  if (to_us(at) < whole * half_life.count()) --whole;
  const std::int64_t rest = to_us(at) - whole * half_life.count();
  return {whole, static_cast<double>(rest) / static_cast<double>(half_life.count())};
}

// As of its end.
double seconds_at_end(const Span& span, Duration half_life) {
  const double length = seconds_of(span.until - span.from);
  if (length <= 0) return 0;
  if (half_life == Duration::zero()) return length;
  const double half_life_s = seconds_of(half_life);
  return -std::expm1(-std::numbers::ln2 * length / half_life_s) * half_life_s / std::numbers::ln2;
}

Duration half_life_of(const PriorityConfig& config) {
  return std::chrono::minutes{config.half_life_min};
}

bool is_of_nodes(std::string_view tres) { return !tres.starts_with("license/"); }

}  // namespace

bool UseKeyLess::operator()(const UseKey& a, const UseKey& b) const {
  const auto front = [](const UseKey& key) {
    return std::tie(key.association, key.qos, key.partition);
  };
  if (front(a) != front(b)) return front(a) < front(b);
  return std::lexicographical_compare(a.tres.begin(), a.tres.end(), b.tres.begin(), b.tres.end(),
                                      [](const TresCount& x, const TresCount& y) {
                                        return std::tie(x.tres, x.count) <
                                               std::tie(y.tres, y.count);
                                      });
}

std::optional<WallTime> period_start(UsageReset reset, WallTime now) {
  if (reset == UsageReset::NONE || reset == UsageReset::NOW) return std::nullopt;
  LocalDay day = local_day(now);
  switch (reset) {
    case UsageReset::NONE:
    case UsageReset::NOW:
    case UsageReset::DAILY:
      break;
    case UsageReset::WEEKLY:
      day.day -= day.weekday;
      break;
    case UsageReset::MONTHLY:
      day.day = 1;
      break;
    case UsageReset::QUARTERLY:
      day.month -= (day.month - 1) % 3;
      day.day = 1;
      break;
    case UsageReset::YEARLY:
      day.month = 1;
      day.day = 1;
      break;
  }
  return start_of(day);
}

WallTime counts_from(const PriorityConfig& config, WallTime now) {
  WallTime from = period_start(config.usage_reset, now).value_or(WallTime{});
  if (config.usage_reset == UsageReset::NOW) from = now;
  if (config.half_life_min == 0) return from;
  return std::max(from, now - half_lives_kept * half_life_of(config));
}

double decayed_seconds(const Span& span, WallTime as_of, Duration half_life) {
  const double at_end = seconds_at_end(span, half_life);
  if (half_life == Duration::zero()) return at_end;
  return at_end * std::exp2(-seconds_of(as_of - span.until) / seconds_of(half_life));
}

double UsageBook::weight(WallTime at) const {
  if (half_life_ == Duration::zero()) return 1;
  const Moment moment = moment_of(at, half_life_);
  // A clock may be decades from where it was.
  const std::int64_t away =
      std::clamp<std::int64_t>(moment.whole - origin_, -exponent_max, exponent_max);
  return std::ldexp(std::exp2(moment.part), static_cast<int>(away));
}

void UsageBook::set_half_life(Duration half_life, WallTime now) {
  const double before = weight(now);
  half_life_ = half_life;
  if (half_life != Duration::zero()) origin_ = moment_of(now, half_life).whole;
  const double after = weight(now);
  for (auto& [key, entry] : entries_) entry.mass *= after / before;
}

void UsageBook::advance(const PriorityConfig& config, WallTime now, bool restarts) {
  const std::optional<WallTime> start = config.usage_reset == UsageReset::NOW && restarts
                                            ? now
                                            : period_start(config.usage_reset, now);
  if (start && *start > from_) {
    entries_.clear();
    from_ = *start;
  }
  if (config.usage_reset == UsageReset::NONE) from_ = {};
  const Duration half_life = half_life_of(config);
  if (half_life != half_life_) set_half_life(half_life, now);
  if (half_life == Duration::zero()) return;
  const std::int64_t whole = moment_of(now, half_life).whole;
  if (std::abs(whole - origin_) > origin_behind_max) {
    // Of a clock that was set back far: what was used long after now is not known any more.
    const std::int64_t shift = origin_ - whole;
    if (shift > exponent_max) entries_.clear();
    for (auto& [key, entry] : entries_)
      entry.mass = std::ldexp(entry.mass, static_cast<int>(std::max(shift, -exponent_max)));
    origin_ = whole;
  }
  if (now - swept_ < sweep_period && now >= swept_) return;
  swept_ = now;
  const WallTime oldest = counts_from(config, now);
  std::erase_if(entries_, [&](const auto& item) { return item.second.last < oldest; });
}

Span UsageBook::clipped(Span span) const {
  span.from = std::max(span.from, from_);
  return span;
}

void UsageBook::add(const UseKey& key, const Span& span) {
  const Span counted = clipped(span);
  if (counted.until <= counted.from) return;
  Entry& entry = entries_[key];
  entry.mass += seconds_at_end(counted, half_life_) * weight(counted.until);
  entry.last = std::max(entry.last, counted.until);
}

double UsageBook::open_seconds(const Span& span, WallTime as_of) const {
  return decayed_seconds(clipped(span), as_of, half_life_);
}

void UsageBook::for_each(WallTime as_of,
                         const std::function<void(const UseKey& key, double seconds)>& take) const {
  const double now = weight(as_of);
  for (const auto& [key, entry] : entries_) take(key, entry.mass / now);
}

TresCounts allocated_tres(const Allocation& allocation, const std::vector<LicenseCount>& licenses) {
  TresCounts counts;
  for (const NodeShare& share : allocation.shares) {
    add_tres(counts, "cpu", share.cpus);
    add_tres(counts, "mem", share.mem_mb);
    for (const GresCount& gres : share.gres) add_gres(counts, gres, 1);
  }
  add_tres(counts, "node", allocation.shares.size());
  for (const LicenseCount& license : licenses)
    add_tres(counts, "license/" + license.name, license.count);
  return counts;
}

TresCounts asked_tres(const Demand& demand) {
  TresCounts counts;
  const std::uint64_t cpus =
      std::max<std::uint64_t>(std::uint64_t{demand.ntasks} * demand.cpus_per_task,
                              std::uint64_t{demand.cpus_per_node_min} * demand.nodes_min);
  add_tres(counts, "cpu", cpus);
  for (const GresCount& gres : demand.gres_per_node) add_gres(counts, gres, demand.nodes_min);
  for (const GresCount& gres : demand.gpus) add_gres(counts, gres, 1);
  for (const GresCount& gres : demand.gpus_per_task) add_gres(counts, gres, demand.ntasks);
  const std::uint64_t gpus = count_of(counts, "gres/gpu");
  add_tres(counts, "mem",
      demand.mem_per_node_mb * demand.nodes_min + demand.mem_per_cpu_mb * cpus +
          demand.mem_per_gpu_mb * gpus);
  add_tres(counts, "node", demand.nodes_min);
  for (const LicenseCount& license : demand.licenses)
    add_tres(counts, "license/" + license.name, license.count);
  return counts;
}

std::uint64_t billing_of(const ClusterConfig& config, const std::string& name,
                         const TresCounts& tres) {
  const auto partition = std::find_if(config.partitions.begin(), config.partitions.end(),
                                      [&](const PartitionConfig& row) { return row.name == name; });
  if (partition == config.partitions.end() || partition->billing_weights_ppm.empty())
    return count_of(tres, "cpu");
  const std::vector<PriorityFlag>& flags = config.priority.flags;
  const bool takes_largest =
      std::find(flags.begin(), flags.end(), PriorityFlag::MAX_TRES) != flags.end();
  double of_nodes = 0;
  double of_cluster = 0;
  for (const TresCount& weight : partition->billing_weights_ppm) {
    // Memory is counted in MB, its weight is for a GB.
    const double held =
        static_cast<double>(count_of(tres, weight.tres)) / (weight.tres == "mem" ? 1024 : 1);
    const double billed = held * static_cast<double>(weight.count) / 1e6;
    if (!is_of_nodes(weight.tres)) of_cluster += billed;
    else of_nodes = takes_largest ? std::max(of_nodes, billed) : of_nodes + billed;
  }
  return static_cast<std::uint64_t>(of_nodes + of_cluster);
}

UseKey use_key(const JobRecord& record, const Allocation& allocation) {
  return {record.association, record.qos, record.partition,
          allocated_tres(allocation, record.demand.licenses)};
}

}  // namespace sluice
