// resolve_gpus.cpp: the rules, each with the numbers of who contradicts it.
#include "daemon/core/resolve_gpus.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr std::uint64_t count_max = std::numeric_limits<std::uint32_t>::max() - 1;

std::uint64_t gpus_in(const std::vector<GresCount>& list) {
  std::uint64_t total = 0;
  for (const GresCount& gres : list)
    if (gres.name == "gpu") total += gres.count;
  return total;
}

Error contradiction(std::string text) { return Error{ErrorCode::invalid_gres, std::move(text)}; }

// "--gpus=4": what was given, for the errors.
std::string given(const char* option, std::uint64_t gpus) {
  return fmt::format("--{}={}", option, gpus);
}

// Kinds that one number of each can be dealt out by: of different types, all with one.
Result<void> check_kinds(const std::vector<GresCount>& gpus) {
  for (const GresCount& kind : gpus) {
    if (kind.name != "gpu") return contradiction(fmt::format("{} is no GPU", kind.name));
    if (kind.type.empty() && gpus.size() > 1)
      return Error{ErrorCode::not_supported,
                   "GPUs with and without a type in one list (give each a type)"};
    const auto same = [&](const GresCount& other) { return other.type == kind.type; };
    if (std::count_if(gpus.begin(), gpus.end(), same) > 1)
      return contradiction(fmt::format("gpu:{} stands in the list twice", kind.type));
  }
  return {};
}

// Two options that count the same GPUs must mean the same ones.
Result<void> check_types(const ResourceRequest& request) {
  std::optional<std::string> type;
  for (const auto* list :
       {&request.gpus, &request.gres_per_node, &request.gpus_per_socket, &request.gpus_per_task}) {
    std::string types;
    for (const GresCount& gres : *list)
      if (gres.name == "gpu") types += "gpu:" + gres.type + ",";
    if (types.empty()) continue;
    if (type && *type != types)
      return Error{ErrorCode::not_supported,
                   "options that count GPUs of different types (name the same type in each)"};
    type = types;
  }
  return {};
}

// --gpus-per-socket is a number of GPUs on each node.
Result<std::vector<GresCount>> gpus_of_sockets(const ResourceRequest& request) {
  std::vector<GresCount> per_node;
  if (request.gpus_per_socket.empty()) return per_node;
  if (!request.sockets_per_node)
    return contradiction("--gpus-per-socket option requires --sockets-per-node specification");
  if (*request.sockets_per_node == 0) return contradiction("--sockets-per-node=0: one at least");
  TRY(check_kinds(request.gpus_per_socket));
  const std::uint64_t each = gpus_in(request.gpus_per_socket);
  const std::uint64_t whole = each * *request.sockets_per_node;
  if (gpus_in(request.gpus) > 0 && gpus_in(request.gpus) < whole)
    return contradiction(
        "Failed to ensure --gpus >= --gres=gpu/--gpus-per-node >= --gpus-per-socket");
  if (gpus_in(request.gres_per_node) > 0 && gpus_in(request.gres_per_node) != whole)
    return contradiction(fmt::format(
        "{} and --sockets-per-node={} make {} on a node, {}", given("gpus-per-socket", each),
        *request.sockets_per_node, whole, given("gpus-per-node", gpus_in(request.gres_per_node))));
  if (whole > count_max) return contradiction(fmt::format("{} GPUs on each node", whole));
  for (GresCount kind : request.gpus_per_socket) {
    kind.count *= *request.sockets_per_node;
    per_node.push_back(kind);
  }
  return per_node;
}

struct Counts {
  std::uint64_t job = 0;   // --gpus
  std::uint64_t node = 0;  // --gpus-per-node, or gpu in --gres
  std::uint64_t task = 0;  // --gpus-per-task
};

void set_tasks(Demand& demand, std::uint64_t tasks, bool nodes_said) {
  demand.ntasks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tasks, 1, count_max));
  demand.nodes_min = std::min(demand.nodes_min, demand.ntasks);
  if (!nodes_said) demand.nodes_max = std::max(demand.nodes_min, demand.ntasks);
}

// --gpus with --gpus-per-node: the number of nodes.
Result<void> divide_among_nodes(const ResourceRequest& request, const Counts& gpus,
                                Demand& demand) {
  if (gpus.node > gpus.job)
    return contradiction(
        "Failed to ensure --gpus >= --gres=gpu/--gpus-per-node >= --gpus-per-socket");
  if (gpus.job % gpus.node != 0)
    return contradiction(fmt::format("{} is no multiple of {}", given("gpus", gpus.job),
                                     given("gpus-per-node", gpus.node)));
  const std::uint64_t nodes = gpus.job / gpus.node;
  const bool nodes_said = request.nodes_min.has_value();
  if (nodes_said && (nodes < demand.nodes_min || nodes > demand.nodes_max))
    return contradiction(fmt::format("{} and {} make {} nodes, --nodes says {}-{}",
                                     given("gpus", gpus.job), given("gpus-per-node", gpus.node),
                                     nodes, demand.nodes_min, demand.nodes_max));
  demand.nodes_min = demand.nodes_max = static_cast<std::uint32_t>(nodes);
  demand.ntasks = std::max(demand.ntasks, demand.nodes_min);
  return {};
}

