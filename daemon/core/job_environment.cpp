// job_environment.cpp: one line a variable.
#include "daemon/core/job_environment.h"

#include <fmt/format.h>

#include "common/base/hostlist.h"

namespace sluice {
namespace {

class Environment {
 public:
  template <class Value>
  void set(const char* name, const Value& value) {
    list_.push_back(fmt::format("{}={}", name, value));
  }
  template <class Value>
  void set_if(const char* name, const std::optional<Value>& value) {
    if (value) set(name, *value);
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

// "2,1" or "4(x2)": one number a node, equal neighbours counted.
std::string per_node(const Allocation& allocation, std::uint32_t NodeShare::*member) {
  std::string text;
  for (std::size_t i = 0; i < allocation.shares.size();) {
    const std::uint32_t value = allocation.shares[i].*member;
    std::size_t end = i;
    while (end < allocation.shares.size() && allocation.shares[end].*member == value) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", value);
    if (end - i > 1) text += fmt::format("(x{})", end - i);
    i = end;
  }
  return text;
}

// As it was given: "2", "a100:1,v100:1".
std::optional<std::string> gpus_text(const std::vector<GresCount>& list) {
  std::string text;
  for (const GresCount& gres : list) {
    if (gres.name != "gpu") continue;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ",", gres.type,
                        gres.type.empty() ? "" : ":", gres.count);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::uint32_t> gpus_on(const NodeShare& share) {
  std::uint32_t gpus = 0;
  for (const GresCount& gres : share.gres)
    if (gres.name == "gpu") gpus += gres.count;
  return gpus > 0 ? std::optional(gpus) : std::nullopt;
}

std::string nodelist(const Allocation& allocation) {
  std::vector<std::string> names;
  for (const NodeShare& share : allocation.shares) names.push_back(share.node);
  return compress_hostlist(names);
}

void set_job(Environment& env, const JobRecord& record, const JobSpec& spec) {
  env.set("SLURM_JOB_ID", record.id.value);
  env.set("SLURM_JOBID", record.id.value);
  env.set("SLURM_JOB_NAME", spec.name);
  env.set("SLURM_JOB_PARTITION", record.partition);
  env.set("SLURM_JOB_UID", spec.uid);
  env.set("SLURM_JOB_GID", spec.gid);
  env.set("SLURM_JOB_USER", spec.user);
  if (!spec.account.empty()) env.set("SLURM_JOB_ACCOUNT", spec.account);
  if (!spec.qos.empty()) env.set("SLURM_JOB_QOS", spec.qos);
  if (!record.reservation.empty()) env.set("SLURM_JOB_RESERVATION", record.reservation);
  if (record.run.value > 0) env.set("SLURM_RESTART_COUNT", record.run.value);
  env.set("SLURM_SUBMIT_DIR", spec.batch.submit_dir);
  env.set("SLURM_SUBMIT_HOST", spec.batch.submit_host);
  env.set("SLURM_PRIO_PROCESS", 0);
  if (!spec.batch.export_mode.empty()) env.set("SLURM_EXPORT_ENV", spec.batch.export_mode);
}

void set_size(Environment& env, const JobRecord& record, const JobSpec& spec) {
  const Allocation& allocation = record.allocation;
  const std::string nodes = nodelist(allocation);
  for (const char* name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) env.set(name, nodes);
  for (const char* name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"})
    env.set(name, allocation.shares.size());
  env.set("SLURM_NODE_ALIASES", "(null)");
  env.set("SLURM_JOB_CPUS_PER_NODE", per_node(allocation, &NodeShare::cpus));
  env.set("SLURM_TASKS_PER_NODE", per_node(allocation, &NodeShare::tasks));
  if (spec.request.ntasks || spec.request.ntasks_per_node) {
    std::uint32_t tasks = 0;
    for (const NodeShare& share : allocation.shares) tasks += share.tasks;
    env.set("SLURM_NTASKS", tasks);
    env.set("SLURM_NPROCS", tasks);
  }
  const ResourceRequest& asked = spec.request;
  env.set_if("SLURM_NTASKS_PER_NODE", asked.ntasks_per_node);
  env.set_if("SLURM_NTASKS_PER_SOCKET", asked.ntasks_per_socket);
  env.set_if("SLURM_NTASKS_PER_CORE", asked.ntasks_per_core);
  env.set_if("SLURM_NTASKS_PER_GPU", asked.ntasks_per_gpu);
  env.set_if("SLURM_CPUS_PER_TASK", asked.cpus_per_task);
  env.set_if("SLURM_CPUS_PER_GPU", asked.cpus_per_gpu);
  env.set_if("SLURM_MEM_PER_NODE", asked.mem_per_node_mb);
  env.set_if("SLURM_MEM_PER_CPU", asked.mem_per_cpu_mb);
  env.set_if("SLURM_MEM_PER_GPU", asked.mem_per_gpu_mb);
  env.set_if("SLURM_GPUS", gpus_text(asked.gpus));
  env.set_if("SLURM_GPUS_PER_NODE", gpus_text(asked.gres_per_node));
  env.set_if("SLURM_GPUS_PER_SOCKET", gpus_text(asked.gpus_per_socket));
  env.set_if("SLURM_GPUS_PER_TASK", gpus_text(asked.gpus_per_task));
}

void set_array(Environment& env, const JobRecord& record, const JobSpec& spec) {
  if (!record.array || !record.array->task) return;
  const IndexSet& tasks = spec.start.array.tasks;
  env.set("SLURM_ARRAY_JOB_ID", record.array->array_id.value);
  env.set("SLURM_ARRAY_TASK_ID", *record.array->task);
  env.set("SLURM_ARRAY_TASK_COUNT", tasks.size());
  env.set("SLURM_ARRAY_TASK_MIN", tasks.front().value_or(0));
  env.set("SLURM_ARRAY_TASK_MAX", tasks.back().value_or(0));
  env.set("SLURM_ARRAY_TASK_STEP", tasks.ranges.size() == 1 ? tasks.ranges.front().step : 1);
}

void set_node(Environment& env, const NodeShare& share, std::size_t share_index,
              const ClusterConfig& config) {
  env.set("SLURMD_NODENAME", share.node);
  env.set("SLURM_CLUSTER_NAME", config.cluster_name);
  env.set("SLURM_WORKING_CLUSTER",
          fmt::format("{}:{}:{}:9728:109", config.cluster_name, config.controller_address,
                      config.controller_port));
  env.set("SLURM_CPUS_ON_NODE", share.cpus);
  env.set_if("SLURM_GPUS_ON_NODE", gpus_on(share));
  env.set("SLURM_NODEID", share_index);
  for (const char* name : {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_GTIDS"}) env.set(name, 0);
  env.set("SLURM_TOPOLOGY_ADDR", share.node);
  env.set("SLURM_TOPOLOGY_ADDR_PATTERN", "node");
  env.set("ENVIRONMENT", "BATCH");
  env.set("HOSTNAME", share.node);
}

}  // namespace

std::vector<std::string> job_environment(const JobRecord& record, const JobSpec& spec,
                                         std::size_t share_index, const ClusterConfig& config) {
  Environment env;
  set_job(env, record, spec);
  set_size(env, record, spec);
  set_array(env, record, spec);
  set_node(env, record.allocation.shares[share_index], share_index, config);
  return env.take();
}

}  // namespace sluice
