// submit.cpp: a request becomes a job, or is refused with the failing part.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/result.h"
#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"
#include "daemon/core/resolve.h"
#include "daemon/sched/fit.h"
#include "daemon/sched/plan.h"

namespace sluice {
namespace {

const PartitionView& view_of(const State& state, const PartitionConfig& partition) {
  const std::size_t index =
      static_cast<std::size_t>(&partition - state.config->partitions.data());
  return (*state.partitions)[index];
}

std::uint64_t smallest_mem_per_cpu_mb(const State& state, const PartitionView& partition) {
  std::uint64_t smallest = 0;
  for (NodeId id : partition.nodes) {
    const NodeShape& shape = state.node_views.find(id.value)->shape;
    const std::uint64_t mem = std::max<std::uint64_t>(1, shape.mem_mb / std::max(1U, shape.cpus));
    smallest = smallest == 0 ? mem : std::min(smallest, mem);
  }
  return std::max<std::uint64_t>(1, smallest);
}

Result<void> check_owner(const State& state, const PartitionConfig& partition, const JobSpec& spec) {
  constexpr std::uint32_t nobody = 65534;
  if ((state.config->disable_root_jobs || partition.disable_root_jobs) &&
      (spec.uid == 0 || spec.uid == nobody))
    return Error{ErrorCode::root_refused, fmt::format("uid={} and DisableRootJobs=YES", spec.uid)};
  return {};
}

Result<void> check_array(const State& state, const JobSpec& spec) {
  const IndexSet& tasks = spec.start.array.tasks;
  const std::uint32_t max = state.config->max_array_size;
  if (tasks.empty()) return {};
  if (tasks.back().value_or(0) >= max)
    return Error{ErrorCode::invalid_array,
                 fmt::format("index {} is not below MaxArraySize={}", *tasks.back(), max)};
  // Commands never send such a list; each of its tasks must become one job.
  std::vector<bool> seen(max);
  for (const IndexRange& range : tasks.ranges)
    for (std::uint64_t i = range.first; i <= range.last; i += range.step) {
      if (seen[i])
        return Error{ErrorCode::invalid_array, fmt::format("index {} stands in it twice", i)};
      seen[i] = true;
    }
  return {};
}

Result<void> check_room(const State& state, const JobSpec& spec) {
  const std::uint64_t more = std::max<std::uint64_t>(1, spec.start.array.tasks.size());
  if (more > state.config->max_job_count)
    return Error{ErrorCode::invalid_array,
                 fmt::format("{} tasks exceed MaxJobCount={}", more, state.config->max_job_count)};
  if (state.jobs_live + more > state.config->max_job_count)
    return Error{ErrorCode::job_limit_reached,
                 fmt::format("{} jobs and tasks are queued or running, {} more exceed MaxJobCount={}",
                             state.jobs_live, more, state.config->max_job_count)};
  if (state.next_job >= state.ids_end)
    return Error{ErrorCode::job_limit_reached, "job ids are being reserved; try again"};
  return {};
}

// The terms still open. What can never be met refuses the job, unless it said that it would wait.
Result<Dependency> check_dependency(const State& state, const JobSubmitted& event, const Now& now) {
  const JobSpec& spec = event.request.spec;
  const Dependency known =
      TRY(known_terms(state, spec.start.dependency, spec.start.array.tasks, event.history));
  const Waiter self{.id = {}, .array = {}, .task = {}, .twins = twins_of(spec)};
  const bool goes_by_tasks = !spec.start.array.tasks.empty();
  if (goes_by_tasks && is_by_task(known)) return known;
  const OpenTerms open = open_terms(state, known, self, event.history, now);
  if (is_hopeless(open.dependency) && spec.start.kill_on_invalid_dep)
    return Error{ErrorCode::invalid_dependency, open.why_never};
  return open.dependency;
}

struct Accepted {
  Resolved resolved;
  Dependency dependency;
};

Result<Accepted> check(const State& state, const JobSubmitted& event, const Now& now) {
  const JobSpec& spec = event.request.spec;
  const PartitionConfig* partition = TRY(resolve_partition(spec, *state.config));
  const PartitionView& view = view_of(state, *partition);
  Accepted accepted;
  accepted.resolved = TRY(resolve(spec, *state.config, smallest_mem_per_cpu_mb(state, view)));
  if (auto owner = check_owner(state, *partition, spec); !owner) return owner.error();
  if (auto array = check_array(state, spec); !array) return array.error();
  if (auto room = check_room(state, spec); !room) return room.error();
  if (auto in_time = check_deadline(spec, accepted.resolved.time_limit, now); !in_time)
    return in_time.error();
  if (spec.start.nice < 0 && !event.caller.is_admin)
    return Error{ErrorCode::access_denied, "only an administrator may ask for a negative --nice"};
  if (auto mail = check_mail(spec); !mail) return mail.error();
  if (spec.start.priority && !event.caller.is_admin)
    return Error{ErrorCode::access_denied, "only an administrator may ask for a --priority"};
  const JobShape shape{partition->name, accepted.resolved.demand, spec.placement,
                       accepted.resolved.time_limit};
  if (auto fits = could_ever_fit(shape, view, state.node_views); !fits) return fits.error();
  accepted.dependency = TRY(check_dependency(state, event, now));
  return accepted;
}

JobRecord make_record(const State& state, const JobSubmitted& event, const Accepted& accepted,
                      JobId id, SpecId spec_id, const Now& now) {
  const JobSpec& spec = event.request.spec;
  JobRecord record;
  record.id = id;
  record.spec = spec_id;
  record.hold = spec.start.hold ? Hold::user : Hold::none;
  record.nice = spec.start.nice;
  record.priority_asked = spec.start.priority;
  record.priority = spec.start.hold ? 0 : priority_of(record);
  record.requeue = spec.start.requeue.value_or(state.config->job_requeue);
  record.dependency = accepted.dependency;
  record.demand = accepted.resolved.demand;
  record.partition = accepted.resolved.partition->name;
  record.time_limit = accepted.resolved.time_limit;
  record.times.submitted = now.wall;
  record.times.begin = spec.start.begin;
  record.times.deadline = spec.start.deadline;
  if (!spec.start.array.tasks.empty())
    record.array = ArrayPlace{.array_id = id, .task = std::nullopt,
                              .waiting = spec.start.array.tasks,
                              .max_running = spec.start.array.max_running};
  return record;
}

// --test-only: when and where it would start, were it the only new job; nothing is kept.
void answer_test(const State& state, const JobSubmitted& event, const Accepted& accepted,
                 const Now& now, Effects& out) {
  const JobShape shape{accepted.resolved.partition->name, accepted.resolved.demand,
                       event.request.spec.placement, accepted.resolved.time_limit};
  const Fit fit = find_nodes(shape, view_of(state, *accepted.resolved.partition),
                             NodeUse(state.node_views));
  SubmitReply reply;
  reply.job = state.next_job;
  reply.cluster = state.config->cluster_name;
  reply.test_partition = shape.partition;
  reply.test_cpus = shape.demand.ntasks * shape.demand.cpus_per_task;
  if (fit.ok()) {
    reply.test_start = std::max(now.wall, event.request.spec.start.begin.value_or(now.wall));
    for (const NodeShare& share : fit.shares)
      reply.test_nodes += (reply.test_nodes.empty() ? "" : ",") + share.node;
  }
  out.reply(event.from, reply);
}

// The line that Slurm's users, and their tools, look for beside the error.
std::vector<std::string> notes_of(const Error& error, const JobSpec& spec) {
  if (error.code == ErrorCode::invalid_partition && !spec.placement.partitions.empty())
    return {"invalid partition specified: " + spec.placement.partitions.front()};
  if (error.code != ErrorCode::never_fits) return {};
  if (error.detail.starts_with("mem_mb")) return {"Memory specification can not be satisfied"};
  return {"CPU count per node can not be satisfied"};
}

}  // namespace

Result<void> check_deadline(const JobSpec& spec, const std::optional<TimeLimit>& limit,
                            const Now& now) {
  if (!spec.start.deadline) return {};
  if (!limit || limit->unlimited)
    return Error{ErrorCode::time_limit_invalid,
                 "a job without a time limit meets no --deadline; say -t"};
  JobTimes times;
  times.deadline = spec.start.deadline;
  const auto last = last_start(times, limit);
  const WallTime first = std::max(now.wall, spec.start.begin.value_or(now.wall));
  if (first <= *last) return {};
  const auto seconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
  };
  return Error{
      ErrorCode::time_limit_invalid,
      fmt::format("it cannot be over by its --deadline: {} s lie between its first possible "
                  "start and the deadline, the time limit is {} s",
                  seconds(*times.deadline - first), seconds(*times.deadline - *last))};
}

