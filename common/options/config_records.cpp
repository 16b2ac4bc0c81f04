// config_records.cpp: the keys of NodeName, PartitionName and NodeSet lines.
#include "common/options/config_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/base/hostlist.h"
#include "common/options/config_values.h"
#include "common/options/priority_values.h"

namespace sluice {
namespace {

using Value = const std::string&;
using Node = KeyRow<NodeDraft>;
using Partition = KeyRow<PartitionDraft>;
using Shape = NodeShape;

constexpr KeyUse honoured = KeyUse::honoured;
constexpr KeyUse ignored = KeyUse::ignored;
constexpr KeyUse unsupported = KeyUse::unsupported;
constexpr std::string_view later = "not built yet";
constexpr std::string_view no_power = "power saving and cloud nodes are not built yet";
constexpr std::string_view open_to_all = "not enforced yet, every user may use the partition";

Error invalid(std::string text) { return Error{ErrorCode::config_invalid, std::move(text)}; }

void say(NodeDraft& draft, std::string_view key) {
  std::vector<std::string>& said = draft.node.said;
  if (std::find(said.begin(), said.end(), key) == said.end()) said.emplace_back(key);
}

bool has_said(const NodeConfig& node, std::string_view key) {
  return std::find(node.said.begin(), node.said.end(), key) != node.said.end();
}

// --- nodes ---

constexpr std::uint64_t cpus_max = 1'000'000;

// A count of NodeShape, remembered in `said` under the name that Key gives.
template <auto Member, const char* Key>
Result<void> shape_count(NodeDraft& draft, Value value) {
  constexpr std::uint64_t count_max = std::uint64_t{1} << 40;
  auto& target = draft.node.shape.*Member;
  using Number = std::remove_reference_t<decltype(target)>;
  const std::uint64_t max = sizeof(Number) == 8 ? count_max : cpus_max;
  target = static_cast<Number>(TRY(parse_config_number(value, {1, max})));
  say(draft, Key);
  return {};
}

constexpr char cpus_key[] = "CPUs";
constexpr char sockets_key[] = "Sockets";
constexpr char cores_key[] = "CoresPerSocket";
constexpr char threads_key[] = "ThreadsPerCore";
constexpr char memory_key[] = "RealMemory";
constexpr char disk_key[] = "TmpDisk";

template <auto Member>
Result<void> draft_text(NodeDraft& draft, Value value) {
  draft.*Member = value;
  return {};
}

Result<void> node_boards(NodeDraft& draft, Value value) {
  draft.boards = static_cast<std::uint32_t>(TRY(parse_config_number(value, {1, 1000})));
  return {};
}

Result<void> node_features(NodeDraft& draft, Value value) {
  draft.node.features = split_list(value, ',');
  return {};
}

Result<void> node_gres(NodeDraft& draft, Value value) {
  draft.node.shape.gres = TRY(parse_config_gres(value));
  say(draft, "Gres");
  return {};
}

Result<void> node_weight(NodeDraft& draft, Value value) {
  draft.node.weight = static_cast<std::uint32_t>(TRY(parse_config_number(value, {0, 0xfffffffe})));
  return {};
}

Result<void> node_state(NodeDraft& draft, Value value) {
  if (!equals_ignoring_case(value, "UNKNOWN") && !equals_ignoring_case(value, "IDLE"))
    draft.notes.push_back(fmt::format(
        "{}: not used, the state is what the agent and `scontrol update` say", value));
  return {};
}

constexpr std::array node_rows = {
    Node{"NodeName", ignored, "names the record"},
    Node{"NodeHostname", honoured, "", draft_text<&NodeDraft::hosts>},
    Node{"NodeAddr", honoured, "", draft_text<&NodeDraft::addresses>},
    Node{"Port", honoured, "", draft_text<&NodeDraft::ports>},
    Node{"CPUs", honoured, "", shape_count<&Shape::cpus, cpus_key>},
    Node{"Procs", honoured, "", shape_count<&Shape::cpus, cpus_key>},
    Node{"Boards", honoured, "", node_boards},
    Node{"Sockets", honoured, "", shape_count<&Shape::sockets, sockets_key>},
    Node{"SocketsPerBoard", honoured, "", shape_count<&Shape::sockets, sockets_key>},
    Node{"CoresPerSocket", honoured, "", shape_count<&Shape::cores_per_socket, cores_key>},
    Node{"ThreadsPerCore", honoured, "", shape_count<&Shape::threads_per_core, threads_key>},
    Node{"RealMemory", honoured, "", shape_count<&Shape::mem_mb, memory_key>},
    Node{"TmpDisk", honoured, "", shape_count<&Shape::tmp_disk_mb, disk_key>},
    Node{"Gres", honoured, "", node_gres},
    Node{"Feature", honoured, "", node_features},
    Node{"Features", honoured, "", node_features},
    Node{"Weight", honoured, "", node_weight},
    Node{"State", honoured, "", node_state},
    Node{"BcastAddr", ignored, "scripts travel on the agent's own connection"},
    Node{"CoreSpecCount", unsupported, later},
    Node{"CpuBind", unsupported, later},
    Node{"CpuSpecList", unsupported, later},
    Node{"MemSpecLimit", unsupported, later},
    Node{"Reason", ignored, "belongs to State"},
    Node{"TRESWeights", unsupported, later},
};

// CPUs and the topology, made consistent: what was not said follows from what was.
Result<void> complete_shape(NodeConfig& node, std::uint32_t boards) {
  Shape& shape = node.shape;
  shape.sockets *= boards;
  const bool has_cores = has_said(node, cores_key) || has_said(node, threads_key);
  const std::uint64_t threads_per_socket =
      std::uint64_t{shape.cores_per_socket} * shape.threads_per_core;
  if (has_said(node, cpus_key) && !has_said(node, sockets_key)) {
    if (shape.cpus % threads_per_socket != 0)
      return invalid(fmt::format("CPUs={} is no multiple of CoresPerSocket*ThreadsPerCore={}",
                                 shape.cpus, threads_per_socket));
    shape.sockets = static_cast<std::uint32_t>(shape.cpus / threads_per_socket);
    return {};
  }
  if (threads_per_socket > cpus_max || shape.sockets > cpus_max / threads_per_socket)
    return invalid(fmt::format("{} sockets of {} threads: more than {} CPUs on one node",
                               shape.sockets, threads_per_socket, cpus_max));
  const std::uint64_t threads = shape.sockets * threads_per_socket;
  const std::uint64_t cores = threads / shape.threads_per_core;
  if (!has_said(node, cpus_key)) {
    shape.cpus = static_cast<std::uint32_t>(threads);
  } else if (shape.cpus != threads && shape.cpus != cores && (has_cores || shape.cpus < cores)) {
    return invalid(fmt::format("CPUs={} contradicts the topology, which has {} cores and {} threads",
                               shape.cpus, cores, threads));
  }
  return {};
}

// The `count` items of a host list; an empty text gives `fallback`; one item serves all.
Result<std::vector<std::string>> per_node(std::string_view key, const std::string& text,
                                          const std::vector<std::string>& fallback) {
  if (text.empty()) return fallback;
  Result<std::vector<std::string>> items = expand_hostlist(text);
  if (!items) return invalid(fmt::format("{}={}: {}", key, text, items.error().detail));
  if (items->size() == 1) return std::vector<std::string>(fallback.size(), items->front());
  if (items->size() != fallback.size())
    return invalid(fmt::format("{}={} has {} items for {} nodes", key, text, items->size(),
                               fallback.size()));
  return *std::move(items);
}

// --- partitions ---

template <auto Member>
Result<void> partition_yes_no(PartitionDraft& draft, Value value) {
  draft.partition.*Member = TRY(parse_config_yes_no(value));
  return {};
}

template <auto Member>
Result<void> partition_number(PartitionDraft& draft, Value value) {
  draft.partition.*Member =
      static_cast<std::uint32_t>(TRY(parse_config_number(value, {0, UINT32_MAX - 1})));
  return {};
}

template <auto Member>
Result<void> partition_time(PartitionDraft& draft, Value value) {
  draft.partition.*Member = TRY(parse_config_time(value));
  return {};
}

template <auto Member>
Result<void> partition_memory(PartitionDraft& draft, Value value) {
  draft.partition.*Member = TRY(parse_config_memory_limit(value));
  draft.said_memory = true;
  return {};
}

Result<void> partition_nodes(PartitionDraft& draft, Value value) {
  draft.nodes = value;
  return {};
}

Result<void> partition_max_nodes(PartitionDraft& draft, Value value) {
  draft.partition.max_nodes.reset();
  if (equals_ignoring_case(value, "UNLIMITED") || equals_ignoring_case(value, "INFINITE")) return {};
  draft.partition.max_nodes =
      static_cast<std::uint32_t>(TRY(parse_config_number(value, {0, 1'000'000})));
  return {};
}

Result<void> partition_state(PartitionDraft& draft, Value value) {
  if (equals_ignoring_case(value, "DRAIN") || equals_ignoring_case(value, "INACTIVE"))
    draft.notes.push_back(fmt::format("{}: treated as DOWN", value));
  else if (!equals_ignoring_case(value, "UP") && !equals_ignoring_case(value, "DOWN"))
    return invalid(fmt::format("expected UP, DOWN, DRAIN or INACTIVE, not '{}'", value));
  draft.partition.up = equals_ignoring_case(value, "UP");
  return {};
}

Result<void> partition_oversubscribe(PartitionDraft& draft, Value value) {
  draft.partition.exclusive = equals_ignoring_case(value, "EXCLUSIVE");
  if (draft.partition.exclusive || equals_ignoring_case(value, "NO")) return {};
  const std::string word = value.substr(0, value.find(':'));
  if (!equals_ignoring_case(word, "YES") && !equals_ignoring_case(word, "FORCE"))
    return invalid(fmt::format("expected EXCLUSIVE, FORCE, YES or NO, not '{}'", value));
  draft.notes.push_back(fmt::format("{}: treated as NO, cores are never shared", value));
  return {};
}

Result<void> partition_billing(PartitionDraft& draft, Value value) {
  draft.partition.billing_weights_ppm = TRY(parse_billing_weights(value));
  return {};
}

using Access = PartitionAccess;

// "ALL" of those allowed is everybody, as without the key.
template <auto Member>
Result<void> partition_names(PartitionDraft& draft, Value value) {
  std::vector<std::string>& names = draft.partition.access.*Member;
  names = split_list(value, ',');
  if (names.size() == 1 && equals_ignoring_case(names.front(), "ALL")) names.clear();
  return {};
}

Result<void> partition_qos(PartitionDraft& draft, Value value) {
  draft.partition.access.qos = equals_ignoring_case(value, "N/A") ? "" : value;
  return {};
}

using Part = PartitionConfig;
constexpr std::array partition_rows = {
    Partition{"PartitionName", ignored, "names the record"},
    Partition{"Nodes", honoured, "", partition_nodes},
    Partition{"Default", honoured, "", partition_yes_no<&Part::is_default>},
    Partition{"DefaultTime", honoured, "", partition_time<&Part::default_time>},
    Partition{"DefMemPerCPU", honoured, "", partition_memory<&Part::def_mem_per_cpu_mb>},
    Partition{"DefMemPerNode", honoured, "", partition_memory<&Part::def_mem_per_node_mb>},
    Partition{"DisableRootJobs", honoured, "", partition_yes_no<&Part::disable_root_jobs>},
    Partition{"MaxNodes", honoured, "", partition_max_nodes},
    Partition{"MaxTime", honoured, "", partition_time<&Part::max_time>},
    Partition{"MinNodes", honoured, "", partition_number<&Part::min_nodes>},
    Partition{"OverSubscribe", honoured, "", partition_oversubscribe},
    Partition{"Shared", honoured, "", partition_oversubscribe},
    Partition{"PriorityJobFactor", honoured, "", partition_number<&Part::priority_job_factor>},
    Partition{"PriorityTier", honoured, "", partition_number<&Part::priority_tier>},
    Partition{"State", honoured, "", partition_state},
    Partition{"AllocNodes", unsupported, "not enforced yet, every host may submit"},
    Partition{"AllowAccounts", honoured, "", partition_names<&Access::allow_accounts>},
    Partition{"AllowGroups", unsupported, open_to_all},
    Partition{"AllowQos", honoured, "", partition_names<&Access::allow_qos>},
    Partition{"Alternate", unsupported, later},
    Partition{"CpuBind", unsupported, later},
    Partition{"DefCpuPerGPU", unsupported, later},
    Partition{"DefMemPerGPU", unsupported, later},
    Partition{"DenyAccounts", honoured, "", partition_names<&Access::deny_accounts>},
    Partition{"DenyQos", honoured, "", partition_names<&Access::deny_qos>},
    Partition{"ExclusiveUser", unsupported, later},
    Partition{"GraceTime", unsupported, later},
    Partition{"Hidden", unsupported, "the partition is shown to all"},
    Partition{"LLN", unsupported, later},
    Partition{"MaxCPUsPerNode", unsupported, later},
    Partition{"MaxCPUsPerSocket", unsupported, later},
    Partition{"MaxMemPerCPU", unsupported, later},
    Partition{"MaxMemPerNode", unsupported, later},
    Partition{"OverTimeLimit", unsupported, later},
    Partition{"PowerDownOnIdle", unsupported, no_power},
    Partition{"PreemptMode", unsupported, later},
    Partition{"Priority", KeyUse::refused, "write PriorityTier= and PriorityJobFactor="},
    Partition{"QOS", honoured, "", partition_qos},
    Partition{"ReqResv", unsupported, open_to_all},
    Partition{"ResumeTimeout", unsupported, no_power},
    Partition{"RootOnly", unsupported, open_to_all},
    Partition{"SelectTypeParameters", ignored, "cores and memory are always what is given out"},
    Partition{"SuspendTime", unsupported, no_power},
    Partition{"SuspendTimeout", unsupported, no_power},
    Partition{"TRESBillingWeights", honoured, "", partition_billing},
};

// --- node sets ---

template <auto Member>
Result<void> node_set_text(NodeSetDraft& draft, Value value) {
  draft.*Member = value;
  return {};
}

constexpr std::array node_set_rows = {
    KeyRow<NodeSetDraft>{"NodeSet", ignored, "names the record"},
    KeyRow<NodeSetDraft>{"Nodes", honoured, "", node_set_text<&NodeSetDraft::nodes>},
    KeyRow<NodeSetDraft>{"Feature", honoured, "", node_set_text<&NodeSetDraft::feature>},
};

}  // namespace

std::span<const KeyRow<NodeDraft>> node_keys() { return node_rows; }
std::span<const KeyRow<PartitionDraft>> partition_keys() { return partition_rows; }
std::span<const KeyRow<NodeSetDraft>> node_set_keys() { return node_set_rows; }

Result<std::vector<NodeConfig>> finish_nodes(const std::string& text, const NodeDraft& draft) {
  const Result<std::vector<std::string>> names = expand_hostlist(text);
  if (!names) return invalid(fmt::format("NodeName={}: {}", text, names.error().detail));
  const auto hosts = TRY(per_node("NodeHostname", draft.hosts, *names));
  const auto addresses = TRY(per_node("NodeAddr", draft.addresses, hosts));
  const auto ports =
      TRY(per_node("Port", draft.ports, std::vector<std::string>(names->size(), "0")));
  NodeConfig node = draft.node;
  TRY(complete_shape(node, draft.boards));
  std::vector<NodeConfig> nodes;
  for (std::size_t i = 0; i < names->size(); ++i) {
    node.name = (*names)[i];
    node.host = hosts[i];
    node.address = addresses[i];
    node.port = static_cast<std::uint16_t>(TRY(parse_config_number(ports[i], {0, 65535})));
    if (!is_valid_name(node.name))
      return invalid(fmt::format("'{}' cannot be a node's name: letters, digits, '.', '_' and '-' "
                                 "are allowed, the first being a letter or digit", node.name));
    nodes.push_back(node);
  }
  return nodes;
}

bool is_valid_name(std::string_view name) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (name.empty() || name.size() > 255) return false;
  if (!is_letter_or_digit(name.front()) && name.front() != '_') return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace sluice
