// shapes.cpp: see shapes.h.
#include "daemon/core/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "daemon/core/associate.h"
#include "daemon/core/outlook.h"
#include "daemon/core/priority.h"
#include "daemon/core/reservations.h"

namespace sluice {

Site::Site(const State& state)
    : config(*state.config),
      limit_rules(*state.limit_rules),
      partitions(*state.partitions),
      nodes(state.node_views),
      reservations(*state.reservations) {}

Site::Site(const Outlook& outlook)
    : config(*outlook.config),
      limit_rules(*outlook.limit_rules),
      partitions(*outlook.view.partitions),
      nodes(outlook.view.nodes),
      reservations(*outlook.reservations) {}

const PartitionConfig* Site::find_partition(const std::string& name) const {
  for (const PartitionConfig& partition : config.partitions)
    if (partition.name == name) return &partition;
  return nullptr;
}

OpenChoices open_choices(const Site& site, const JobRecord& record, const JobSpec& spec) {
  OpenChoices open;
  std::vector<PartitionChoice>& choices = open.choices;
  for (Standing& standing : standings_of(site.config, record)) {
    if (standing.is_open()) standing.wait = account_wait(site, standing.choice.partition, spec);
    if (standing.is_open()) choices.push_back(std::move(standing.choice));
    else open.closed.push_back(std::move(standing));
  }
  if (choices.empty()) {
    open.wait = open.closed.front().wait;
    return open;
  }
  std::stable_sort(choices.begin(), choices.end(), [&](const auto& a, const auto& b) {
    return tier_of(site.config, a.partition) > tier_of(site.config, b.partition);
  });
  const std::vector<std::string>& asked = spec.placement.reservations;
  if (asked.empty()) return open;
  std::erase_if(choices, [&](const PartitionChoice& choice) {
    return usable_reservations(site, spec, choice.partition).empty();
  });
  if (choices.empty())
    open.wait = {Reason::Reservation,
                 fmt::format("access to reservation {} is denied", fmt::join(asked, ","))};
  return open;
}

ClassShapes shapes_of(const Site& site, const JobSpec& spec,
                      const std::vector<PartitionChoice>& choices) {
  ClassShapes of;
  for (const PartitionChoice& choice : choices) {
    std::vector<std::string> usable = usable_reservations(site, spec, choice.partition);
    if (spec.placement.reservations.empty()) usable.emplace_back();  // outside of all
    for (const std::string& reservation : usable) {
      of.shapes.push_back({choice.partition, choice.demand, spec.placement, choice.time_limit,
                           spec.start.time_min, reservation});
      if (site.limit_rules.in_force)
        of.subjects.push_back(
            site.limit_rules.subject(choice.association, choice.qos, choice.partition));
    }
  }
  return of;
}

JobAmounts least_amounts_of(const JobShape& shape) {
  return least_amounts(shape.demand, shape.time_min ? shape.time_min : shape.time_limit);
}

}  // namespace sluice