void on_job_submitted(State& state, const JobSubmitted& event, const Now& now, Effects& out) {
  SubmitReply reply;
  reply.cluster = state.config->cluster_name;
  if (auto known = state.submit_keys.find(event.request.key);
      known != state.submit_keys.end() && !event.request.key.empty()) {
    reply.job = known->second;
    return out.reply(event.from, reply);
  }
  const Result<Accepted> accepted = check(state, event, now);
  if (!accepted)
    return out.refuse(event.from, accepted.error(),
                      notes_of(accepted.error(), event.request.spec));
  if (event.request.test_only) return answer_test(state, event, *accepted, now, out);

  const StoredSpec spec = state.intern(event.request.spec);
  const JobId id = take_id(state);
  state.add_job(make_record(state, event, *accepted, id, spec.id, now), spec.spec);
  state.jobs_live += std::max<std::uint64_t>(1, spec.spec->start.array.tasks.size());
  state.extra.blobs.push_back(event.script);
  state.extra.blobs.push_back(event.environment);
  if (!event.request.key.empty()) {
    state.submit_keys[event.request.key] = id;
    state.key_of_job[id] = event.request.key;
    state.extra.keys.push_back({event.request.key, id});
  }
  index_dependency(state, id);
  audit(state, now, "job_submitted", id, "", spec.spec->uid, "");
  if (!accepted->dependency.terms.empty()) settle_dependency(state, id, event.history, now, out);
  if (state.job(id).state == JobState::pending) settle_pending(state, id, now);
  reply.job = id;
  out.reply(event.from, reply);
}

}  // namespace sluice
