// node_columns.cpp: what each column of sinfo shows of a group of nodes.
#include "cli/listing/node_columns.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/base/hostlist.h"

namespace sluice {
namespace {

using Context = ListingContext;

// How a column behaves when nodes share a line.
constexpr std::string_view splits = "splits";  // nodes that differ in it get lines of their own
constexpr std::string_view splits_exact = "exact";      // only with --exact; else "8+"
constexpr std::string_view sums = "sums";               // shows the whole group
constexpr std::string_view of_partition = "partition";  // says something of the partition

const NodeInfo* first_node(const NodeRow& row) {
  return row.nodes.empty() ? nullptr : row.nodes.front();
}

// Of several different numbers the smallest and a plus.
template <class Number>
void append_least(const NodeRow& row, Number&& number, std::string& out) {
  if (row.nodes.empty()) {
    out += '0';
    return;
  }
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const NodeInfo* info : row.nodes) {
    const std::uint64_t value = number(*info);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  fmt::format_to(std::back_inserter(out), "{}{}", least, least == most ? "" : "+");
}

template <class Text>
void append_of_first(const NodeRow& row, const char* absent, Text&& text, std::string& out) {
  if (const NodeInfo* info = first_node(row)) out += text(*info);
  else out += absent;
}

void render_available(const NodeRow& row, const Context&, std::string& out) {
  out += !row.partition || row.partition->up ? "up" : "down";
}
void render_partition(const NodeRow& row, const Context&, std::string& out) {
  if (!row.partition) return;
  out += row.partition->name;
  if (row.partition->is_default) out += '*';
}
void render_partition_name(const NodeRow& row, const Context&, std::string& out) {
  if (row.partition) out += row.partition->name;
}
void append_sinfo_limit(const TimeLimit& limit, std::string& out) {
  if (limit.unlimited) out += "infinite";
  else append_short_limit(limit, out);
}
void render_time_limit(const NodeRow& row, const Context&, std::string& out) {
  if (row.partition) append_sinfo_limit(row.partition->max_time, out);
}
void render_default_time(const NodeRow& row, const Context&, std::string& out) {
  if (row.partition && row.partition->default_time)
    append_sinfo_limit(*row.partition->default_time, out);
  else out += "n/a";
}
void render_job_size(const NodeRow& row, const Context&, std::string& out) {
  if (!row.partition) return;
  fmt::format_to(std::back_inserter(out), "{}-", std::max(row.partition->min_nodes, 1U));
  if (row.partition->max_nodes)
    fmt::format_to(std::back_inserter(out), "{}", *row.partition->max_nodes);
  else out += "infinite";
}
void render_over_subscribe(const NodeRow& row, const Context&, std::string& out) {
  out += row.partition && row.partition->exclusive ? "EXCLUSIVE" : "NO";
}
void render_priority_tier(const NodeRow& row, const Context&, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", row.partition ? row.partition->priority_tier : 1);
}
void render_priority_factor(const NodeRow& row, const Context&, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}",
                 row.partition ? row.partition->priority_job_factor : 1);
}
void render_zero(const NodeRow&, const Context&, std::string& out) { out += '0'; }
void render_no(const NodeRow&, const Context&, std::string& out) { out += "no"; }
void render_all(const NodeRow&, const Context&, std::string& out) { out += "all"; }
void render_off(const NodeRow&, const Context&, std::string& out) { out += "OFF"; }
void render_null(const NodeRow&, const Context&, std::string& out) { out += "(null)"; }
void render_unlimited(const NodeRow&, const Context&, std::string& out) { out += "UNLIMITED"; }
void render_cluster(const NodeRow&, const Context&, std::string& out) { out += "N/A"; }

struct NodeCounts {
  std::size_t allocated = 0;
  std::size_t idle = 0;
  std::size_t other = 0;
};

