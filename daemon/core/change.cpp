// change.cpp: the table of members that may change.
#include "daemon/core/change.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/describe.h"
#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"

namespace sluice {
namespace {

struct ChangeRule {
  std::string_view member;  // as the option table names it
  bool while_it_runs;
};
constexpr ChangeRule rules[] = {
    {"name", true},
    {"comment", true},
    {"wckey", true},
    {"account", false},
    {"qos", false},
    {"mail.types", true},
    {"mail.user", true},
    {"start.begin", false},
    {"start.deadline", false},
    {"start.dependency", false},
    {"start.kill_on_invalid_dep", false},
    {"start.signal", false},
    {"stdio_files.output", false},
    {"stdio_files.error", false},
    {"stdio_files.input", false},
    {"stdio_files.append", false},
    {"batch.work_dir", false},
};

// "start.begin": the member of the member.
template <class T>
void copy_member(T& to, const T& from, std::string_view path) {
  for_each_member<T>([&](std::string_view name, auto member) {
    using Field = std::remove_cvref_t<decltype(to.*member)>;
    if (path == name) {
      to.*member = from.*member;
    } else if constexpr (is_described<Field>) {
      if (path.starts_with(name) && path[name.size()] == '.')
        copy_member(to.*member, from.*member, path.substr(name.size() + 1));
    }
  });
}

bool names(const UpdateJobs& request, std::string_view member) {
  return std::find(request.members.begin(), request.members.end(), member) != request.members.end();
}

// What the planner goes by: checked as at a submit.
bool is_of_nodes(std::string_view member) {
  return member.starts_with("request.") || member.starts_with("placement.") ||
         member == "start.time_min";
}

Result<void> check_member(const JobRecord& record, const std::string& member) {
  const auto rule = std::find_if(std::begin(rules), std::end(rules),
                                 [&](const ChangeRule& row) { return row.member == member; });
  if (rule == std::end(rules) && is_of_nodes(member) && record.state == JobState::pending)
    return {};
  if (is_of_nodes(member))
    return Error{ErrorCode::job_not_pending, member + " can change while it waits"};
  if (rule == std::end(rules)) return Error{ErrorCode::not_supported, member + " cannot change"};
  if (record.state != JobState::pending && !rule->while_it_runs)
    return Error{ErrorCode::job_not_pending, member + " can change while it waits"};
  return {};
}

Result<Dependency> plan_dependency(const State& state, JobId id, const JobSpec& spec,
                                   const JobsUpdated& event, const Now& now) {
  const JobRecord& record = state.job(id);
  const IndexSet tasks = record.array ? record.array->waiting : IndexSet{};
  const Dependency known = TRY(known_terms(state, spec.start.dependency, tasks, event.history));
  if (auto cycle = find_cycle(state, id, known))
    return Error{ErrorCode::invalid_dependency, std::move(*cycle)};
  if (!tasks.empty() && is_by_task(known)) return known;
  OpenTerms open = open_terms(state, known, waiter_of(state, record), event.history, now);
  if (is_hopeless(open.dependency) && spec.start.kill_on_invalid_dep)
    return Error{ErrorCode::invalid_dependency, std::move(open.why_never)};
  return std::move(open.dependency);
}

// A QOS that the new account may not use gives way to that account's default.
Result<JobAccount> find_new_account(const State& state, const JobSpec& spec,
                                    const std::string& partition, bool names_qos) {
  Result<JobAccount> found = find_job_account(state, spec, partition);
  if (found || found.error().code != ErrorCode::invalid_qos || names_qos) return found;
  JobSpec with_default = spec;
  with_default.qos.clear();
  return find_job_account(state, with_default, partition);
}

// The names that the job gets in the first partition of its list that takes them.
Result<JobAccount> plan_account(const State& state, const JobRecord& record, const JobSpec& spec,
                                const UpdateJobs& request,
                                const std::vector<PartitionChoice>& choices) {
  const JobAccount account =
      TRY(find_new_account(state, spec, record.partition, names(request, "qos")));
  std::optional<Error> refused;
  for (const PartitionChoice& choice : choices) {
    const PartitionConfig* partition = state.find_partition(choice.partition);
    if (!partition) continue;
    const Result<void> allowed = check_access(*partition, account.account, account.qos_name);
    if (allowed) return account;
    if (!refused) refused = allowed.error();
  }
  if (refused) return *refused;
  return account;
}

std::vector<PartitionChoice> present_choices(const State& state, const JobRecord& record) {
  std::vector<PartitionChoice> choices;
  for (Standing& standing : standings_of(*state.config, record))
    choices.push_back(std::move(standing.choice));
  return choices;
}

// As if the job were submitted anew with the spec, without its place in the present account.
Result<void> check_limits_of(const State& state, const JobRecord& record, const JobSpec& spec,
                             std::vector<PartitionChoice> choices) {
  for (PartitionChoice& choice : choices) {
    const Result<JobAccount> account = find_job_account(state, spec, choice.partition);
    if (!account) continue;  // it waits for that partition
    choice.association = account->association;
    choice.qos = account->qos;
  }
  return check_submit_limits(state, &record, choices, task_count(record));
}

}  // namespace

Result<Change> plan_change(const State& state, JobId id, const JobsUpdated& event, const Now& now) {
  Change change{.spec = state.spec(id), .dependency = {}, .choices = {}};
  for (const std::string& member : event.request.members) {
    TRY(check_member(state.job(id), member));
    copy_member(change.spec, event.request.spec, member);
  }
  if (!change.spec.batch.work_dir.starts_with('/'))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("work directory {} is not absolute", change.spec.batch.work_dir)};
  TRY(check_mail(change.spec));
  if (names(event.request, "start.deadline") || names(event.request, "start.begin"))
    TRY(check_deadline(change.spec, state.job(id).time_limit, now));
  if (std::any_of(event.request.members.begin(), event.request.members.end(), is_of_nodes)) {
    JobSpec asked = change.spec;  // with the limit that may have been changed by hand
    asked.start.time_limit = state.job(id).time_limit.value_or(TimeLimit{.unlimited = true});
    change.choices = TRY(check_partitions(state, asked, now));
  }
  const std::vector<PartitionChoice> choices =
      change.choices.empty() ? present_choices(state, state.job(id)) : change.choices;
  change.account_changes = names(event.request, "account") || names(event.request, "qos");
  if (change.account_changes) {
    const JobAccount account =
        TRY(plan_account(state, state.job(id), change.spec, event.request, choices));
    change.spec.account = account.account;
    change.spec.qos = account.qos_name;
  }
  if (change.account_changes || !change.choices.empty())
    TRY(check_limits_of(state, state.job(id), change.spec, choices));
  if (names(event.request, "start.dependency"))
    change.dependency = TRY(plan_dependency(state, id, change.spec, event, now));
  return change;
}

