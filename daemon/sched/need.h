// need.h: what so many tasks and GPUs of a job take of a node, and how many a node can take. Pure.
// GPUs are counted here; which of them a job gets is not decided yet.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/sched/view.h"

namespace sluice {

// Of one node. `gpus` are those a job asked for as a whole (--gpus), one number for each kind of
// Demand::gpus; what is asked by node and by task follows from the tasks.
struct Load {
  std::uint32_t tasks = 1;
  std::vector<std::uint32_t> gpus;
};

// The least that a node of the job carries.
Load least_load(const Demand& demand);

// A job that has the node for itself is given all its cpus all the same.
std::uint64_t cpus_needed(const Demand& demand, const NodeShape& node, const Load& load);
std::uint64_t mem_mb_for(const Demand& demand, const NodeShape& node, const Load& load);
std::vector<GresCount> gres_for(const Demand& demand, const Load& load);

std::uint32_t free_cpus(const NodeView& node);
std::uint64_t free_mem_mb(const NodeView& node);

// The most tasks that fit into what is free; with --ntasks-per-node these, or none. 0: none.
std::uint32_t task_capacity(const Demand& demand, const NodeView& node);
// For each kind of Demand::gpus the most that fit beside one task.
std::vector<std::uint32_t> gpu_capacity(const Demand& demand, const NodeView& node);

// Sockets and cores that --ntasks-per-socket and --ntasks-per-core count by.
bool has_topology(const NodeShape& node);

}  // namespace sluice
