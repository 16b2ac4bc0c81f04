// scontrol_update.cpp: `scontrol update`: changes to jobs and nodes, by tables of keys.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/selectors.h"
#include "cli/scontrol_actions.h"
#include "common/base/clock.h"
#include "common/base/hostlist.h"
#include "common/options/grammar.h"
#include "common/options/submit_options.h"
#include "common/options/text.h"

namespace sluice {
namespace {

// "key=value", "key+=value", "key-=value".
struct Setting {
  std::string text;
  std::string_view key;
  std::string_view value;
  char sign = 0;
};

std::optional<Setting> parse_setting(const std::string& word) {
  Setting setting;
  setting.text = word;
  const std::string_view text = word;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  setting.key = text.substr(0, equals);
  setting.value = text.substr(equals + 1);
  if (setting.key.back() == '+' || setting.key.back() == '-') {
    setting.sign = setting.key.back();
    setting.key.remove_suffix(1);
  }
  return setting;
}

int abort_request(const Control& control, const std::string& text) {
  control.fail(text);
  return control.fail("Request aborted");
}

Error bad_value(const Setting& setting) {
  return Error{ErrorCode::invalid_argument, fmt::format("Invalid input: {}", setting.text)};
}

// --- jobs --------------------------------------------------------------------------------------
struct JobKey {
  const char* name;
  bool takes_sign;
  Result<void> (*apply)(UpdateJobs& request, const Setting& setting);
};

Result<void> set_time_limit(UpdateJobs& request, const Setting& setting) {
  const Result<TimeLimit> limit = parse_time_limit(setting.value);
  if (!limit.ok()) return bad_value(setting);
  request.time_limit = *limit;
  return {};
}
Result<void> set_nice(UpdateJobs& request, const Setting& setting) {
  const auto nice =
      setting.value.empty() ? std::optional<std::int64_t>(100) : parse_signed(setting.value);
  if (!nice || *nice > 2147483645 || *nice < -2147483645) return bad_value(setting);
  request.nice = static_cast<std::int32_t>(*nice);
  return {};
}
Result<void> set_priority(UpdateJobs& request, const Setting& setting) {
  const auto priority = parse_number(setting.value);
  if (!priority) return bad_value(setting);
  request.priority = *priority;
  return {};
}
Result<void> set_requeue(UpdateJobs& request, const Setting& setting) {
  if (setting.value != "0" && setting.value != "1") return bad_value(setting);
  request.requeue = setting.value == "1";
  return {};
}
Result<void> set_throttle(UpdateJobs& request, const Setting& setting) {
  const auto limit = parse_number(setting.value);
  if (!limit || *limit > UINT32_MAX) return bad_value(setting);
  request.array_max_running = static_cast<std::uint32_t>(*limit);
  return {};
}

// Keys that are options of sbatch under another name: their grammar and their member are the row's.
struct OptionKey {
  const char* name;
  const char* option;
};
constexpr OptionKey option_keys[] = {
    {"CPUsPerTask", "cpus-per-task"},
    {"ExcNodeList", "exclude"},
    {"Features", "constraint"},
    {"Gres", "gres"},
    {"Licenses", "licenses"},
    {"MinCPUsNode", "mincpus"},
    {"MinMemoryCPU", "mem-per-cpu"},
    {"MinMemoryNode", "mem"},
    {"MinTmpDiskNode", "tmp"},
    {"NodeList", "nodelist"},
    {"NumNodes", "nodes"},
    {"NumTasks", "ntasks"},
    {"Partition", "partition"},
    {"ReservationName", "reservation"},
    {"ReqNodeList", "nodelist"},
    {"TimeMin", "time-min"},
    {"TresPerNode", "gres"},
    {"Account", "account"},
    {"Comment", "comment"},
    {"Deadline", "deadline"},
    {"Dependency", "dependency"},
    {"EligibleTime", "begin"},
    {"JobName", "job-name"},
    {"KillOnInvalidDep", "kill-on-invalid-dep"},
    {"MailType", "mail-type"},
    {"MailUser", "mail-user"},
    {"Name", "job-name"},
    {"QOS", "qos"},
    {"Signal", "signal"},
    {"StartTime", "begin"},
    {"StdErr", "error"},
    {"StdIn", "input"},
    {"StdOut", "output"},
    {"WCKey", "wckey"},
    {"WorkDir", "chdir"},
};

const SubmitOption* option_of_key(std::string_view key) {
  for (const OptionKey& row : option_keys) {
    if (!equals_ignoring_case(key, row.name)) continue;
    for (const SubmitOption& option : submit_options())
      if (std::string_view(option.syntax.name) == row.option) return &option;
  }
  return nullptr;
}

// Members that go together: the value of one is none of the others.
constexpr std::string_view groups_of_members[][3] = {
    {"request.nodes_min", "request.nodes_max", ""},
    {"request.mem_per_node_mb", "request.mem_per_cpu_mb", "request.mem_per_gpu_mb"},
};

void add_members(std::string_view member, std::vector<std::string>& members) {
  members.emplace_back(member);
  for (const auto& group : groups_of_members) {
    if (std::find(std::begin(group), std::end(group), member) == std::end(group)) continue;
    for (const std::string_view other : group)
      if (!other.empty() && other != member) members.emplace_back(other);
  }
}

Result<void> apply_option_key(UpdateJobs& request, const SubmitOption& option,
                              const Setting& setting) {
  add_members(option.member, request.members);
  // An empty list of nodes or features takes the former one away.
  if (setting.value.empty() && std::string_view(option.member).starts_with("placement.")) return {};
  SubmitRequest wanted;
  wanted.now_s = to_seconds(read_clocks().wall);
  wanted.spec = std::move(request.spec);
  if (const Result<void> applied = option.apply(wanted, {std::string(setting.value), {}});
      !applied.ok())
    return Error{ErrorCode::invalid_argument,
                 fmt::format("Invalid input: {}: {}", setting.text, applied.error().detail)};
  if (wanted.work_dir) wanted.spec.batch.work_dir = *wanted.work_dir;
  request.spec = std::move(wanted.spec);
  return {};
}

constexpr JobKey job_keys[] = {
    {"TimeLimit", true, set_time_limit},        {"Nice", false, set_nice},
    {"Priority", false, set_priority},          {"Requeue", false, set_requeue},
    {"ArrayTaskThrottle", false, set_throttle},
};

const JobKey* job_key(const Setting& setting) {
  for (const JobKey& key : job_keys)
    if (equals_ignoring_case(setting.key, key.name) && (setting.sign == 0 || key.takes_sign))
      return &key;
  return nullptr;
}

// "timelimit+=5": the limit of each job is its own, so each gets its own request.
int change_time_limit(Control& control, const UpdateJobs& request, char sign) {
  QueryJobs query;
  query.filter = request.filter;
  query.filter.states = {"ALL"};
  query.groups = {"asked"};
  const Result<JobsAnswer> answer = ask_jobs(*control.client(), query);
  if (!answer.ok()) return control.fail("slurm_load_jobs", answer.error());
  for (JobId job : answer->unknown)
    control.fail(
        fmt::format("{} for job {}", error_row(ErrorCode::invalid_job_id).text, job.value));
  int exit_code = answer->unknown.empty() ? 0 : 1;
  const std::int64_t minutes = std::int64_t{request.time_limit->minutes} * (sign == '-' ? -1 : 1);
  for (const JobInfo& job : answer->jobs) {
    const TimeLimit limit = limit_of(job);
    if (limit.unlimited) {
      exit_code = control.fail(fmt::format("TimeLimit is UNLIMITED for job {}", job.id.value));
      continue;
    }
    UpdateJobs one = request;
    one.filter = {};
    one.filter.jobs = {selector_of(job)};
    one.time_limit = TimeLimit{
        false, static_cast<std::uint32_t>(std::max<std::int64_t>(1, limit.minutes + minutes))};
    exit_code = std::max(exit_code, perform(control, one, nullptr));
  }
  return exit_code;
}

int update_job(Control& control, JobFilter filter, const std::vector<Setting>& settings) {
  UpdateJobs request;
  request.filter = std::move(filter);
  char sign = 0;
  for (const Setting& setting : settings) {
    const SubmitOption* option = setting.sign == 0 ? option_of_key(setting.key) : nullptr;
    if (option) {
      const Result<void> applied = apply_option_key(request, *option, setting);
      if (!applied.ok()) return abort_request(control, applied.error().detail);
      continue;
    }
    const JobKey* key = job_key(setting);
    if (!key)
      return abort_request(
          control, fmt::format("Update of this parameter is not supported: {}", setting.text));
    const Result<void> applied = key->apply(request, setting);
    if (!applied.ok()) return abort_request(control, applied.error().detail);
    if (setting.sign != 0) sign = setting.sign;
  }
  if (settings.empty()) return control.fail("No changes specified");
  if (!control.client()) return 1;
  if (sign != 0) return change_time_limit(control, request, sign);
  return perform(control, request, nullptr);
}

// --- nodes -------------------------------------------------------------------------------------
struct NodeStateName {
  const char* name;
  NodeAction action;
};
constexpr NodeStateName node_states[] = {
    {"DOWN", NodeAction::down},       {"DRAIN", NodeAction::drain}, {"RESUME", NodeAction::resume},
    {"UNDRAIN", NodeAction::undrain}, {"IDLE", NodeAction::resume},
};

const NodeStateName* node_state_named(std::string_view name) {
  for (const NodeStateName& state : node_states)
    if (equals_ignoring_case(name, state.name)) return &state;
  return nullptr;
}

int refuse_state(const Control& control, const Setting& setting) {
  abort_request(control, fmt::format("Invalid input: {}", setting.text));
  std::string names;
  for (const NodeStateName& state : node_states) names.append(state.name).append(" ");
  return control.fail("Valid states are: " + names);
}

int update_node(Control& control, std::string_view list, const std::vector<Setting>& settings) {
  UpdateNodes request;
  Result<std::vector<std::string>> nodes = expand_hostlist(list);
  if (!nodes.ok()) return abort_request(control, to_text(nodes.error()));
  request.nodes = std::move(nodes).value();
  bool has_state = false;
  for (const Setting& setting : settings) {
    if (equals_ignoring_case(setting.key, "reason")) {
      request.reason = setting.value;
    } else if (equals_ignoring_case(setting.key, "state")) {
      const NodeStateName* state = node_state_named(setting.value);
      if (!state) return refuse_state(control, setting);
      request.action = state->action;
      has_state = true;
    } else {
      return abort_request(
          control, fmt::format("Update of this parameter is not supported: {}", setting.text));
    }
  }
  if (!has_state) return abort_request(control, "State= is needed to update a node");
  Client* client = control.client();
  if (!client) return 1;
  const Result<OkReply> reply = client->call<OkReply>(request);
  if (reply.ok()) return 0;
  if (reply.error().code == ErrorCode::reason_required)
    return control.fail(error_row(ErrorCode::reason_required).text);
  if (reply.error().code == ErrorCode::access_denied)
    return control.fail("slurm_update error: Invalid user id");
  return control.fail("slurm_update", reply.error());
}

Result<JobFilter> filter_of(std::string_view ids, std::string_view names) {
  JobFilter filter;
  filter.jobs = TRY(parse_job_selectors(ids));
  filter.names = parse_word_list(names);
  return filter;
}

}  // namespace

int perform(Control& control, const UpdateJobs& request, const char* what) {
  Client* client = control.client();
  if (!client) return 1;
  const Result<ActionReply> reply = client->call<ActionReply>(request);
  if (!reply.ok()) return control.fail(what ? what : "slurm_update", reply.error());
  const char* last_text = nullptr;
  for (const ActionAnswer& answer : reply->answers) {
    if (!answer.error) continue;
    last_text = error_row(*answer.error).text;
    control.fail(
        fmt::format("{} for job {}{}{}", last_text,
                    answer.shown_id.empty() ? fmt::format("{}", answer.job.value) : answer.shown_id,
                    answer.detail.empty() ? "" : ": ", answer.detail));
  }
  if (reply->answers.empty() && !request.filter.names.empty())
    return control.fail(
        fmt::format("No jobs with name '{}'", fmt::join(request.filter.names, ",")));
  if (last_text && what) control.fail(fmt::format("{} error: {}", what, last_text));
  return last_text ? 1 : 0;
}

// The first setting says what is changed; "job 5 key=value" is "jobid=5 key=value".
int update(Control& control, Words words) {
  if (is_about_reservation(words)) return update_reservation(control, words);
  std::vector<std::string> texts(words.begin(), words.end());
  if (texts.size() >= 2 &&
      (equals_ignoring_case(texts[0], "job") || equals_ignoring_case(texts[0], "jobid"))) {
    texts[1] = "jobid=" + texts[1];
    texts.erase(texts.begin());
  }
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    const auto setting = parse_setting(text);
    if (!setting) return abort_request(control, fmt::format("Invalid input: {}", text));
    settings.push_back(*setting);
  }
  if (settings.empty()) return control.fail("too few arguments for keyword:update");
  const Setting subject = settings.front();
  settings.erase(settings.begin());
  const auto is = [&](const char* key) { return equals_ignoring_case(subject.key, key); };
  if (is("nodename") || is("node") || is("nodes"))
    return update_node(control, subject.value, settings);
  const bool by_id = is("jobid") || is("job");
  if (by_id || is("jobname") || is("name")) {
    Result<JobFilter> filter = filter_of(by_id ? subject.value : "", by_id ? "" : subject.value);
    if (!filter.ok())
      return control.fail(
          fmt::format("{} for job {}", error_row(filter.error().code).text, subject.value));
    return update_job(control, std::move(filter).value(), settings);
  }
  return abort_request(control,
                       fmt::format("Update of this parameter is not supported: {}", subject.text));
}

}  // namespace sluice
