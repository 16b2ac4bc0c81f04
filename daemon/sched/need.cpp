// need.cpp: the arithmetic of one node.
#include "daemon/sched/need.h"

#include <algorithm>
#include <limits>

#include "daemon/sched/fit.h"

namespace sluice {
namespace {

constexpr std::uint32_t tasks_any = std::numeric_limits<std::uint32_t>::max();

// No product of what users say may wrap to something small.
std::uint64_t times(std::uint64_t left, std::uint64_t right) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? UINT64_MAX : product;
}

std::uint64_t gpus_in(const std::vector<GresCount>& list) {
  std::uint64_t total = 0;
  for (const GresCount& gres : list)
    if (gres.name == "gpu") total += gres.count;
  return total;
}

std::uint64_t gpus_of(const Demand& demand, const Load& load) {
  std::uint64_t total = gpus_in(demand.gres_per_node);
  for (std::uint32_t gpus : load.gpus) total += gpus;
  const std::uint64_t of_tasks = times(gpus_in(demand.gpus_per_task), load.tasks);
  return of_tasks > UINT64_MAX - total ? UINT64_MAX : total + of_tasks;
}

bool has_room(const Demand& demand, const NodeView& node, const Load& load) {
  return cpus_needed(demand, node.shape, load) <= free_cpus(node) &&
         mem_mb_for(demand, node.shape, load) <= free_mem_mb(node) &&
         std::all_of(demand.gpus_per_task.begin(), demand.gpus_per_task.end(), [&](GresCount want) {
           const std::uint64_t count = std::uint64_t{want.count} * load.tasks;
           want.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, tasks_any));
           return gres_fits(node.shape.gres, node.gres_used, want);
         });
}

std::uint32_t tasks_at_most(const Demand& demand, const NodeView& node) {
  std::uint64_t tasks =
      std::min(demand.ntasks, free_cpus(node) / std::max(1U, demand.cpus_per_task));
  if (demand.ntasks_per_node > 0) tasks = demand.ntasks_per_node;
  if (demand.ntasks_per_socket > 0)
    tasks = std::min(tasks, std::uint64_t{node.shape.sockets} * demand.ntasks_per_socket);
  return static_cast<std::uint32_t>(tasks);
}

// The highest count in [0, most] that `fits`; what fits falls with the count.
template <class Fits>
std::uint32_t highest(std::uint32_t most, Fits fits) {
  if (most == 0 || fits(most)) return most;
  std::uint32_t good = 0;
  std::uint32_t bad = most;
  while (bad - good > 1) {
    const std::uint32_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

Load least_load(const Demand& demand) {
  Load load{.tasks = std::max(1U, demand.ntasks_per_node), .gpus = {}};
  // Of several kinds asked for together a node need have only one.
  if (!demand.gpus.empty()) load.gpus.assign(1, 1);
  return load;
}

std::uint64_t cpus_needed(const Demand& demand, const NodeShape& node, const Load& load) {
  std::uint64_t cpus = std::uint64_t{load.tasks} * demand.cpus_per_task;
  if (demand.ntasks_per_core > 0) {
    const std::uint64_t per_core = demand.ntasks_per_core;
    cpus = std::max(cpus, (load.tasks + per_core - 1) / per_core * node.threads_per_core);
  }
  cpus = std::max<std::uint64_t>(cpus, demand.cpus_per_node_min);
  if (demand.cpus_per_gpu > 0)
    cpus = std::max(cpus, times(demand.cpus_per_gpu, gpus_of(demand, load)));
  return cpus;
}

std::uint64_t mem_mb_for(const Demand& demand, const NodeShape& node, const Load& load) {
  if (demand.mem_whole_node) return node.mem_mb;
  if (demand.mem_per_gpu_mb > 0) return times(demand.mem_per_gpu_mb, gpus_of(demand, load));
  if (demand.mem_per_cpu_mb > 0)
    return times(demand.mem_per_cpu_mb, cpus_needed(demand, node, load));
  return demand.mem_per_node_mb;
}

std::vector<GresCount> gres_for(const Demand& demand, const Load& load) {
  std::vector<GresCount> gres = demand.gres_per_node;
  for (GresCount per_task : demand.gpus_per_task) {
    per_task.count *= load.tasks;
    gres.push_back(std::move(per_task));
  }
  for (std::size_t kind = 0; kind < load.gpus.size(); ++kind)
    if (load.gpus[kind] > 0)
      gres.push_back({demand.gpus[kind].name, demand.gpus[kind].type, load.gpus[kind]});
  return gres;
}

std::uint32_t free_cpus(const NodeView& node) {
  return node.shape.cpus > node.cpus_used ? node.shape.cpus - node.cpus_used : 0;
}

std::uint64_t free_mem_mb(const NodeView& node) {
  return node.shape.mem_mb > node.mem_used_mb ? node.shape.mem_mb - node.mem_used_mb : 0;
}

std::uint32_t task_capacity(const Demand& demand, const NodeView& node) {
  Load load = least_load(demand);
  const std::uint32_t most = tasks_at_most(demand, node);
  const std::uint32_t tasks = highest(most, [&](std::uint32_t count) {
    load.tasks = count;
    return has_room(demand, node, load);
  });
  return tasks >= demand.ntasks_per_node ? tasks : 0;
}

std::vector<std::uint32_t> gpu_capacity(const Demand& demand, const NodeView& node) {
  std::vector<std::uint32_t> capacity;
  for (const GresCount& kind : demand.gpus) {
    capacity.push_back(highest(kind.count, [&](std::uint32_t count) {
      const Load load{.tasks = 1, .gpus = {count}};
      return has_room(demand, node, load) &&
             gres_fits(node.shape.gres, node.gres_used, {kind.name, kind.type, count});
    }));
  }
  return capacity;
}

bool has_topology(const NodeShape& node) {
  const std::uint64_t cores = std::uint64_t{node.sockets} * node.cores_per_socket;
  return cores * node.threads_per_core == node.cpus || cores == node.cpus;
}

}  // namespace sluice
