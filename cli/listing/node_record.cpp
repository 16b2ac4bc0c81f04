// node_record.cpp: nodes and partitions as sinfo and scontrol write them.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/record_field.h"
#include "cli/listing/records.h"
#include "common/base/hostlist.h"

namespace sluice {
namespace {

using Context = ListingContext;
using NodeField = RecordField<NodeInfo>;

template <auto Function>
void text_of(Document& out, std::string_view name, const NodeInfo& info, const Context& context) {
  out.text_or_null(name, Function(info, context));
}
template <auto Function>
void number_of(Document& out, std::string_view name, const NodeInfo& info, const Context&) {
  out.number(name, Function(info));
}
template <auto Function>
void time_of(Document& out, std::string_view name, const NodeInfo& info, const Context&) {
  out.amount(name, seconds_or_none(Function(info)));
}

std::string without_null(std::string text) { return text == "(null)" ? std::string{} : text; }

std::vector<std::string> split_flags(const std::string& text) {
  std::vector<std::string> words(1);
  for (char c : text)
    if (c == '+') words.emplace_back();
    else words.back() += c;
  return words;
}

// "IDLE+DRAIN": the base in "state", the rest in "state_flags"; the newer schema has one list.
void state(Document& out, std::string_view name, const NodeInfo& info, const Context&) {
  const std::vector<std::string> words = split_flags(node_state_flags(info));
  if (out.style().is_newer) out.words(name, words);
  else out.text(name, words.front());
}
void state_flags(Document& out, std::string_view name, const NodeInfo& info, const Context&) {
  std::vector<std::string> words = split_flags(node_state_flags(info));
  words.erase(words.begin());
  out.words(name, words);
}

void load(Document& out, std::string_view name, const NodeInfo& info, const Context&) {
  if (!was_measured(info)) return out.null(name);
  out.fraction(name, info.vitals.cpu_load_hundredths / 100.0, 2);
}
void mem_free(Document& out, std::string_view name, const NodeInfo& info, const Context&) {
  out.amount(name, was_measured(info) ? std::optional(info.vitals.free_mem_mb) : std::nullopt);
}
void measured_ago(Document& out, std::string_view name, const NodeInfo& info,
                  const Context& context) {
  const auto age_s = measurement_age_s(info, context.as_of);
  out.amount(name, age_s ? std::optional(static_cast<std::uint64_t>(*age_s)) : std::nullopt);
}

void reason_user(Document& out, std::string_view name, const NodeInfo& info,
                 const Context& context) {
  const bool known = !info.node.reason.empty() && context.user_name;
  out.text_or_null(name, known ? context.user_name(info.node.reason_uid) : std::string{});
}

constexpr NodeField node_fields[] = {
    {"architecture",
     text_of<[](const NodeInfo& info, const Context&) { return info.node.identity.arch; }>},
    {"boards", number_of<[](const NodeInfo&) { return 1U; }>},
    {"boot_time",
     time_of<[](const NodeInfo& info) { return std::optional(info.node.identity.booted); }>},
    {"comment", no_value},
    {"cores", number_of<[](const NodeInfo& info) { return info.node.shape.cores_per_socket; }>},
    {"cpu_load", load},
    {"free_memory", mem_free},
    {"measured_time",
     time_of<[](const NodeInfo& info) { return std::optional(info.vitals.measured); }>},
    {"measured_ago", measured_ago},
    {"cpus", number_of<[](const NodeInfo& info) { return info.node.shape.cpus; }>},
    {"last_busy", time_of<[](const NodeInfo& info) { return std::optional(info.node.last_busy); }>},
    {"features", text_of<[](const NodeInfo& info, const Context&) {
       return fmt::format("{}", fmt::join(info.node.features, ","));
     }>},
    {"active_features", text_of<[](const NodeInfo& info, const Context&) {
       return fmt::format("{}", fmt::join(info.node.features, ","));
     }>},
    {"gres", text_of<[](const NodeInfo& info, const Context&) {
       return without_null(gres_or_null(info.node.shape.gres));
     }>},
    {"gres_drained", no_value},
    {"gres_used", text_of<[](const NodeInfo& info, const Context&) {
       return without_null(gres_used_text(info));
     }>},
    {"mcs_label", no_value},
    {"name", text_of<[](const NodeInfo& info, const Context&) { return info.node.name; }>},
    {"next_state_after_reboot", no_value},
    {"address", text_of<[](const NodeInfo& info, const Context&) { return info.address; }>},
    {"hostname",
     text_of<[](const NodeInfo& info, const Context&) { return info.node.identity.host; }>},
    {"state", state},
    {"state_flags", state_flags},
    {"operating_system",
     text_of<[](const NodeInfo& info, const Context&) { return info.node.identity.os; }>},
    {"owner", no_value},
    {"partitions", [](Document& out, std::string_view name, const NodeInfo& info,
                      const Context&) { out.words(name, info.partitions); }},
    {"port", no_value},
    {"real_memory", number_of<[](const NodeInfo& info) { return info.node.shape.mem_mb; }>},
    {"reason", text_of<[](const NodeInfo& info, const Context&) { return info.node.reason; }>},
    {"reason_changed_at", time_of<[](const NodeInfo& info) { return info.node.reason_at; }>},
    {"reason_set_by_user", reason_user},
    {"slurmd_start_time",
     time_of<[](const NodeInfo& info) { return std::optional(info.node.identity.agent_started); }>},
    {"sockets", number_of<[](const NodeInfo& info) { return info.node.shape.sockets; }>},
    {"threads", number_of<[](const NodeInfo& info) { return info.node.shape.threads_per_core; }>},
    {"temporary_disk", number_of<[](const NodeInfo& info) { return info.node.shape.tmp_disk_mb; }>},
    {"weight", number_of<[](const NodeInfo& info) { return info.node.weight; }>},
    {"tres", text_of<[](const NodeInfo& info, const Context&) {
       return tres_text(tres_of(info.node.shape), false);
     }>},
    {"slurmd_version",
     text_of<[](const NodeInfo& info, const Context&) { return info.node.identity.version; }>},
    {"alloc_memory", number_of<[](const NodeInfo& info) { return info.mem_allocated_mb; }>},
    {"alloc_cpus", number_of<[](const NodeInfo& info) { return info.cpus_allocated; }>},
    {"idle_cpus", number_of<[](const NodeInfo& info) { return cpu_counts(info).idle; }>},
    {"tres_used", text_of<[](const NodeInfo& info, const Context&) {
       return tres_text(tres_allocated(info), false);
     }>},
    {"pretended", [](Document& out, std::string_view name, const NodeInfo& info,
                     const Context&) { out.flag(name, info.node.pretended); }},
};

// A partition with the nodes it sums up.
struct PartitionWithNodes {
  const PartitionConfig& partition;
  TresAmounts total;
};
using PartitionField = RecordField<PartitionWithNodes>;

template <auto Function>
void partition_text(Document& out, std::string_view name, const PartitionWithNodes& record,
                    const Context&) {
  out.text_or_null(name, Function(record));
}
template <auto Function>
void partition_number(Document& out, std::string_view name, const PartitionWithNodes& record,
                      const Context&) {
  out.number(name, Function(record));
}
template <auto Member>
void number_or_none(Document& out, std::string_view name, const PartitionWithNodes& record,
                    const Context&) {
  const auto& value = record.partition.*Member;
  out.amount(name, value ? std::optional<std::uint64_t>(*value) : std::nullopt, !value);
}

constexpr PartitionField partition_fields[] = {
    {"name",
     partition_text<[](const PartitionWithNodes& record) { return record.partition.name; }>},
    {"flags",
     [](Document& out, std::string_view name, const PartitionWithNodes& record, const Context&) {
       std::vector<std::string> flags;
       if (record.partition.is_default) flags.emplace_back("default");
       if (record.partition.disable_root_jobs) flags.emplace_back("no_root");
       out.words(name, flags);
     }},
    {"state", [](Document& out, std::string_view name, const PartitionWithNodes& record,
                 const Context&) { out.state(name, record.partition.up ? "UP" : "DOWN"); }},
    {"nodes", partition_text<[](const PartitionWithNodes& record) {
       return compress_hostlist(record.partition.nodes);
     }>},
    {"total_nodes",
     partition_number<[](const PartitionWithNodes& record) { return record.total.nodes; }>},
    {"total_cpus",
     partition_number<[](const PartitionWithNodes& record) { return record.total.cpus; }>},
    {"tres", partition_text<[](const PartitionWithNodes& record) {
       return tres_text(record.total, false);
     }>},
    {"max_time_limit",
     [](Document& out, std::string_view name, const PartitionWithNodes& record, const Context&) {
       out.amount(name, record.partition.max_time.minutes, record.partition.max_time.unlimited);
     }},
    {"default_time_limit",
     [](Document& out, std::string_view name, const PartitionWithNodes& record, const Context&) {
       const std::optional<TimeLimit>& limit = record.partition.default_time;
       out.amount(name, limit ? std::optional<std::uint64_t>(limit->minutes) : std::nullopt,
                  limit && limit->unlimited);
     }},
    {"maximum_nodes_per_job", number_or_none<&PartitionConfig::max_nodes>},
    {"min_nodes_per_job",
     partition_number<[](const PartitionWithNodes& record) { return record.partition.min_nodes; }>},
    {"default_memory_per_cpu", number_or_none<&PartitionConfig::def_mem_per_cpu_mb>},
    {"default_memory_per_node", number_or_none<&PartitionConfig::def_mem_per_node_mb>},
    {"priority_job_factor", partition_number<[](const PartitionWithNodes& record) {
       return record.partition.priority_job_factor;
     }>},
    {"priority_tier", partition_number<[](const PartitionWithNodes& record) {
       return record.partition.priority_tier;
     }>},
    {"allowed_accounts", no_value},
    {"allowed_groups", no_value},
    {"allowed_qos", no_value},
    {"allowed_allocation_nodes", no_value},
    {"denied_accounts", no_value},
    {"denied_qos", no_value},
    {"maximum_cpus_per_node", no_value},
    {"maximum_memory_per_node", no_value},
    {"preemption_mode", no_elements},
    {"over_time_limit", no_value},
    {"qos", no_value},
};

}  // namespace

void write_node_record(Document& document, const NodeInfo& info, const ListingContext& context) {
  document.begin_object();
  write_fields<NodeInfo>(node_fields, document, info, context);
  document.end_object();
}

void write_partition_record(Document& document, const PartitionConfig& partition,
                            const std::vector<NodeInfo>& nodes, const ListingContext& context) {
  document.begin_object();
  write_fields<PartitionWithNodes>(partition_fields, document,
                                   {partition, tres_of(partition, nodes)}, context);
  document.end_object();
}

}  // namespace sluice
