// submit.cpp: a request becomes a job, or is refused with the failing part.
#include <algorithm>

#include <fmt/format.h>

#include "common/base/result.h"
#include "daemon/core/associate.h"
#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"
#include "daemon/core/outlook.h"
#include "daemon/core/priority.h"
#include "daemon/core/reservations.h"
#include "daemon/core/resolve.h"
#include "daemon/sched/fit.h"

namespace sluice {
namespace {

const PartitionView& view_of(const Site& site, const PartitionConfig& partition) {
  const std::size_t index =
      static_cast<std::size_t>(&partition - site.config.partitions.data());
  return site.partitions[index];
}

std::uint64_t smallest_mem_per_cpu_mb(const Site& site, const PartitionView& partition) {
  std::uint64_t smallest = 0;
  for (NodeId id : partition.nodes) {
    const NodeShape& shape = site.nodes.find(id.value)->shape;
    const std::uint64_t mem = std::max<std::uint64_t>(1, shape.mem_mb / std::max(1U, shape.cpus));
    smallest = smallest == 0 ? mem : std::min(smallest, mem);
  }
  return std::max<std::uint64_t>(1, smallest);
}

Result<void> check_owner(const Site& site, const PartitionConfig& partition, const JobSpec& spec) {
  constexpr std::uint32_t nobody = 65534;
  if ((site.config.disable_root_jobs || partition.disable_root_jobs) &&
      (spec.uid == 0 || spec.uid == nobody))
    return Error{ErrorCode::root_refused, fmt::format("uid={} and DisableRootJobs=YES", spec.uid)};
  return {};
}

Result<void> check_array(const State& state, const JobSpec& spec) {
  const IndexSet& tasks = spec.start.array.tasks;
  const std::uint32_t max = state.config->max_array_size;
  if (tasks.empty()) return {};
  if (tasks.back().value_or(0) > array_index_max)
    return Error{ErrorCode::invalid_array,
                 fmt::format("index {} exceeds the largest, {}", *tasks.back(), array_index_max)};
  if (tasks.size() > max)
    return Error{ErrorCode::invalid_array,
                 fmt::format("{} tasks exceed MaxArraySize={}, the most tasks of an array",
                             tasks.size(), max)};
  // Commands never send such a list; each of its tasks must become one job.
  std::vector<std::uint64_t> indices;
  indices.reserve(tasks.size());
  for (const IndexRange& range : tasks.ranges)
    for (std::uint64_t i = range.first; i <= range.last; i += range.step) indices.push_back(i);
  std::sort(indices.begin(), indices.end());
  const auto twice = std::adjacent_find(indices.begin(), indices.end());
  if (twice != indices.end())
    return Error{ErrorCode::invalid_array, fmt::format("index {} stands in it twice", *twice)};
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
  std::vector<PartitionChoice> choices;  // one for each partition of its list
  JobAccount account;  // in the first of them
  Dependency dependency;
};

JobShape shape_of(const JobSpec& spec, const PartitionChoice& choice) {
  return {choice.partition, choice.demand, spec.placement, choice.time_limit};
}

Result<PartitionChoice> check_partition(const Site& site, const JobSpec& spec,
                                        const PartitionConfig& partition, const Now& now) {
  const PartitionView& view = view_of(site, partition);
  TRY(check_owner(site, partition, spec));
  const JobAccount account = TRY(find_job_account(site, spec, partition.name));
  TRY(check_access(partition, account.account, account.qos_name));
  PartitionChoice choice =
      TRY(resolve(spec, partition, site.config, smallest_mem_per_cpu_mb(site, view)));
  choice.association = account.association;
  choice.qos = account.qos;
  TRY(check_deadline(spec, choice.time_limit, now));
  TRY(could_ever_fit(shape_of(spec, choice), view, site.nodes));
  return choice;
}

}  // namespace

// Every partition of the list must be able to take it, or with EnforcePartLimits=NO one of them.
Result<std::vector<PartitionChoice>> check_partitions(const Site& site, const JobSpec& spec,
                                                      const Now& now) {
  const std::vector<const PartitionConfig*> partitions =
      TRY(resolve_partitions(spec, site.config));
  TRY(check_reservations(site, spec));
  std::vector<PartitionChoice> choices;
  std::optional<Error> refused;
  for (const PartitionConfig* partition : partitions) {
    Result<PartitionChoice> choice = check_partition(site, spec, *partition, now);
    if (choice) choices.push_back(std::move(choice).value());
    else if (!refused) refused = choice.error();
  }
  if (refused && (site.config.enforce_part_limits || choices.empty())) return *refused;
  return choices;
}

namespace {

// Too many jobs are refused, in each partition of the list; and what exceeds a limit of each of them
// alone, because it would wait for ever.
Result<void> check_limits(const State& state, const JobSpec& spec, const Accepted& accepted) {
  const LimitRules& rules = *state.limit_rules;
  const std::uint64_t tasks = std::max<std::uint64_t>(1, spec.start.array.tasks.size());
  TRY(check_submit_limits(state, nullptr, accepted.choices, tasks));
  std::optional<LimitHit> first;
  for (const PartitionChoice& choice : accepted.choices) {
    const LimitSubject subject = rules.subject(choice.association, choice.qos, choice.partition);
    auto hit = check_start(rules, {}, subject, least_amounts(choice.demand, choice.time_limit));
    if (!hit) return {};
    if (!first) first = std::move(hit);
  }
  return Error{ErrorCode::policy_violated, fmt::format("{}: {}", first->word, first->detail)};
}

Result<Accepted> check(const State& state, const JobSubmitted& event, const Now& now) {
  const JobSpec& spec = event.request.spec;
  Accepted accepted;
  accepted.choices = TRY(check_partitions(state, spec, now));
  TRY(check_array(state, spec));
  TRY(check_room(state, spec));
  accepted.account = TRY(find_job_account(state, spec, accepted.choices.front().partition));
  TRY(check_limits(state, spec, accepted));
  if (spec.start.nice < 0 && !event.caller.is_admin)
    return Error{ErrorCode::access_denied, "only an administrator may ask for a negative --nice"};
  if (auto mail = check_mail(spec); !mail) return mail.error();
  if (spec.start.priority && !event.caller.is_admin)
    return Error{ErrorCode::access_denied, "only an administrator may ask for a --priority"};
  accepted.dependency = TRY(check_dependency(state, event, now));
  return accepted;
}

// History and listings tell the account and the QOS that it got.
JobSpec with_account(JobSpec spec, const JobAccount& account) {
  spec.account = account.account;
  spec.qos = account.qos_name;
  return spec;
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
  record.requeue = spec.start.requeue.value_or(state.config->job_requeue);
  record.dependency = accepted.dependency;
  take_choice(record, accepted.choices.front());
  if (accepted.choices.size() > 1) record.choices = accepted.choices;
  record.times.submitted = now.wall;
  record.times.begin = spec.start.begin;
  record.times.deadline = spec.start.deadline;
  if (!spec.start.array.tasks.empty())
    record.array = ArrayPlace{.array_id = id, .task = std::nullopt,
                              .waiting = spec.start.array.tasks,
                              .max_running = spec.start.array.max_running};
  record.priority = priority_of(*state.ranking, record);
  return record;
}

// --test-only and `sluice plan`: when and where it would start; nothing is kept.
void answer_test(const State& state, const JobSubmitted& event, const Accepted& accepted,
                 const Now& now, Effects& out) {
  auto trial = std::make_shared<Trial>();
  trial->base.job = state.next_job;
  trial->base.cluster = state.config->cluster_name;
  trial->spec = std::make_shared<const JobSpec>(with_account(event.request.spec, accepted.account));
  trial->record = make_record(state, event, accepted, state.next_job, {}, now);
  out.list.push_back(Foresee{event.from, std::move(trial), event.plan});
}

// Beside an error, the line that Slurm's users, and their tools, look for: by how its detail
// begins.
struct Note {
  const char* detail;
  const char* text;
};
constexpr Note notes_of_never_fits[] = {
    {"cpus=", "CPU count per node can not be satisfied"},
    {"mem_mb=", "Memory specification can not be satisfied"},
    {"tmp_mb=", "Temporary disk specification can not be satisfied"},
};

std::vector<std::string> notes_of(const State& state, const Error& error, const JobSpec& spec) {
  if (error.code == ErrorCode::invalid_partition)
    for (const std::string& name : spec.placement.partitions)
      if (!state.find_partition(name)) return {"invalid partition specified: " + name};
  if (error.code == ErrorCode::policy_violated)
    return {error.detail.substr(0, error.detail.find(':'))};
  if (error.code == ErrorCode::never_fits)
    for (const Note& note : notes_of_never_fits)
      if (error.detail.starts_with(note.detail)) return {note.text};
  return {};
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
    ++state.totals.submits_repeated;
    return out.reply(event.from, reply);
  }
  const Result<Accepted> accepted = check(state, event, now);
  if (!accepted) {
    ++state.totals.submits_refused;
    return out.refuse(event.from, accepted.error(),
                      notes_of(state, accepted.error(), event.request.spec));
  }
  if (event.request.test_only) return answer_test(state, event, *accepted, now, out);

  const StoredSpec spec = state.intern(with_account(event.request.spec, accepted->account));
  const JobId id = take_id(state);
  state.add_job(make_record(state, event, *accepted, id, spec.id, now), spec.spec);
  state.count_live(state.job(id), static_cast<std::int64_t>(task_count(state.job(id))));
  state.extra.blobs.push_back(event.script);
  state.extra.blobs.push_back(event.environment);
  if (!event.request.key.empty()) {
    state.submit_keys[event.request.key] = id;
    state.key_of_job[id] = event.request.key;
    state.extra.keys.push_back({event.request.key, id});
  }
  index_dependency(state, id);
  ++state.totals.submitted;
  audit(state, now, "job_submitted", id, "", spec.spec->uid, "");
  if (!accepted->dependency.terms.empty()) settle_dependency(state, id, event.history, now, out);
  if (state.job(id).state == JobState::pending) settle_pending(state, id, now);
  reply.job = id;
  out.reply(event.from, reply);
}

}  // namespace sluice
