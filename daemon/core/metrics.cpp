// metrics.cpp: the table of metrics, and one walk over jobs and nodes for all of them.
#include "daemon/core/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "common/base/utf8.h"

namespace sluice {
namespace {

// --- sums --------------------------------------------------------------------------------------
using WordCounts = std::map<std::string_view, std::uint64_t>;
std::uint64_t count_of(const WordCounts& counts, std::string_view word) {
  const auto at = counts.find(word);
  return at == counts.end() ? 0 : at->second;
}

struct JobSums {
  WordCounts by_word;  // PENDING, RUNNING, ...
  std::uint64_t pending_dependency = 0;
  std::uint64_t cpus_running = 0;

  std::uint64_t of(std::string_view word) const { return count_of(by_word, word); }
};

// As sinfo counts: of a node that takes no work, what is not allocated is `other`.
struct CpuSums {
  std::uint64_t allocated = 0;
  std::uint64_t idle = 0;
  std::uint64_t other = 0;

  std::uint64_t total() const { return allocated + idle + other; }
};

struct GresSums {
  std::uint64_t total = 0;
  std::uint64_t used = 0;
};

struct Sums {
  JobSums jobs;
  std::map<std::string, JobSums> by_partition;
  std::map<std::string, JobSums> by_account;
  std::map<std::string, JobSums> by_user;
  WordCounts nodes;  // by node_word()
  CpuSums cpus;
  std::map<std::string, CpuSums> partition_cpus;
  std::map<std::string, GresSums> gres;  // "gpu:a100", "gpu" where there is no type

  std::uint64_t nodes_in(std::string_view word) const { return count_of(nodes, word); }
};

void add_job(JobSums& sums, const JobRecord& record) {
  const std::uint64_t jobs = task_count(record);
  sums.by_word[state_word(record.state, record.end, record.special_exit)] += jobs;
  if (record.state == JobState::pending && record.reason == Reason::Dependency)
    sums.pending_dependency += jobs;
  if (!holds_resources(record.state)) return;
  for (const NodeShare& share : record.allocation.shares) sums.cpus_running += share.cpus;
}

const char* node_word(const NodeView& node) {
  switch (node.availability) {
    case Availability::drained:
      return "drain";
    case Availability::unknown:
    case Availability::lost:
    case Availability::down:
      return "down";
    case Availability::available:
      break;
  }
  if (node.jobs == 0) return "idle";
  return node.exclusive || node.cpus_used >= node.shape.cpus ? "alloc" : "mix";
}

CpuSums cpus_of(const NodeView& node) {
  CpuSums cpus;
  cpus.allocated = std::min(node.cpus_used, node.shape.cpus);
  const bool works = node.availability == Availability::available;
  (works ? cpus.idle : cpus.other) = node.shape.cpus - cpus.allocated;
  return cpus;
}

void add(CpuSums& to, const CpuSums& more) {
  to.allocated += more.allocated;
  to.idle += more.idle;
  to.other += more.other;
}

std::string gres_name(const GresCount& gres) {
  return gres.type.empty() ? gres.name : gres.name + ":" + gres.type;
}

Sums sum_up(const Snapshot& snapshot) {
  Sums sums;
  snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    add_job(sums.jobs, entry.record);
    add_job(sums.by_partition[entry.record.partition], entry.record);
    add_job(sums.by_account[entry.spec->account], entry.record);
    add_job(sums.by_user[entry.spec->user], entry.record);
    return true;
  });
  std::map<std::string_view, CpuSums> by_node;
  snapshot.node_views.for_each([&](std::uint32_t, const NodeView& node) {
    ++sums.nodes[node_word(node)];
    add(sums.cpus, by_node[node.name] = cpus_of(node));
    for (const GresCount& gres : node.shape.gres) sums.gres[gres_name(gres)].total += gres.count;
    for (const GresCount& gres : node.gres_used) sums.gres[gres_name(gres)].used += gres.count;
    return true;
  });
  for (const PartitionConfig& partition : snapshot.config->partitions)
    for (const std::string& node : partition.nodes)
      if (auto at = by_node.find(node); at != by_node.end())
        add(sums.partition_cpus[partition.name], at->second);
  return sums;
}

GresSums gpus_of(const Sums& sums) {
  GresSums gpus;
  for (const auto& [name, gres] : sums.gres)
    if (name == "gpu" || name.starts_with("gpu:")) {
      gpus.total += gres.total;
      gpus.used += gres.used;
    }
  return gpus;
}

// --- text --------------------------------------------------------------------------------------
std::string label_text(std::string_view value) {
  std::string text;
  for (const char c : to_valid_utf8(value)) {
    if (c == '\n') text += "\\n";
    else if (c == '"' || c == '\\') text.append({'\\', c});
    else text += c;
  }
  return text;
}

