// site.h: what a request is judged by beside itself: the configuration, the accounts, the nodes and
// the reservations of one moment. It is made of the live state, or of what a reader was given
// (outlook.h), so that both judge alike. Only files of this folder include it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/core/state.h"

namespace sluice {

// All that it refers to outlives it.
struct Site {
  Site(const State& state);  // NOLINT(google-explicit-constructor): a state is one
  explicit Site(const Outlook& outlook);

  const PartitionConfig* find_partition(const std::string& name) const;

  const ClusterConfig& config;
  const LimitRules& limit_rules;
  const std::vector<PartitionView>& partitions;  // in the order of the configuration
  const IdTable<NodeView>& nodes;
  const std::map<std::string, Reservation>& reservations;
};

}  // namespace sluice
