// changes.cpp: the tables of what can be asked for less strictly. A row proposes; what it proposes
// is looked at quickly, beside what goes first, and the best few are planned.
#include "daemon/core/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "daemon/core/associate.h"
#include "daemon/core/handlers.h"

namespace sluice {
namespace {

struct Question {
  const Foresight& foresight;
  const Outlook& outlook;
  const SupposedJob& job;
  bool is_waiting;
  WallTime much_earlier;  // a start no later is worth telling
};

// --- numbers that can be lower
// --------------------------------------------------------------------

using Number = std::uint64_t;
struct NumberRow {
  std::optional<Number> (*get)(const SupposedJob& job);  // none: it has nothing to lower
  void (*set)(JobSpec& spec, Number value);
  Number step;         // what is proposed is a multiple of it
  const char* option;  // what sbatch is given, with the number
  const char* update;  // the same of `scontrol update`
};

std::optional<Number> above_one(const std::optional<std::uint32_t>& said) {
  return said && *said > 1 ? std::optional<Number>(*said) : std::nullopt;
}
std::optional<Number> above_zero(const std::optional<std::uint64_t>& said) {
  return said && *said > 0 ? said : std::nullopt;
}
template <auto Member>
std::optional<Number> count_said(const SupposedJob& job) {
  return above_one(job.spec.request.*Member);
}
template <auto Member>
std::optional<Number> mb_said(const SupposedJob& job) {
  return above_zero(job.spec.request.*Member);
}
template <auto Member>
void set_count(JobSpec& spec, Number value) {
  spec.request.*Member = static_cast<std::uint32_t>(value);
}
template <auto Member>
void set_mb(JobSpec& spec, Number value) {
  spec.request.*Member = value;
}

std::optional<Number> nodes_of(const SupposedJob& job) {
  if (!job.spec.placement.nodelist.empty()) return std::nullopt;
  return above_one(job.record.demand.nodes_min);
}
void set_nodes(JobSpec& spec, Number value) {
  spec.request.nodes_min = static_cast<std::uint32_t>(value);
  spec.request.nodes_max = spec.request.nodes_min;
}
std::optional<Number> minutes_of(const SupposedJob& job) {
  constexpr Number longest_min = 366 * 24 * 60;  // of a job without a limit
  const std::optional<TimeLimit>& limit = job.record.time_limit;
  if (!limit || limit->unlimited) return longest_min;
  return limit->minutes > 1 ? std::optional<Number>(limit->minutes) : std::nullopt;
}
void set_minutes(JobSpec& spec, Number value) {
  spec.start.time_limit = TimeLimit{.minutes = static_cast<std::uint32_t>(value)};
}

constexpr NumberRow number_rows[] = {
    {minutes_of, set_minutes, 1, "--time={}", "TimeLimit={}"},
    {nodes_of, set_nodes, 1, "--nodes={}", "NumNodes={}"},
    {count_said<&ResourceRequest::ntasks>, set_count<&ResourceRequest::ntasks>, 1, "--ntasks={}",
     "NumTasks={}"},
    {count_said<&ResourceRequest::cpus_per_task>, set_count<&ResourceRequest::cpus_per_task>, 1,
     "--cpus-per-task={}", "CPUsPerTask={}"},
    {mb_said<&ResourceRequest::mem_per_node_mb>, set_mb<&ResourceRequest::mem_per_node_mb>, 64,
     "--mem={}M", "MinMemoryNode={}"},
    {mb_said<&ResourceRequest::mem_per_cpu_mb>, set_mb<&ResourceRequest::mem_per_cpu_mb>, 64,
     "--mem-per-cpu={}M", "MinMemoryCPU={}"},
};

// --- all else ------------------------------------------------------------------------------------

struct WordRow {
  double size;
  // All ways to have it otherwise.
  std::vector<Proposal> (*propose)(const Question& question);
};

Proposal proposal(std::string option, std::string update, JobSpec spec) {
  Proposal made;
  made.change.option = std::move(option);
  made.change.update = std::move(update);
  made.candidate.spec = std::move(spec);
  return made;
}

std::vector<Proposal> without_begin(const Question& question) {
  const SupposedJob& job = question.job;
  if (!job.record.times.begin || *job.record.times.begin <= question.foresight.now()) return {};
  JobSpec spec = job.spec;
  spec.start.begin.reset();
  return {proposal("--begin=now", "StartTime=now", std::move(spec))};
}

// Terms that all have to hold can be given up one by one.
std::vector<Proposal> without_features(const Question& question) {
  const std::string& all = question.job.spec.placement.constraint;
  if (all.empty()) return {};
  std::vector<Proposal> rows;
  const auto add = [&](std::string rest) {
    JobSpec spec = question.job.spec;
    spec.placement.constraint = rest;
    rows.push_back(proposal(rest.empty() ? "(no --constraint)" : "--constraint='" + rest + "'",
                            "Features=" + rest, std::move(spec)));
  };
  std::vector<std::string> terms{""};
  for (const char c : all)
    if (c == '&') terms.emplace_back();
    else terms.back() += c;
  const bool is_plain = all.find_first_of("[]()|*") == std::string::npos && terms.size() > 1;
  for (std::size_t i = 0; is_plain && i < terms.size(); ++i) {
    std::vector<std::string> rest = terms;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    add(fmt::format("{}", fmt::join(rest, "&")));
  }
  add("");
  return rows;
}

std::vector<Proposal> in_other_partitions(const Question& question) {
  std::vector<Proposal> rows;
  for (const PartitionConfig& partition : question.outlook.config->partitions) {
    if (!partition.up) continue;
    JobSpec spec = question.job.spec;
    if (std::vector{partition.name} == spec.placement.partitions) continue;
    spec.placement.partitions = {partition.name};
    rows.push_back(
        proposal("--partition=" + partition.name, "Partition=" + partition.name, std::move(spec)));
  }
  return rows;
}

std::vector<Proposal> with_other_qos(const Question& question) {
  std::vector<Proposal> rows;
  for (const auto& [id, qos] : question.outlook.limit_rules->accounts.book().qos) {
    if (qos.deleted || qos.name == question.job.spec.qos) continue;
    JobSpec spec = question.job.spec;
    spec.qos = qos.name;
    rows.push_back(proposal("--qos=" + qos.name, "QOS=" + qos.name, std::move(spec)));
  }
  return rows;
}

std::vector<Proposal> in_other_accounts(const Question& question) {
  std::vector<Proposal> rows;
  std::set<std::string> seen{question.job.spec.account};
  for (const auto& [id, row] : question.outlook.limit_rules->accounts.book().associations) {
    if (row.deleted || row.user.empty() || row.user != question.job.spec.user ||
        !seen.insert(row.account).second)
      continue;
    JobSpec spec = question.job.spec;
    spec.account = row.account;
    rows.push_back(proposal("--account=" + row.account, "Account=" + row.account, std::move(spec)));
  }
  return rows;
}

// In one that lets him in; or outside of those he asked for.
std::vector<Proposal> by_reservations(const Question& question) {
  std::vector<Proposal> rows;
  const auto add = [&](std::vector<std::string> names, std::string option, std::string update) {
    JobSpec spec = question.job.spec;
    spec.placement.reservations = std::move(names);
    rows.push_back(proposal(std::move(option), std::move(update), std::move(spec)));
  };
  const std::vector<std::string>& asked = question.job.spec.placement.reservations;
  if (!asked.empty()) add({}, "(no --reservation)", "ReservationName=");
  for (const auto& [name, reservation] : *question.outlook.reservations)
    if (asked != std::vector{name}) add({name}, "--reservation=" + name, "ReservationName=" + name);
  return rows;
}

std::vector<Proposal> without_node_names(const Question& question) {
  std::vector<Proposal> rows;
  const PlacementRequest& placement = question.job.spec.placement;
  const auto add = [&](std::vector<std::string> PlacementRequest::*names, const char* option,
                       const char* update) {
    if ((placement.*names).empty()) return;
    JobSpec spec = question.job.spec;
    (spec.placement.*names).clear();
    rows.push_back(proposal(option, update, std::move(spec)));
  };
  add(&PlacementRequest::exclude, "(no --exclude)", "ExcNodeList=");
  add(&PlacementRequest::nodelist, "(no --nodelist)", "ReqNodeList=");
  return rows;
}

std::vector<Proposal> beside_others(const Question& question) {
  if (question.job.spec.request.sharing != Sharing::exclusive) return {};
  JobSpec spec = question.job.spec;
  spec.request.sharing = Sharing::unsaid;
  return {proposal("(no --exclusive)", "", std::move(spec))};
}

// Any type will do.
std::vector<Proposal> without_gres_types(const Question& question) {
  JobSpec spec = question.job.spec;
  bool had_type = false;
  for (auto* list : {&spec.request.gres_per_node, &spec.request.gpus, &spec.request.gpus_per_task,
                     &spec.request.gpus_per_socket})
    for (GresCount& gres : *list) {
      had_type = had_type || !gres.type.empty();
      gres.type.clear();
    }
  if (!had_type) return {};
  const bool is_gres = spec.request.gpus.empty() && spec.request.gpus_per_task.empty() &&
                       spec.request.gpus_per_socket.empty();
  if (!is_gres) return {proposal("(no type of GPU)", "", std::move(spec))};
  const std::string text = to_text(spec.request.gres_per_node);
  return {proposal("--gres=" + text, "Gres=" + text, std::move(spec))};
}

constexpr WordRow word_rows[] = {
    {0.05, without_begin},     {0.2, in_other_partitions}, {0.25, with_other_qos},
    {0.25, in_other_accounts}, {0.3, by_reservations},     {0.3, without_gres_types},
    {0.3, without_node_names}, {0.4, beside_others},       {0.5, without_features},
};

// --- judged as a submit --------------------------------------------------------------------------

// Of a job that waits in another account or QOS: does he have a place left there? It counts as one
// more, so that nothing is offered that would be refused.
bool may_be_submitted(const Question& question, const JobRecord& record) {
  const LimitRules& rules = *question.outlook.limit_rules;
  const JobRecord& before = question.job.record;
  const LimitSubject subject = rules.subject(record.association, record.qos, record.partition);
  if (subject == rules.subject(before.association, before.qos, before.partition)) return true;
  const std::uint64_t tasks =
      std::max<std::uint64_t>(1, record.array ? record.array->waiting.size() : 1);
  return !check_submit(rules, question.outlook.limits_submitted, {subject}, tasks);
}

// Fills in the record; false: a submit would be refused.
bool judge(const Question& question, SupposedJob& candidate) {
  const Site site(question.outlook);
  const Now now{question.foresight.now(), {}};
  JobSpec& spec = candidate.spec;
  const SupposedJob& job = question.job;
  // The limit may have been changed by hand; a change of something else leaves it as it is.
  if (question.is_waiting && spec.start.time_limit == job.spec.start.time_limit)
    spec.start.time_limit = job.record.time_limit.value_or(TimeLimit{.unlimited = true});
  const auto choices = check_partitions(site, spec, now);
  if (!choices) return false;
  const auto account = find_job_account(site, spec, choices->front().partition);
  if (!account) return false;
  JobRecord& record = candidate.record;
  record = job.record;
  record.choices.clear();
  take_choice(record, choices->front());
  if (choices->size() > 1) record.choices = *choices;
  record.times.begin = spec.start.begin;
  return may_be_submitted(question, record);
}

bool starts_by(const PlannedStart& planned, WallTime time) {
  return planned.start && *planned.start <= time;
}

// By a quick look; none: not by then.
bool would_start_by(const Question& question, SupposedJob& candidate, WallTime time) {
  return judge(question, candidate) &&
         starts_by(question.foresight.quick_start_of(candidate), time);
}

// A number with which it starts by then. Mostly fewer start earlier; but the fewer nodes there are
// the more each has to hold.
std::optional<Number> any_that_helps(Number most, const std::function<bool(Number)>& starts) {
  for (const Number tried : {Number{1}, most / 4, most / 2, most - most / 4, most - 1})
    if (tried > 0 && tried < most && starts(tried)) return tried;
  return std::nullopt;
}

// The highest number with which it starts by then.
std::optional<Proposal> lower(const Question& question, const NumberRow& row, WallTime time) {
  const std::optional<Number> now_asked = row.get(question.job);
  if (!now_asked) return std::nullopt;
  const auto with = [&](Number steps) {
    SupposedJob candidate{{}, question.job.spec};
    row.set(candidate.spec, steps * row.step);
    return candidate;
  };
  SupposedJob best;
  const auto starts = [&](Number steps) {
    SupposedJob candidate = with(steps);
    if (!would_start_by(question, candidate, time)) return false;
    best = std::move(candidate);
    return true;
  };
  Number bad = (*now_asked + row.step - 1) / row.step;  // as it is
  const std::optional<Number> first = any_that_helps(bad, starts);
  if (!first) return std::nullopt;
  Number good = *first;
  while (bad - good > 1) {
    const Number middle = good + (bad - good) / 2;
    (starts(middle) ? good : bad) = middle;
  }
  const Number value = good * row.step;
  Proposal made = proposal(fmt::format(fmt::runtime(row.option), value),
                           fmt::format(fmt::runtime(row.update), value), {});
  made.candidate = std::move(best);
  made.size = 1 - static_cast<double>(value) / static_cast<double>(*now_asked);
  return made;
}

// What seems to help, the least first; of each row the one that gives up least.
std::vector<Proposal> likely_changes(const Question& question) {
  std::vector<Proposal> likely;
  const WallTime now = question.foresight.now();
  for (const NumberRow& row : number_rows) {
    auto found = lower(question, row, now);
    if (!found) found = lower(question, row, question.much_earlier);
    if (found) likely.push_back(std::move(*found));
  }
  for (const WordRow& row : word_rows) {
    std::optional<Proposal> best;
    std::optional<WallTime> start;
    for (Proposal& one : row.propose(question)) {
      if (!judge(question, one.candidate)) continue;
      const PlannedStart planned = question.foresight.quick_start_of(one.candidate);
      if (!starts_by(planned, question.much_earlier) || (start && *start <= *planned.start))
        continue;
      start = planned.start;
      best = std::move(one);
      best->size = row.size;
    }
    if (best) likely.push_back(std::move(*best));
  }
  return likely;
}

}  // namespace

std::vector<Proposal> helpful_changes(const Foresight& foresight, const Outlook& outlook,
                                      const SupposedJob& job, const PlannedStart& planned,
                                      bool is_waiting) {
  constexpr std::size_t told_max = 3;
  constexpr std::size_t planned_max = 6;  // each costs a pass
  const WallTime now = foresight.now();
  if (starts_by(planned, now) || !job.record.claims.empty()) return {};
  const WallTime half = planned.start ? now + (*planned.start - now) / 2 : endless;
  const Question question{foresight, outlook, job, is_waiting, half};
  const auto goes_first = [](const Proposal& a, const Proposal& b) {
    return std::pair(!a.change.starts_now, a.size) < std::pair(!b.change.starts_now, b.size);
  };
  std::vector<Proposal> likely = likely_changes(question);
  for (Proposal& one : likely) {
    one.change.planned = foresight.quick_start_of(one.candidate);
    one.change.starts_now = starts_by(one.change.planned, now);
  }
  std::stable_sort(likely.begin(), likely.end(), goes_first);
  std::vector<Proposal> helpful;
  for (std::size_t i = 0; i < std::min(likely.size(), planned_max); ++i) {
    Proposal& one = likely[i];
    const bool keeps_promise = is_waiting && one.candidate.spec.request == job.spec.request &&
                               one.candidate.spec.placement == job.spec.placement;
    one.change.planned = foresight.start_of(one.candidate, keeps_promise);
    if (!starts_by(one.change.planned, half)) continue;
    one.change.starts_now = starts_by(one.change.planned, now);
    helpful.push_back(std::move(one));
  }
  std::stable_sort(helpful.begin(), helpful.end(), goes_first);
  if (helpful.size() > told_max) helpful.resize(told_max);
  return helpful;
}

}  // namespace sluice