using Labels = std::initializer_list<std::pair<const char*, std::string_view>>;

// The samples of one metric.
class Samples {
 public:
  Samples(std::string& out, const char* name) : out_(out), name_(name) {}

  template <class Number>
  void add(Number value, Labels labels = {}, const char* suffix = "") {
    out_ += name_;
    out_ += suffix;
    if (labels.size() > 0) out_ += '{';
    const char* divider = "";
    for (const auto& [key, text] : labels) {
      fmt::format_to(std::back_inserter(out_), "{}{}=\"{}\"", divider, key, label_text(text));
      divider = ",";
    }
    if (labels.size() > 0) out_ += '}';
    fmt::format_to(std::back_inserter(out_), " {}\n", value);
  }

  void add(const Histogram& histogram) {
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i)
      add(histogram.count_up_to(i), {{"le", fmt::format("{}", histogram.bounds()[i])}}, "_bucket");
    add(histogram.count(), {{"le", "+Inf"}}, "_bucket");
    add(histogram.sum(), {}, "_sum");
    add(histogram.count(), {}, "_count");
  }

 private:
  std::string& out_;
  const char* name_;
};

struct Source {
  const Snapshot& snapshot;
  const ServerTotals& server;
  const Sums& sums;
};

// --- the table ---------------------------------------------------------------------------------
enum class MetricType { gauge, counter, histogram };
constexpr const char* type_names[] = {"gauge", "counter", "histogram"};

using In = const Source&;
struct MetricRow {
  const char* name;  // a counter's samples end with _total
  MetricType type;
  const char* help;
  void (*write)(Samples& samples, In in);
};

template <class Map, class Value>
void by_label(Samples& samples, const char* label, const Map& sums, Value value) {
  for (const auto& [key, of] : sums) samples.add(value(of), {{label, key}});
}

std::uint64_t pending(const JobSums& sums) { return sums.of("PENDING"); }
std::uint64_t running(const JobSums& sums) { return sums.of("RUNNING"); }
std::uint64_t cpus_running(const JobSums& sums) { return sums.cpus_running; }

template <class Value>
void by_node(Samples& samples, In in, Value value) {
  in.snapshot.node_views.for_each([&](std::uint32_t, const NodeView& node) {
    samples.add(value(node), {{"node", node.name}, {"status", node_word(node)}});
    return true;
  });
}

double mean_us(const Histogram& histogram) {
  return histogram.count() == 0 ? 0
                                : histogram.sum() / static_cast<double>(histogram.count()) * 1e6;
}

