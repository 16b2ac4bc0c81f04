// job_text.cpp: facts of a job record to text.
#include "cli/listing/job_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/hostlist.h"

namespace sluice {
namespace {

// The throttle is part of the shown id of tasks that wait.
void append_waiting(const JobInfo& job, std::string& out) {
  out += to_text(job.array->waiting);
  if (job.asked.array_max_running > 0)
    fmt::format_to(std::back_inserter(out), "%{}", job.asked.array_max_running);
}

std::optional<std::uint32_t> single_task(const JobRow& row) {
  if (row.waiting_task) return row.waiting_task;
  const ArrayPlace& array = *row.job->array;
  if (array.task) return array.task;
  if (array.waiting.size() == 1) return array.waiting.front();
  return std::nullopt;
}

TresAmounts tres_held(const JobInfo& job) {
  TresAmounts amounts;
  for (const NodeShare& share : job.allocation.shares) {
    amounts.cpus += share.cpus;
    amounts.mem_mb += share.mem_mb;
    add_gres(amounts.gres, share.gres, 1);
  }
  amounts.nodes = job.allocation.shares.size();
  amounts.billing = amounts.cpus;
  return amounts;
}

// Slurm tells a script that was killed by a signal from one that left with a code.
const char* word_of_failure(const JobEnd& end) {
  const bool never_ran = end.cause.kind == CauseKind::launch_failed;
  return never_ran || end.status.signal != 0 ? "JobLaunchFailure" : "NonZeroExitCode";
}

}  // namespace

void append_shown_id(const JobRow& row, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", array_or_job_id(*row.job).value);
  if (!row.job->array) return;
  if (const auto task = single_task(row)) {
    fmt::format_to(std::back_inserter(out), "_{}", *task);
    return;
  }
  out += "_[";
  append_waiting(*row.job, out);
  out += ']';
}

bool append_task(const JobRow& row, std::string& out) {
  if (!row.job->array) return false;
  if (const auto task = single_task(row)) fmt::format_to(std::back_inserter(out), "{}", *task);
  else append_waiting(*row.job, out);
  return true;
}

JobSelector selector_of(const JobInfo& job) {
  JobSelector selector{array_or_job_id(job), {}};
  if (job.array && job.array->task) selector.tasks.insert(*job.array->task);
  else if (job.array) selector.tasks = job.array->waiting;
  return selector;
}

JobId array_or_job_id(const JobInfo& job) { return job.array ? job.array->array_id : job.id; }

TresAmounts tres_asked(const JobInfo& job) {
  const Demand& demand = job.asked.demand;
  TresAmounts amounts;
  amounts.nodes = demand.nodes_min;
  add_gres(amounts.gres, demand.gres_per_node, amounts.nodes);
  add_gres(amounts.gres, demand.gpus, 1);
  add_gres(amounts.gres, demand.gpus_per_task, demand.ntasks);
  std::uint64_t gpus = 0;
  for (const GresCount& gres : amounts.gres)
    if (gres.name == "gpu") gpus += gres.count;
  amounts.cpus = std::max({std::uint64_t{demand.ntasks} * demand.cpus_per_task,
                           amounts.nodes * std::max(1U, demand.cpus_per_node_min),
                           gpus * demand.cpus_per_gpu});
  if (demand.mem_per_gpu_mb > 0) amounts.mem_mb = demand.mem_per_gpu_mb * gpus;
  else if (demand.mem_per_cpu_mb > 0) amounts.mem_mb = demand.mem_per_cpu_mb * amounts.cpus;
  else amounts.mem_mb = demand.mem_per_node_mb * amounts.nodes;
  amounts.billing = amounts.cpus;
  return amounts;
}

TresAmounts tres_of(const JobInfo& job) {
  return job.allocation.empty() ? tres_asked(job) : tres_held(job);
}

std::uint64_t cpus_of(const JobInfo& job) { return tres_of(job).cpus; }
std::uint64_t mem_mb_of(const JobInfo& job) { return tres_of(job).mem_mb; }

std::uint64_t nodes_of(const JobInfo& job) {
  return job.allocation.empty() ? job.asked.demand.nodes_min : job.allocation.shares.size();
}

std::uint32_t cpus_per_node_min(const JobInfo& job) {
  const Demand& demand = job.asked.demand;
  return std::max(demand.cpus_per_task * std::max(demand.ntasks_per_node, 1U),
                  demand.cpus_per_node_min);
}

std::string nodelist_of(const JobInfo& job) {
  const auto& shares = job.allocation.shares;
  if (shares.size() == 1) return shares.front().node;
  std::vector<std::string> names;
  for (const NodeShare& share : shares) names.push_back(share.node);
  return compress_hostlist(names);
}

std::string batch_host_of(const JobInfo& job) {
  return job.allocation.empty() ? std::string{} : job.allocation.shares.front().node;
}

std::int64_t elapsed_s(const JobInfo& job, WallTime as_of) {
  if (job.state == JobState::ended) return job.times.elapsed / std::chrono::seconds(1);
  if (!job.times.started || job.state == JobState::pending) return 0;
  return std::max<std::int64_t>(0, to_seconds(as_of) - to_seconds(*job.times.started));
}

TimeLimit limit_of(const JobInfo& job) {
  return job.asked.time_limit.value_or(TimeLimit{.unlimited = true});
}

bool is_deferred(const JobInfo& job) {
  return job.state == JobState::pending && job.wait.reason == Reason::BeginTime;
}

std::optional<WallTime> start_of(const JobInfo& job) {
  if (is_deferred(job)) return job.times.begin;
  return job.state == JobState::pending ? job.wait.planned_start : job.times.started;
}

std::optional<WallTime> end_of(const JobInfo& job) {
  if (job.times.ended) return job.times.ended;
  const TimeLimit limit = limit_of(job);
  if (job.state == JobState::pending || !job.times.started || limit.unlimited) return std::nullopt;
  return *job.times.started + std::chrono::minutes(limit.minutes);
}

int state_order(const JobInfo& job) {
  switch (job.state) {
    case JobState::pending:
      return 0;
    case JobState::running:
      return 1;
    case JobState::ended:
      return 3 + (job.end ? static_cast<int>(job.end->outcome) : 0);
    case JobState::completing:
      return 100;
    case JobState::starting:
      return 101;
  }
  return 0;
}

std::string user_of(const JobInfo& job, const ListingContext& context) {
  if (!job.names.user.empty() || !context.user_name) return job.names.user;
  return context.user_name(job.names.uid);
}

std::string group_of(const JobInfo& job, const ListingContext& context) {
  if (!job.names.group.empty() || !context.group_name) return job.names.group;
  return context.group_name(job.names.gid);
}

const char* reason_word(const JobInfo& job) {
  // Of a limit the word is the limit's own.
  const char* waits_for = job.wait.reason_limit.empty() ? enum_name(job.wait.reason)
                                                        : job.wait.reason_limit.c_str();
  if (job.state != JobState::ended || !job.end) return waits_for;
  switch (job.end->outcome) {
    case Outcome::completed:
      return "None";
    case Outcome::failed:
      return word_of_failure(*job.end);
    case Outcome::timeout:
      return "TimeLimit";
    case Outcome::out_of_memory:
      return "OutOfMemory";
    case Outcome::node_fail:
      return "NodeDown";
    case Outcome::deadline:
      return "DeadLine";
    case Outcome::cancelled:
    case Outcome::preempted:
    case Outcome::boot_fail:
      break;
  }
  return enum_name(job.wait.reason);
}

std::string reason_sentence(const JobInfo& job) {
  if (!job.wait.reason_detail.empty() || !job.end) return job.wait.reason_detail;
  return job.end->cause.text;
}

const char* sharing_word(const JobInfo& job) {
  if (job.asked.demand.exclusive) return "NO";
  switch (job.asked.request.sharing) {
    case Sharing::oversubscribe:
      return "YES";
    case Sharing::user:
      return "USER";
    case Sharing::exclusive:
      return "NO";
    case Sharing::unsaid:
      break;
  }
  return "OK";
}

namespace {

std::string gres_text(const std::vector<GresCount>& list) {
  std::string out;
  for (const GresCount& gres : list) {
    if (!out.empty()) out += ',';
    fmt::format_to(std::back_inserter(out), "gres:{}{}{}:{}", gres.name,
                   gres.type.empty() ? "" : ":", gres.type, gres.count);
  }
  return out;
}

}  // namespace

std::string number_or_star(std::uint32_t number) {
  return number > 0 ? fmt::format("{}", number) : "*";
}

std::string tres_per_node_text(const JobInfo& job) {
  const bool is_by_socket = !job.asked.request.gpus_per_socket.empty();
  return gres_text(is_by_socket ? job.asked.request.gres_per_node : job.asked.demand.gres_per_node);
}
std::string tres_per_socket_text(const JobInfo& job) {
  return gres_text(job.asked.request.gpus_per_socket);
}
std::string tres_per_job_text(const JobInfo& job) { return gres_text(job.asked.request.gpus); }
std::string tres_per_task_text(const JobInfo& job) {
  return gres_text(job.asked.request.gpus_per_task);
}

std::string cpus_per_tres_text(const JobInfo& job) {
  const std::uint32_t cpus = job.asked.demand.cpus_per_gpu;
  return cpus > 0 ? fmt::format("gres:gpu:{}", cpus) : "";
}

std::string mem_per_tres_text(const JobInfo& job) {
  const std::uint64_t mem_mb = job.asked.demand.mem_per_gpu_mb;
  return mem_mb > 0 ? fmt::format("gres:gpu:{}", mem_mb) : "";
}

}  // namespace sluice
