// job_amounts.cpp: what a start takes, or takes at the least, as limits count it (limits.h).
#include <algorithm>

#include "common/model/tres_counts.h"
#include "daemon/core/limits.h"

namespace sluice {
namespace {

void add_all_licenses(TresCounts& counts, const std::vector<LicenseCount>& licenses) {
  for (const LicenseCount& license : licenses)
    add_tres(counts, "license/" + license.name, license.count);
}

}  // namespace

JobAmounts amounts_of(const std::vector<NodeShare>& shares,
                      const std::vector<LicenseCount>& licenses,
                      const std::optional<TimeLimit>& limit) {
  JobAmounts amounts;
  amounts.time_limit = limit;
  for (const NodeShare& share : shares) {
    TresCounts here;
    add_tres(here, "cpu", share.cpus);
    add_tres(here, "billing", share.cpus);
    add_tres(here, "mem", share.mem_mb);
    add_tres(here, "node", 1);
    for (const GresCount& gres : share.gres) add_gres(here, gres, 1);
    for (const TresCount& row : here) {
      add_tres(amounts.total, row.tres, row.count);
      const std::uint64_t most = count_of(amounts.on_one_node, row.tres);
      if (row.count > most) add_tres(amounts.on_one_node, row.tres, row.count - most);
    }
  }
  add_all_licenses(amounts.total, licenses);
  return amounts;
}

JobAmounts least_amounts(const Demand& demand, const std::optional<TimeLimit>& limit) {
  JobAmounts amounts;
  amounts.time_limit = limit;
  const std::uint64_t nodes = demand.nodes_min;
  const std::uint64_t cpus = std::max<std::uint64_t>(
      std::uint64_t{demand.ntasks} * demand.cpus_per_task, nodes * demand.cpus_per_node_min);
  const std::uint64_t tasks_on_one =
      (demand.ntasks + std::max(1U, demand.nodes_max) - 1) / std::max(1U, demand.nodes_max);
  TresCounts& total = amounts.total;
  add_tres(total, "cpu", cpus);
  add_tres(total, "billing", cpus);
  add_tres(total, "node", nodes);
  add_tres(total, "mem", demand.mem_per_node_mb * nodes + demand.mem_per_cpu_mb * cpus);
  TresCounts& one = amounts.on_one_node;
  add_tres(one, "cpu", tasks_on_one * demand.cpus_per_task);
  add_tres(one, "mem",
           demand.mem_per_node_mb + demand.mem_per_cpu_mb * tasks_on_one * demand.cpus_per_task);
  for (const GresCount& gres : demand.gres_per_node) {
    add_gres(total, gres, nodes);
    add_gres(one, gres, 1);
  }
  for (const GresCount& gres : demand.gpus) add_gres(total, gres, 1);
  for (const GresCount& gres : demand.gpus_per_task) add_gres(total, gres, demand.ntasks);
  add_all_licenses(total, demand.licenses);
  return amounts;
}

}  // namespace sluice