using enum MetricType;
constexpr MetricRow rows[] = {
    // --- names of the exporters for Slurm
    {"slurm_queue_pending", gauge, "Pending jobs and array tasks",
     [](Samples& s, In in) { s.add(pending(in.sums.jobs)); }},
    {"slurm_queue_pending_dependency", gauge, "Pending jobs that wait for other jobs",
     [](Samples& s, In in) { s.add(in.sums.jobs.pending_dependency); }},
    {"slurm_queue_running", gauge, "Running jobs",
     [](Samples& s, In in) { s.add(running(in.sums.jobs)); }},
    {"slurm_queue_configuring", gauge, "Jobs whose nodes are being told to start them",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("CONFIGURING")); }},
    {"slurm_queue_completing", gauge, "Jobs that are ending",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("COMPLETING")); }},
    {"slurm_queue_completed", gauge, "Jobs that ended well, not older than MinJobAge",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("COMPLETED")); }},
    {"slurm_queue_failed", gauge, "Jobs that failed, not older than MinJobAge",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("FAILED")); }},
    {"slurm_queue_cancelled", gauge, "Cancelled jobs, not older than MinJobAge",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("CANCELLED")); }},
    {"slurm_queue_timeout", gauge, "Jobs ended by their time limit, not older than MinJobAge",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("TIMEOUT")); }},
    {"slurm_queue_node_fail", gauge, "Jobs ended by a fault of a node, not older than MinJobAge",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("NODE_FAIL")); }},
    {"slurm_queue_preempted", gauge, "Preempted jobs, not older than MinJobAge",
     [](Samples& s, In in) { s.add(in.sums.jobs.of("PREEMPTED")); }},
    {"slurm_nodes_idle", gauge, "Nodes without a job",
     [](Samples& s, In in) { s.add(in.sums.nodes_in("idle")); }},
    {"slurm_nodes_mix", gauge, "Nodes with jobs and free cpus",
     [](Samples& s, In in) { s.add(in.sums.nodes_in("mix")); }},
    {"slurm_nodes_alloc", gauge, "Nodes without a free cpu",
     [](Samples& s, In in) { s.add(in.sums.nodes_in("alloc")); }},
    {"slurm_nodes_drain", gauge, "Drained and draining nodes",
     [](Samples& s, In in) { s.add(in.sums.nodes_in("drain")); }},
    {"slurm_nodes_down", gauge, "Nodes that are down, lost or not heard of yet",
     [](Samples& s, In in) { s.add(in.sums.nodes_in("down")); }},
    {"slurm_cpus_alloc", gauge, "Allocated cpus",
     [](Samples& s, In in) { s.add(in.sums.cpus.allocated); }},
    {"slurm_cpus_idle", gauge, "Free cpus", [](Samples& s, In in) { s.add(in.sums.cpus.idle); }},
    {"slurm_cpus_other", gauge, "Cpus of nodes that take no work, not allocated",
     [](Samples& s, In in) { s.add(in.sums.cpus.other); }},
    {"slurm_cpus_total", gauge, "All cpus", [](Samples& s, In in) { s.add(in.sums.cpus.total()); }},
    {"slurm_gpus_alloc", gauge, "Allocated gpus",
     [](Samples& s, In in) { s.add(gpus_of(in.sums).used); }},
    {"slurm_gpus_idle", gauge, "Gpus that are not allocated",
     [](Samples& s, In in) { s.add(gpus_of(in.sums).total - gpus_of(in.sums).used); }},
    {"slurm_gpus_total", gauge, "All gpus",
     [](Samples& s, In in) { s.add(gpus_of(in.sums).total); }},
    {"slurm_partition_jobs_pending", gauge, "Pending jobs, by partition",
     [](Samples& s, In in) { by_label(s, "partition", in.sums.by_partition, pending); }},
    {"slurm_partition_cpus_allocated", gauge, "Allocated cpus, by partition",
     [](Samples& s, In in) {
       by_label(s, "partition", in.sums.partition_cpus,
                [](const CpuSums& c) { return c.allocated; });
     }},
    {"slurm_partition_cpus_idle", gauge, "Free cpus, by partition",
     [](Samples& s, In in) {
       by_label(s, "partition", in.sums.partition_cpus, [](const CpuSums& c) { return c.idle; });
     }},
    {"slurm_partition_cpus_other", gauge, "Cpus of nodes that take no work, by partition",
     [](Samples& s, In in) {
       by_label(s, "partition", in.sums.partition_cpus, [](const CpuSums& c) { return c.other; });
     }},
    {"slurm_partition_cpus_total", gauge, "All cpus, by partition",
     [](Samples& s, In in) {
       by_label(s, "partition", in.sums.partition_cpus, [](const CpuSums& c) { return c.total(); });
     }},
    {"slurm_account_jobs_pending", gauge, "Pending jobs, by account",
     [](Samples& s, In in) { by_label(s, "account", in.sums.by_account, pending); }},
    {"slurm_account_jobs_running", gauge, "Running jobs, by account",
     [](Samples& s, In in) { by_label(s, "account", in.sums.by_account, running); }},
    {"slurm_account_cpus_running", gauge, "Cpus held by jobs, by account",
     [](Samples& s, In in) { by_label(s, "account", in.sums.by_account, cpus_running); }},
    {"slurm_user_jobs_pending", gauge, "Pending jobs, by user",
     [](Samples& s, In in) { by_label(s, "user", in.sums.by_user, pending); }},
    {"slurm_user_jobs_running", gauge, "Running jobs, by user",
     [](Samples& s, In in) { by_label(s, "user", in.sums.by_user, running); }},
    {"slurm_user_cpus_running", gauge, "Cpus held by jobs, by user",
     [](Samples& s, In in) { by_label(s, "user", in.sums.by_user, cpus_running); }},
    {"slurm_node_cpu_alloc", gauge, "Allocated cpus, by node",
     [](Samples& s, In in) {
       by_node(s, in, [](const NodeView& n) { return cpus_of(n).allocated; });
     }},
    {"slurm_node_cpu_idle", gauge, "Free cpus, by node",
     [](Samples& s, In in) { by_node(s, in, [](const NodeView& n) { return cpus_of(n).idle; }); }},
    {"slurm_node_cpu_other", gauge, "Cpus that take no work, by node",
     [](Samples& s, In in) { by_node(s, in, [](const NodeView& n) { return cpus_of(n).other; }); }},
    {"slurm_node_cpu_total", gauge, "All cpus, by node",
     [](Samples& s, In in) { by_node(s, in, [](const NodeView& n) { return n.shape.cpus; }); }},
    {"slurm_node_mem_alloc", gauge, "Allocated memory in megabytes, by node",
     [](Samples& s, In in) { by_node(s, in, [](const NodeView& n) { return n.mem_used_mb; }); }},
    {"slurm_node_mem_total", gauge, "All memory in megabytes, by node",
     [](Samples& s, In in) { by_node(s, in, [](const NodeView& n) { return n.shape.mem_mb; }); }},
    {"slurm_scheduler_last_cycle", gauge, "The planner's last pass, in microseconds",
     [](Samples& s, In in) { s.add(in.server.plan_s.last() * 1e6); }},
    {"slurm_scheduler_mean_cycle", gauge, "The planner's passes, in microseconds on average",
     [](Samples& s, In in) { s.add(mean_us(in.server.plan_s)); }},
    // --- Sluice's own
    {"sluice_snapshot_number", gauge, "Which committed state these figures show",
     [](Samples& s, In in) { s.add(in.snapshot.number); }},
    {"sluice_jobs", gauge, "Jobs and array tasks by state; ended ones not older than MinJobAge",
     [](Samples& s, In in) {
       by_label(s, "state", in.sums.jobs.by_word, [](std::uint64_t jobs) { return jobs; });
     }},
    {"sluice_gres_total", gauge, "Generic resources of all nodes",
     [](Samples& s, In in) {
       by_label(s, "gres", in.sums.gres, [](const GresSums& g) { return g.total; });
     }},
    {"sluice_gres_allocated", gauge, "Allocated generic resources",
     [](Samples& s, In in) {
       by_label(s, "gres", in.sums.gres, [](const GresSums& g) { return g.used; });
     }},
    {"sluice_job_wait_seconds", histogram, "From the moment a job could start until it did",
     [](Samples& s, In in) { s.add(in.snapshot.totals.wait_s); }},
    {"sluice_jobs_submitted", counter, "Requests that became a job",
     [](Samples& s, In in) { s.add(in.snapshot.totals.submitted, {}, "_total"); }},
    {"sluice_submits_refused", counter, "Requests that became none",
     [](Samples& s, In in) { s.add(in.snapshot.totals.submits_refused, {}, "_total"); }},
    {"sluice_submits_repeated", counter, "Requests that were sent again and made no second job",
     [](Samples& s, In in) { s.add(in.snapshot.totals.submits_repeated, {}, "_total"); }},
    {"sluice_runs_started", counter, "Runs that were given their nodes",
     [](Samples& s, In in) { s.add(in.snapshot.totals.started, {}, "_total"); }},
    {"sluice_runs_requeued", counter, "Runs whose job went back to the queue, by cause",
     [](Samples& s, In in) {
       for (const auto& [cause, runs] : in.snapshot.totals.requeued)
         s.add(runs, {{"cause", enum_name(cause)}}, "_total");
     }},
    {"sluice_jobs_ended", counter, "Jobs and array tasks that ended, by outcome",
     [](Samples& s, In in) {
       for (const auto& [outcome, jobs] : in.snapshot.totals.ended)
         s.add(jobs, {{"outcome", enum_name(outcome)}}, "_total");
     }},
    {"sluice_commit_seconds", histogram, "Commits of the store",
     [](Samples& s, In in) { s.add(in.server.commit_s); }},
    {"sluice_plan_seconds", histogram, "Passes of the planner",
     [](Samples& s, In in) { s.add(in.server.plan_s); }},
    {"sluice_requests", counter, "Messages of commands and agents, by their name",
     [](Samples& s, In in) {
       for (const auto& [message, count] : in.server.requests)
         s.add(count, {{"message", message}}, "_total");
     }},
    {"sluice_requests_refused", counter, "Messages that were answered with an error",
     [](Samples& s, In in) { s.add(in.server.refused, {}, "_total"); }},
};

const char* type_name(const MetricRow& row) {
  return type_names[static_cast<std::size_t>(row.type)];
}

}  // namespace

std::string metrics_text(const Snapshot& snapshot, const ServerTotals& server) {
  const Sums sums = sum_up(snapshot);
  std::string out;
  for (const MetricRow& row : rows) {
    fmt::format_to(std::back_inserter(out), "# TYPE {} {}\n# HELP {} {}.\n", row.name,
                   type_name(row), row.name, row.help);
    Samples samples(out, row.name);
    row.write(samples, Source{snapshot, server, sums});
  }
  return out + "# EOF\n";
}

std::vector<MetricHelp> list_metrics() {
  std::vector<MetricHelp> list;
  for (const MetricRow& row : rows) list.push_back({row.name, type_name(row), row.help});
  return list;
}

}  // namespace sluice