namespace {
// What was planned for it was for what it asked before.
void forget_promise(State& state, JobId id) {
  state.edit_job(id).times.forecast.reset();
  auto rest = std::make_shared<Promises>(*state.promises);
  const auto gone = std::erase_if(*rest, [id](const Promise& row) { return row.job == id; });
  if (gone > 0) state.promises = std::move(rest);
}
}  // namespace

void apply_change(State& state, JobId id, const Change& change, const JobsUpdated& event,
                  const Now& now, Effects& out) {
  const std::string twins = twins_of(state.spec(id));
  const bool is_pending = state.job(id).state == JobState::pending;
  if (is_pending) state.dequeue(id);
  state.change_spec(id, state.intern(change.spec));
  if (!change.choices.empty()) forget_promise(state, id);
  if (!change.choices.empty())
    state.recount_live(id, [&](JobRecord& record) {
      record.choices.clear();
      take_choice(record, change.choices.front());
      if (change.choices.size() > 1) record.choices = change.choices;
    });
  if (change.account_changes) take_accounts(state, id);
  JobRecord& record = state.edit_job(id);
  if (names(event.request, "start.begin")) {
    record.times.begin = change.spec.start.begin;
    record.times.eligible = {};
  }
  if (names(event.request, "start.deadline")) record.times.deadline = change.spec.start.deadline;
  if (change.dependency) {
    record.dependency = *change.dependency;
    record.times.eligible = {};
    index_dependency(state, id);
    settle_dependency(state, id, event.history, now, out);
  }
  if (twins != twins_of(change.spec)) settle_singletons(state, twins, now, out);
  if (is_pending && state.job(id).state == JobState::pending) settle_pending(state, id, now);
}

}  // namespace sluice