// A node with anything on it counts as allocated, even when it is to take nothing more.
NodeCounts node_counts(const NodeRow& row) {
  NodeCounts counts;
  for (const NodeInfo* info : row.nodes) {
    const NodeWord word = node_word(*info);
    const bool used = word == NodeWord::mixed || word == NodeWord::allocated ||
                      word == NodeWord::completing || word == NodeWord::draining;
    if (used) ++counts.allocated;
    else if (word == NodeWord::idle) ++counts.idle;
    else ++counts.other;
  }
  return counts;
}
void render_nodes_ai(const NodeRow& row, const Context&, std::string& out) {
  const NodeCounts counts = node_counts(row);
  fmt::format_to(std::back_inserter(out), "{}/{}", counts.allocated, counts.idle);
}
void render_nodes_aiot(const NodeRow& row, const Context&, std::string& out) {
  const NodeCounts counts = node_counts(row);
  fmt::format_to(std::back_inserter(out), "{}/{}/{}/{}", counts.allocated, counts.idle,
                 counts.other, row.nodes.size());
}
void render_node_count(const NodeRow& row, const Context&, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", row.nodes.size());
}
void render_cpus_aiot(const NodeRow& row, const Context&, std::string& out) {
  CpuCounts sum;
  for (const NodeInfo* info : row.nodes) {
    const CpuCounts counts = cpu_counts(*info);
    sum.allocated += counts.allocated;
    sum.idle += counts.idle;
    sum.other += counts.other;
    sum.total += counts.total;
  }
  fmt::format_to(std::back_inserter(out), "{}/{}/{}/{}", sum.allocated, sum.idle, sum.other,
                 sum.total);
}
void render_nodelist(const NodeRow& row, const Context&, std::string& out) {
  std::vector<std::string> names;
  for (const NodeInfo* info : row.nodes) names.push_back(info->node.name);
  out += compress_hostlist_sorted(std::move(names));
}

std::string host_of(const NodeInfo& info) {
  return info.node.identity.host.empty() ? info.node.name : info.node.identity.host;
}
void render_host(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(row, "", host_of, out);
}
void render_address(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(
      row, "", [](const NodeInfo& info) { return info.address; }, out);
}
void render_state_code(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(row, "n/a", node_state_code, out);
}
void render_state_word(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(row, "n/a", node_state_word, out);
}
void render_cpus(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.node.shape.cpus; }, out);
}
void render_mem(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.node.shape.mem_mb; }, out);
}
void render_mem_allocated(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.mem_allocated_mb; }, out);
}
void render_disk(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.node.shape.tmp_disk_mb; }, out);
}
void render_weight(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.node.weight; }, out);
}
void render_sockets(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.node.shape.sockets; }, out);
}
void render_cores(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.node.shape.cores_per_socket; }, out);
}
void render_threads(const NodeRow& row, const Context&, std::string& out) {
  append_least(
      row, [](const NodeInfo& info) { return info.node.shape.threads_per_core; }, out);
}
void render_sockets_cores_threads(const NodeRow& row, const Context& context, std::string& out) {
  render_sockets(row, context, out);
  out += ':';
  render_cores(row, context, out);
  out += ':';
  render_threads(row, context, out);
}
void render_load(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(
      row, "N/A",
      [](const NodeInfo& info) {
        return was_measured(info) ? fmt::format("{:.2f}", info.vitals.cpu_load_hundredths / 100.0)
                                  : std::string("N/A");
      },
      out);
}
void render_mem_free(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(
      row, "N/A",
      [](const NodeInfo& info) {
        return was_measured(info) ? fmt::format("{}", info.vitals.free_mem_mb) : std::string("N/A");
      },
      out);
}
// Where nodes share a line, the oldest is told.
const NodeInfo* measured_first(const NodeRow& row) {
  const NodeInfo* oldest = nullptr;
  for (const NodeInfo* info : row.nodes)
    if (was_measured(*info) && (!oldest || info->vitals.measured < oldest->vitals.measured))
      oldest = info;
  return oldest;
}
void render_measured(const NodeRow& row, const Context& context, std::string& out) {
  if (const NodeInfo* info = measured_first(row)) context.times.append(info->vitals.measured, out);
  else out += "N/A";
}
void render_measured_ago(const NodeRow& row, const Context& context, std::string& out) {
  if (const NodeInfo* info = measured_first(row))
    append_short_duration(*measurement_age_s(*info, context.as_of), out);
  else out += "N/A";
}
void render_features(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(
      row, "(null)",
      [](const NodeInfo& info) {
        return info.node.features.empty() ? std::string("(null)")
                                          : fmt::format("{}", fmt::join(info.node.features, ","));
      },
      out);
}
void render_gres(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(
      row, "(null)", [](const NodeInfo& info) { return gres_or_null(info.node.shape.gres); }, out);
}
void render_gres_used(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(row, "(null)", gres_used_text, out);
}
void render_version(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(
      row, "", [](const NodeInfo& info) { return info.node.identity.version; }, out);
}
void render_reason(const NodeRow& row, const Context&, std::string& out) {
  append_of_first(
      row, "none",
      [](const NodeInfo& info) {
        return info.node.reason.empty() ? std::string("none") : info.node.reason;
      },
      out);
}
void render_reason_time(const NodeRow& row, const Context& context, std::string& out) {
  const NodeInfo* info = first_node(row);
  if (info && info->node.reason_at) context.times.append(*info->node.reason_at, out);
  else out += "Unknown";
}
void render_reason_user(const NodeRow& row, const Context& context, std::string& out) {
  const NodeInfo* info = first_node(row);
  if (!info || info->node.reason.empty()) out += "Unknown";
  else if (context.user_name) out += context.user_name(info->node.reason_uid);
  else fmt::format_to(std::back_inserter(out), "{}", info->node.reason_uid);
}

