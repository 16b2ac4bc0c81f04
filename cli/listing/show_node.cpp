// show_node.cpp: the records of `scontrol show node` and `scontrol show partition`.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/listing/show_text.h"
#include "common/base/hostlist.h"
#include "common/options/priority_values.h"

namespace sluice {
namespace {

std::string or_null(std::string text) { return text.empty() ? "(null)" : text; }

std::string time_or_none(WallTime time, const ListingContext& context) {
  return time == WallTime{} ? "None" : context.times.text(time);
}

std::string load_text(const NodeInfo& info) {
  if (!was_measured(info)) return "N/A";
  return fmt::format("{:.2f}", info.vitals.cpu_load_hundredths / 100.0);
}

std::string mem_free_text(const NodeInfo& info) {
  if (!was_measured(info)) return "N/A";
  return fmt::format("{}", info.vitals.free_mem_mb);
}

std::string reason_line(const NodeInfo& info, const ListingContext& context) {
  const std::string user = context.user_name ? context.user_name(info.node.reason_uid)
                                             : fmt::format("{}", info.node.reason_uid);
  return fmt::format("Reason={} [{}@{}]", info.node.reason, user,
                     time_or_none(info.node.reason_at.value_or(WallTime{}), context));
}

std::string measured_line(const NodeInfo& info, const ListingContext& context) {
  const std::optional<std::int64_t> age_s = measurement_age_s(info, context.as_of);
  std::string age = "N/A";
  if (age_s) append_long_duration(*age_s, age = "");
  return fmt::format("MeasuredTime={} MeasuredAgo={}", time_or_none(info.vitals.measured, context),
                     age);
}

std::string long_limit(const TimeLimit& limit) {
  std::string out;
  append_long_limit(limit, out);
  return out;
}

template <class Number>
std::string number_or_unlimited(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "UNLIMITED";
}

std::string memory_defaults(const PartitionConfig& partition) {
  if (partition.def_mem_per_cpu_mb)
    return fmt::format("DefMemPerCPU={} MaxMemPerNode=UNLIMITED", *partition.def_mem_per_cpu_mb);
  return fmt::format("DefMemPerNode={} MaxMemPerNode=UNLIMITED",
                     number_or_unlimited(partition.def_mem_per_node_mb));
}

}  // namespace

std::string show_node_text(const NodeInfo& info, const ShowStyle& style,
                           const ListingContext& context) {
  const NodeRecord& node = info.node;
  const NodeShape& shape = node.shape;
  const std::string features = or_null(fmt::format("{}", fmt::join(node.features, ",")));
  std::vector<std::string> lines;
  lines.push_back(fmt::format("NodeName={} Arch={} CoresPerSocket={}", node.name,
                              or_null(node.identity.arch), shape.cores_per_socket));
  lines.push_back(fmt::format("CPUAlloc={} CPUEfctv={} CPUTot={} CPULoad={}", info.cpus_allocated,
                              shape.cpus, shape.cpus, load_text(info)));
  lines.push_back("AvailableFeatures=" + features);
  lines.push_back("ActiveFeatures=" + features);
  lines.push_back("Gres=" + gres_or_null(shape.gres));
  if (style.details) {
    lines.push_back("GresDrain=N/A");
    lines.push_back("GresUsed=" + gres_used_text(info));
  }
  lines.push_back(fmt::format("NodeAddr={} NodeHostName={} Port=0 Version={}",
                              or_null(info.address), or_null(node.identity.host),
                              or_null(node.identity.version)));
  lines.push_back("OS=" + or_null(node.identity.os));
  lines.push_back(fmt::format("RealMemory={} AllocMem={} FreeMem={} Sockets={} Boards=1",
                              shape.mem_mb, info.mem_allocated_mb, mem_free_text(info),
                              shape.sockets));
  lines.push_back(
      fmt::format("State={} ThreadsPerCore={} TmpDisk={} Weight={} Owner=N/A MCS_label=N/A",
                  node_state_flags(info), shape.threads_per_core, shape.tmp_disk_mb, node.weight));
  lines.push_back(fmt::format("Partitions={}", fmt::join(info.partitions, ",")));
  lines.push_back(fmt::format("BootTime={} SlurmdStartTime={}",
                              time_or_none(node.identity.booted, context),
                              time_or_none(node.identity.agent_started, context)));
  lines.push_back("LastBusyTime=" + time_or_none(node.last_busy, context));
  lines.push_back("CfgTRES=" + tres_text(tres_of(shape), false));
  lines.push_back("AllocTRES=" + tres_text(tres_allocated(info), false));
  lines.push_back("CapWatts=n/a");
  lines.push_back("CurrentWatts=0 AveWatts=0");
  lines.push_back("ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s");
  if (!node.reason.empty()) lines.push_back(reason_line(info, context));
  if (!info.reservation.empty()) lines.push_back("ReservationName=" + info.reservation);
  // More was declared than the machine has: cpus are not bound there.
  if (node.pretended) lines.push_back("Pretended=YES");
  // How old CPULoad and FreeMem are.
  lines.push_back(measured_line(info, context));
  return record_text(lines, style);
}

namespace {

// Of accounts and QOS those that are denied, where no list says who is allowed.
std::string access_of(const char* what, const std::vector<std::string>& allowed,
                      const std::vector<std::string>& denied) {
  if (allowed.empty() && !denied.empty()) return fmt::format("Deny{}={}", what, fmt::join(denied, ","));
  return fmt::format("Allow{}={}", what,
                     allowed.empty() ? "ALL" : fmt::format("{}", fmt::join(allowed, ",")));
}

std::string access_line(const PartitionAccess& access) {
  return fmt::format("{} {} {}", access_of("Groups", access.allow_groups, {}),
                     access_of("Accounts", access.allow_accounts, access.deny_accounts),
                     access_of("Qos", access.allow_qos, access.deny_qos));
}

}  // namespace

std::string show_partition_text(const PartitionConfig& partition,
                                const std::vector<NodeInfo>& nodes, const ShowStyle& style,
                                const ListingContext&) {
  const TresAmounts total = tres_of(partition, nodes);
  std::vector<std::string> lines;
  lines.push_back("PartitionName=" + partition.name);
  lines.push_back(access_line(partition.access));
  lines.push_back(
      fmt::format("AllocNodes=ALL Default={} QoS={}", partition.is_default ? "YES" : "NO",
                  partition.access.qos.empty() ? "N/A" : partition.access.qos));
  lines.push_back(
      fmt::format("DefaultTime={} DisableRootJobs={} ExclusiveUser=NO GraceTime=0 Hidden=NO",
                  partition.default_time ? long_limit(*partition.default_time) : "NONE",
                  partition.disable_root_jobs ? "YES" : "NO"));
  lines.push_back(fmt::format("MaxNodes={} MaxTime={} MinNodes={} LLN=NO MaxCPUsPerNode=UNLIMITED",
                              number_or_unlimited(partition.max_nodes),
                              long_limit(partition.max_time), partition.min_nodes));
  lines.push_back("Nodes=" + or_null(compress_hostlist(partition.nodes)));
  lines.push_back(
      fmt::format("PriorityJobFactor={} PriorityTier={} RootOnly=NO ReqResv=NO OverSubscribe={}",
                  partition.priority_job_factor, partition.priority_tier,
                  partition.exclusive ? "EXCLUSIVE" : "NO"));
  lines.push_back("OverTimeLimit=NONE PreemptMode=OFF");
  lines.push_back(fmt::format("State={} TotalCPUs={} TotalNodes={} SelectTypeParameters=NONE",
                              partition.up ? "UP" : "DOWN", total.cpus, total.nodes));
  lines.push_back("JobDefaults=(null)");
  lines.push_back(memory_defaults(partition));
  lines.push_back("TRES=" + or_null(tres_text(total, false)));
  if (!partition.billing_weights_ppm.empty())
    lines.push_back("TRESBillingWeights=" + billing_weights_text(partition.billing_weights_ppm));
  return record_text(lines, style);
}

}  // namespace sluice
