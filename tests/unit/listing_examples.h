// listing_examples.h: hand-made records that the tests of listings show, after the outputs of a
// real Slurm 22.05.8 that the expected texts were taken from.
#pragma once

#include <cstdlib>
#include <ctime>
#include <string>

#include "cli/listing/job_text.h"
#include "common/wire/messages.h"

namespace sluice::examples {

// Times are shown in UTC, whatever the machine's zone is.
inline void use_utc() {
  setenv("TZ", "UTC", 1);
  tzset();
}

inline WallTime at(std::int64_t seconds) { return wall_from_us(seconds * 1'000'000); }
inline constexpr std::int64_t submitted_s = 1796004995;  // 2026-11-30T02:16:35 UTC

inline ListingContext context() {
  use_utc();
  ListingContext context;
  context.as_of = at(submitted_s + 2);
  context.cluster = "t5";
  context.user_name = [](std::uint32_t uid) { return "user" + std::to_string(uid); };
  context.group_name = [](std::uint32_t gid) { return "group" + std::to_string(gid); };
  return context;
}

// Job 30 of show_formats.out: `sbatch --comment="a b" -n3 -N2 b.sh A1 A2` with --mem-per-cpu=50.
inline JobInfo job_30() {
  JobInfo job;
  job.id = JobId{30};
  job.state = JobState::running;
  job.names = {.name = "jobname",
               .uid = 1001,
               .gid = 1001,
               .user = "stest",
               .group = "stest",
               .account = "acct1",
               .qos = "normal",
               .wckey = "",
               .comment = "a b",
               .partition = "debug"};
  Demand& demand = job.asked.demand;
  demand.nodes_min = demand.nodes_max = 2;
  demand.ntasks = 3;
  demand.mem_per_cpu_mb = 50;
  job.asked.request.nodes_min = job.asked.request.nodes_max = 2;
  job.asked.time_limit = TimeLimit{.unlimited = false, .minutes = 5};
  job.asked.requeue = true;
  job.wait.priority = 2023;
  job.times.submitted = job.times.eligible = at(submitted_s);
  job.times.started = at(submitted_s);
  job.allocation.shares = {{.node = "n1", .cpus = 2, .tasks = 2, .mem_mb = 100, .gres = {}},
                           {.node = "n2", .cpus = 1, .tasks = 1, .mem_mb = 50, .gres = {}}};
  job.files = {.command = "/home/user/w/b.sh A1 A2",
               .work_dir = "/home/user/w",
               .submit_host = "localhost",
               .submit_line = "sbatch --comment=a b -n3 -N2 b.sh A1 A2",
               .output = "/home/user/w/out",
               .error = "",
               .input = ""};
  return job;
}

// What only a job with many options shows.
inline JobInfo job_with_options() {
  JobInfo job = job_30();
  Demand& demand = job.asked.demand;
  demand.cpus_per_node_min = 4;
  demand.tmp_per_node_mb = 2048;
  demand.ntasks_per_socket = 2;
  demand.ntasks_per_core = 1;
  demand.cpus_per_gpu = 2;
  demand.mem_per_gpu_mb = 512;
  demand.gres_per_node = {{"nic", "", 1}};
  job.asked.request.gpus = {{"gpu", "a100", 2}};
  job.asked.request.gpus_per_task = {{"gpu", "", 1}};
  job.asked.request.licenses = "lica:2,licb";
  job.asked.request.sharing = Sharing::user;
  job.asked.placement.constraint = "(a|b),c*2";
  job.asked.time_min = TimeLimit{.unlimited = false, .minutes = 2};
  return job;
}

inline JobInfo pending_job(std::uint32_t id, Reason reason) {
  JobInfo job;
  job.id = JobId{id};
  job.names.name = "wrap";
  job.names.user = "stest";
  job.names.partition = "debug";
  job.asked.demand.mem_per_cpu_mb = 100;
  job.times.submitted = at(submitted_s);
  job.wait.reason = reason;
  job.wait.priority = 100;
  return job;
}

inline JobInfo waiting_array(std::uint32_t id, IndexSet waiting, std::uint32_t max_running) {
  JobInfo job = pending_job(id, Reason::JobArrayTaskLimit);
  job.array = ArrayPlace{JobId{id}, {}, std::move(waiting)};
  job.asked.array_max_running = max_running;
  return job;
}

inline JobInfo ended_job(Outcome outcome, ExitStatus status, Cause cause = {}) {
  JobInfo job = job_30();
  job.state = JobState::ended;
  job.end = JobEnd{outcome, status, std::move(cause)};
  job.times.ended = at(submitted_s + 4);
  job.times.elapsed = std::chrono::seconds(4);
  return job;
}

inline NodeInfo node(const std::string& name, std::vector<std::string> partitions,
                     std::uint32_t cpus_allocated) {
  NodeInfo info;
  info.node.name = name;
  info.node.state = NodeState::up;
  info.node.shape = {.cpus = 8,
                     .sockets = 2,
                     .cores_per_socket = 4,
                     .threads_per_core = 1,
                     .mem_mb = 4000,
                     .tmp_disk_mb = 1000,
                     .gres = {{"gpu", "", 2}}};
  info.node.features = {"feat1", "all"};
  info.node.identity.host = "vm";
  info.node.identity.version = "22.05.8";
  info.address = "127.0.0.1";
  info.partitions = std::move(partitions);
  info.cpus_allocated = cpus_allocated;
  info.mem_allocated_mb = cpus_allocated * 50;
  info.jobs = cpus_allocated > 0 ? 1 : 0;
  return info;
}

inline PartitionConfig partition(const std::string& name, std::vector<std::string> nodes) {
  PartitionConfig config;
  config.name = name;
  config.nodes = std::move(nodes);
  config.is_default = name == "debug";
  if (name == "small") config.max_time = TimeLimit{.unlimited = false, .minutes = 60};
  return config;
}

}  // namespace sluice::examples