constexpr Column<NodeRow> columns[] = {
    {'a', "available", "AVAIL", of_partition, render_available},
    {'A', "nodeai", "NODES(A/I)", sums, render_nodes_ai},
    {'b', "features_act", "ACTIVE_FEATURES", splits, render_features},
    {'B', "maxcpuspernode", "MAX_CPUS_PER_NODE", of_partition, render_unlimited},
    {'c', "cpus", "CPUS", splits_exact, render_cpus},
    {'C', "cpusstate", "CPUS(A/I/O/T)", sums, render_cpus_aiot},
    {'d', "disk", "TMP_DISK", splits_exact, render_disk},
    {'D', "nodes", "NODES", sums, render_node_count},
    {'e', "freemem", "FREE_MEM", splits, render_mem_free},
    {'E', "reason", "REASON", splits, render_reason},
    {'f', "features", "AVAIL_FEATURES", splits, render_features},
    {'F', "nodeaiot", "NODES(A/I/O/T)", sums, render_nodes_aiot},
    {'g', "groups", "GROUPS", of_partition, render_all},
    {'G', "gres", "GRES", splits, render_gres},
    {'h', "oversubscribe share", "OVERSUBSCRIBE", of_partition, render_over_subscribe},
    {'H', "timestamp", "TIMESTAMP", splits, render_reason_time},
    {'I', "priorityjobfactor", "PRIO_JOB_FACTOR", of_partition, render_priority_factor},
    {'l', "time", "TIMELIMIT", of_partition, render_time_limit},
    {'L', "defaulttime", "DEFAULTTIME", of_partition, render_default_time},
    {'m', "memory", "MEMORY", splits_exact, render_mem},
    {'M', "preemptmode", "PREEMPT_MODE", of_partition, render_off},
    {'n', "nodehost", "HOSTNAMES", splits, render_host},
    {'N', "nodelist", "NODELIST", sums, render_nodelist},
    {'o', "nodeaddr", "NODE_ADDR", splits, render_address},
    {'O', "cpusload", "CPU_LOAD", splits, render_load},
    {'p', "prioritytier", "PRIO_TIER", of_partition, render_priority_tier},
    {'P', "partition", "PARTITION", of_partition, render_partition},
    {'r', "root", "ROOT", of_partition, render_no},
    {'R', "partitionname", "PARTITION", of_partition, render_partition_name},
    {'s', "size", "JOB_SIZE", of_partition, render_job_size},
    {'S', "allocnodes", "ALLOCNODES", of_partition, render_all},
    {'t', "statecompact", "STATE", splits, render_state_code},
    {'T', "statelong", "STATE", splits, render_state_word},
    {'u', "user", "USER", splits, render_reason_user},
    {'U', "userlong", "USER", splits, render_reason_user},
    {'v', "version", "VERSION", splits, render_version},
    {'V', "cluster", "CLUSTER", sums, render_cluster},
    {'w', "weight", "WEIGHT", splits_exact, render_weight},
    {'X', "sockets", "SOCKETS", splits_exact, render_sockets},
    {'Y', "cores", "CORES", splits_exact, render_cores},
    {'z', "socketcorethread", "S:C:T", splits_exact, render_sockets_cores_threads},
    {'Z', "threads", "THREADS", splits_exact, render_threads},
    {0, "allocmem", "ALLOCMEM", splits, render_mem_allocated},
    {0, "comment", "COMMENT", sums, render_null},
    {0, "extra", "EXTRA", sums, render_null},
    {0, "measuredtime", "MEASURED_TIME", sums, render_measured},
    {0, "measuredago", "MEASURED_AGO", sums, render_measured_ago},
    {0, "port", "PORT", sums, render_zero},
    {0, "gresused", "GRES_USED", splits, render_gres_used},
    {0, "statecomplete", "STATECOMPLETE", splits, render_state_word},
};