// --gpus-per-task with a number of GPUs: the number of tasks, of the job or on each node.
Result<void> divide_among_tasks(const ResourceRequest& request, const Counts& gpus,
                                Demand& demand) {
  const std::uint64_t whole = gpus.job > 0 ? gpus.job : gpus.node;
  const char* option = gpus.job > 0 ? "gpus" : "gpus-per-node";
  if (whole % gpus.task != 0)
    return contradiction(fmt::format("{} is no multiple of {}", given(option, whole),
                                     given("gpus-per-task", gpus.task)));
  const std::uint64_t tasks = whole / gpus.task;
  const std::uint64_t said = gpus.job > 0 ? request.ntasks.value_or(0) : demand.ntasks_per_node;
  if (said > 0 && said != tasks)
    return contradiction(fmt::format("{} and {} make {} tasks, {} are asked for",
                                     given(option, whole), given("gpus-per-task", gpus.task), tasks,
                                     said));
  if (gpus.job > 0) {
    set_tasks(demand, tasks, request.nodes_min.has_value());
    return {};
  }
  demand.ntasks_per_node = static_cast<std::uint32_t>(std::min(tasks, count_max));
  if (!request.ntasks) set_tasks(demand, tasks * demand.nodes_min, request.nodes_min.has_value());
  else if (!request.nodes_min)
    demand.nodes_min = demand.nodes_max =
        static_cast<std::uint32_t>((demand.ntasks + tasks - 1) / tasks);
  return {};
}

// --ntasks-per-gpu: the tasks where GPUs are asked for, else the GPUs.
Result<void> resolve_tasks_per_gpu(const ResourceRequest& request, const Counts& gpus,
                                   Demand& demand) {
  if (!request.ntasks_per_gpu) return {};
  const std::uint64_t each = *request.ntasks_per_gpu;
  if (each == 0) return contradiction("--ntasks-per-gpu=0: one at least");
  if (gpus.task > 0 || request.ntasks_per_node)
    return contradiction("--ntasks-per-gpu excludes --gpus-per-task and --ntasks-per-node");
  const std::uint64_t whole = gpus.job > 0 ? gpus.job : gpus.node * demand.nodes_min;
  if (whole == 0) {
    if (!request.ntasks)
      return contradiction(
          "--ntasks-per-gpu needs a number of GPUs (--gpus) or of tasks (--ntasks)");
    if (*request.ntasks % each != 0)
      return contradiction(
          fmt::format("--ntasks={} is no multiple of --ntasks-per-gpu={}", *request.ntasks, each));
    demand.gpus = {{"gpu", "", static_cast<std::uint32_t>(*request.ntasks / each)}};
    return {};
  }
  const std::uint64_t tasks = whole > count_max / each ? count_max : whole * each;
  if (request.ntasks && *request.ntasks != tasks)
    return contradiction(fmt::format("{} GPUs and --ntasks-per-gpu={} make {} tasks, --ntasks={}",
                                     whole, each, tasks, *request.ntasks));
  set_tasks(demand, tasks, request.nodes_min.has_value() || gpus.job == 0);
  return {};
}

// GPUs over the whole job lie on as many nodes at most.
Result<void> resolve_nodes(const ResourceRequest& request, Demand& demand) {
  if (demand.gpus.empty()) return {};
  const std::uint64_t gpus = gpus_in(demand.gpus);
  if (gpus < demand.nodes_min)
    return contradiction(fmt::format("{} are fewer than one for each of {} nodes",
                                     given("gpus", gpus), demand.nodes_min));
  if (!request.nodes_min && !request.ntasks)
    demand.nodes_max = static_cast<std::uint32_t>(std::min(gpus, count_max));
  demand.nodes_max = static_cast<std::uint32_t>(std::min<std::uint64_t>(demand.nodes_max, gpus));
  return {};
}

Result<void> check_measures(const ResourceRequest& request, const Demand& demand) {
  const bool has_measure = request.cpus_per_gpu || request.mem_per_gpu_mb;
  if (!has_measure) return {};
  const char* option = request.cpus_per_gpu ? "--cpus-per-gpu" : "--mem-per-gpu";
  if (request.cpus_per_gpu && request.cpus_per_task)
    return contradiction("--cpus-per-gpu is mutually exclusive with --cpus-per-task");
  if (demand.gpus.empty() && gpus_in(demand.gres_per_node) + gpus_in(demand.gpus_per_task) == 0)
    return contradiction(fmt::format("{} needs a number of GPUs (--gpus)", option));
  if (demand.gpus.size() > 1)
    return Error{ErrorCode::not_supported,
                 fmt::format("{} with several types of GPUs in --gpus", option)};
  return {};
}

}  // namespace

Result<void> resolve_gpus(const ResourceRequest& asked, Demand& demand) {
  ResourceRequest request = asked;
  const std::vector<GresCount> of_sockets = TRY(gpus_of_sockets(asked));
  TRY(check_types(asked));
  if (gpus_in(asked.gres_per_node) == 0)
    request.gres_per_node.insert(request.gres_per_node.end(), of_sockets.begin(), of_sockets.end());
  demand.gres_per_node = request.gres_per_node;
  const Counts gpus{gpus_in(request.gpus), gpus_in(request.gres_per_node),
                    gpus_in(request.gpus_per_task)};
  TRY(check_kinds(request.gpus));
  TRY(check_kinds(request.gpus_per_task));
  demand.cpus_per_gpu = request.cpus_per_gpu.value_or(0);
  if (gpus.job > 0 && gpus.node > 0) TRY(divide_among_nodes(request, gpus, demand));
  if (gpus.task > 0 && gpus.job + gpus.node > 0) TRY(divide_among_tasks(request, gpus, demand));
  if (gpus.node == 0 && gpus.task == 0) demand.gpus = request.gpus;
  if (gpus.node == 0) demand.gpus_per_task = request.gpus_per_task;
  TRY(resolve_tasks_per_gpu(request, gpus, demand));
  if (request.ntasks_per_gpu == 1U && demand.gpus.size() == 1)
    demand.gpus_per_task = {{"gpu", std::exchange(demand.gpus, {}).front().type, 1}};
  TRY(resolve_nodes(request, demand));
  return check_measures(request, demand);
}

}  // namespace sluice
