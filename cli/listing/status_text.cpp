// status_text.cpp: lines for people; nothing parses them.
#include "cli/listing/status_text.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr std::size_t column_count = 6;
using Line = std::array<std::string, column_count>;

std::string where_or_why(const JobInfo& job) {
  if (job.state != JobState::pending) return nodelist_of(job);
  const std::string sentence = reason_sentence(job);
  return fmt::format("{}{}{}", reason_word(job), sentence.empty() ? "" : ": ", sentence);
}

Line line_of(const JobInfo& job, const ListingContext& context) {
  Line line;
  append_shown_id(JobRow{&job, {}}, line[0]);
  line[1] = job.names.name;
  line[2] = state_word(job.state, job.end, job.special_exit);
  append_short_duration(elapsed_s(job, context.as_of), line[3]);
  append_short_limit(limit_of(job), line[4]);
  line[5] = where_or_why(job);
  return line;
}

std::string aligned(const std::vector<Line>& lines) {
  std::array<std::size_t, column_count> widths{};
  for (const Line& line : lines)
    for (std::size_t i = 0; i < column_count; ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (const Line& line : lines) {
    std::string text = " ";
    for (std::size_t i = 0; i + 1 < column_count; ++i)
      text += fmt::format(" {:<{}} ", line[i], widths[i]);
    out.append(text).append(" ").append(line.back()).append("\n");
  }
  return out;
}

std::string words_of_nodes(const std::vector<NodeInfo>& nodes) {
  std::map<std::string, std::size_t> counts;
  for (const NodeInfo& info : nodes) ++counts[node_state_word(info)];
  std::string out;
  for (const auto& [word, count] : counts)
    fmt::format_to(std::back_inserter(out), "{}{} {}", out.empty() ? "" : ", ", count, word);
  return out;
}

std::uint64_t tasks_in(const JobInfo& job) {
  return job.array && !job.array->task ? job.array->waiting.size() : 1;
}

}  // namespace

std::string cluster_use_text(const std::vector<NodeInfo>& nodes, const ListingContext& context) {
  CpuCounts cpus;
  std::uint64_t mem_mb = 0;
  std::uint64_t mem_used_mb = 0;
  for (const NodeInfo& info : nodes) {
    const CpuCounts counts = cpu_counts(info);
    cpus.allocated += counts.allocated;
    cpus.idle += counts.idle;
    cpus.total += counts.total;
    mem_mb += info.node.shape.mem_mb;
    mem_used_mb += info.mem_allocated_mb;
  }
  return fmt::format(
      "Cluster {}: {} node{} ({}); cpus: {} of {} in use, {} free; memory: {} of {} MB in use\n",
      context.cluster, nodes.size(), nodes.size() == 1 ? "" : "s",
      nodes.empty() ? "none configured" : words_of_nodes(nodes), cpus.allocated, cpus.total,
      cpus.idle, mem_used_mb, mem_mb);
}

std::string own_jobs_text(const std::vector<JobInfo>& jobs, const std::string& user,
                          const ListingContext& context) {
  if (jobs.empty()) return fmt::format("No jobs of {} are waiting or running.\n", user);
  std::uint64_t waiting = 0;
  std::uint64_t active = 0;
  std::vector<Line> lines = {{"JOBID", "NAME", "STATE", "TIME", "LIMIT", "WHERE OR WHY"}};
  for (const JobInfo& job : jobs) {
    (job.state == JobState::pending ? waiting : active) += tasks_in(job);
    lines.push_back(line_of(job, context));
  }
  return fmt::format("Jobs of {}: {} running, {} waiting\n\n", user, active, waiting) +
         aligned(lines);
}

}  // namespace sluice
