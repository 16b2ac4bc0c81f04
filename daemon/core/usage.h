// usage.h: what associations used of the machine, as it counts now: the sum over all allocations,
// each second of which counts half as much after a half-life. A book is a function of the
// allocations that were added, of the rule and of the moment it is read for: what is added in
// another order, or anew after a restart, gives the same sums but for rounding. It keeps no list of
// allocations: those that held the same count as one entry, in closed form. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/model/accounting.h"
#include "common/model/config.h"
#include "common/model/job.h"
#include "common/model/tres_counts.h"

namespace sluice {

struct Span {
  WallTime from;
  WallTime until;  // exclusive; before `from`: nothing
};

// Allocations that count alike.
struct UseKey {
  AssociationId association;
  QosId qos;
  std::string partition;
  TresCounts tres;  // held: cpu, mem (MB), node, gres/..., license/...

  bool operator==(const UseKey&) const = default;
};
struct UseKeyLess {
  bool operator()(const UseKey& a, const UseKey& b) const;
};

// When usage begins to count: the start of the period that `now` is in (local time), or none.
std::optional<WallTime> period_start(UsageReset reset, WallTime now);
// What ended before counts for nothing any more, by the period or because so many half-lives passed
// that less than a billionth is left of it. Epoch: all counts.
WallTime counts_from(const PriorityConfig& config, WallTime now);
// Of a second at its end: integral of 2^(-age/half_life) over the span, in seconds, as of `as_of`,
// which is not before its end. Half-life 0: its length.
double decayed_seconds(const Span& span, WallTime as_of, Duration half_life);

class UsageBook {
 public:
  // The rule, and that it is `now`: a period that began since empties the book. What is in it keeps
  // its value when the half-life changes. `restarts`: of a start or a new configuration, when
  // UsageReset::NOW empties it.
  void advance(const PriorityConfig& config, WallTime now, bool restarts = false);
  // The part of the span that counts. After advance().
  void add(const UseKey& key, const Span& span);
  // The part of a span that counts, in seconds, decayed as of `as_of`: of an allocation that is
  // still held.
  double open_seconds(const Span& span, WallTime as_of) const;
  // In the order of keys: the seconds, decayed as of `as_of`.
  void for_each(WallTime as_of,
                const std::function<void(const UseKey& key, double seconds)>& take) const;
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    double mass = 0;  // its seconds as they counted at half-life number `origin_`
    WallTime last;    // the latest end
  };
  double weight(WallTime at) const;
  void set_half_life(Duration half_life, WallTime now);
  Span clipped(Span span) const;

  std::map<UseKey, Entry, UseKeyLess> entries_;
  Duration half_life_{};
  WallTime from_;  // nothing before counts, by the period
  std::int64_t origin_ = 0;
  WallTime swept_;  // when what no longer counts was last looked for
};

// What is held on all nodes together; ascending.
TresCounts allocated_tres(const Allocation& allocation, const std::vector<LicenseCount>& licenses);
// What a waiting job asks for at least; ascending.
TresCounts asked_tres(const Demand& demand);

// By the partition's TRESBillingWeights; the CPUs where there are none. With MAX_TRES the largest
// of what is of nodes, and the licenses. Without a fraction.
std::uint64_t billing_of(const ClusterConfig& config, const std::string& partition,
                         const TresCounts& tres);

UseKey use_key(const JobRecord& record, const Allocation& allocation);

}  // namespace sluice