bool any_column(const Layout<NodeRow>& layout, std::string_view behaviour) {
  return std::any_of(layout.cells.begin(), layout.cells.end(),
                     [&](const Cell<NodeRow>& cell) { return cell.column->traits == behaviour; });
}

// What makes a node look different from its neighbours on this layout.
std::string look_of(const NodeInfo& info, const Layout<NodeRow>& layout,
                    const NodeGrouping& grouping, const ListingContext& context) {
  std::string look;
  const NodeRow alone{nullptr, {&info}};
  for (const Cell<NodeRow>& cell : layout.cells) {
    const bool divides =
        cell.column->traits == splits || (grouping.exact && cell.column->traits == splits_exact);
    if (!divides) continue;
    cell.column->render(alone, context, look);
    look += '\0';
  }
  return look;
}

std::vector<const NodeInfo*> nodes_of(const PartitionConfig& partition,
                                      const std::vector<const NodeInfo*>& nodes) {
  std::vector<const NodeInfo*> members;
  for (const NodeInfo* info : nodes) {
    const auto& names = info->partitions;
    if (std::find(names.begin(), names.end(), partition.name) != names.end())
      members.push_back(info);
  }
  return members;
}

void append_groups(const PartitionConfig* partition, const std::vector<const NodeInfo*>& members,
                   const Layout<NodeRow>& layout, const NodeGrouping& grouping,
                   const ListingContext& context, std::vector<NodeRow>& rows) {
  std::vector<NodeRow> groups;
  std::map<std::string, std::size_t> group_of_look;
  for (const NodeInfo* info : members) {
    const auto [place, is_new] =
        group_of_look.try_emplace(look_of(*info, layout, grouping, context), groups.size());
    if (is_new) groups.push_back(NodeRow{partition, {}});
    groups[place->second].nodes.push_back(info);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const NodeRow& a, const NodeRow& b) {
    return node_state_order(*a.nodes.front()) < node_state_order(*b.nodes.front());
  });
  if (members.empty() && grouping.with_empty) groups.push_back(NodeRow{partition, {}});
  std::move(groups.begin(), groups.end(), std::back_inserter(rows));
}

std::vector<const NodeInfo*> in_name_order(std::vector<const NodeInfo*> nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const NodeInfo* a, const NodeInfo* b) {
    return hostname_less(a->node.name, b->node.name);
  });
  return nodes;
}

}  // namespace

std::span<const Column<NodeRow>> node_columns() { return columns; }

int node_state_order(const NodeInfo& info) {
  static constexpr NodeWord order[] = {NodeWord::unknown, NodeWord::completing, NodeWord::draining,
                                       NodeWord::drained, NodeWord::mixed,      NodeWord::allocated,
                                       NodeWord::idle,    NodeWord::maintenance,
                                       NodeWord::reserved, NodeWord::down};
  if (info.node.state == NodeState::lost) return -1;
  return static_cast<int>(std::find(std::begin(order), std::end(order), node_word(info)) -
                          std::begin(order));
}

std::vector<NodeRow> node_rows(const std::vector<const NodeInfo*>& nodes,
                               const std::vector<const PartitionConfig*>& partitions,
                               const Layout<NodeRow>& layout, const NodeGrouping& grouping,
                               const ListingContext& context) {
  const std::vector<const NodeInfo*> sorted = in_name_order(nodes);
  std::vector<NodeRow> rows;
  if (grouping.each_node) {
    for (const NodeInfo* info : sorted)
      for (const PartitionConfig* partition : partitions)
        if (!nodes_of(*partition, {info}).empty()) rows.push_back(NodeRow{partition, {info}});
    return rows;
  }
  if (any_column(layout, of_partition)) {
    for (const PartitionConfig* partition : partitions)
      append_groups(partition, nodes_of(*partition, sorted), layout, grouping, context, rows);
    return rows;
  }
  std::vector<const NodeInfo*> members;
  for (const NodeInfo* info : sorted)
    if (std::any_of(partitions.begin(), partitions.end(), [&](const PartitionConfig* partition) {
          return !nodes_of(*partition, {info}).empty();
        }))
      members.push_back(info);
  append_groups(nullptr, members, layout, grouping, context, rows);
  return rows;
}

}  // namespace sluice
