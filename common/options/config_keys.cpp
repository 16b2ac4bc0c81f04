// config_keys.cpp: the rows, and the functions that put a value where it belongs.
#include "common/options/config_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/base/hostlist.h"
#include "common/options/config_values.h"
#include "common/options/grammar.h"
#include "common/options/priority_values.h"
#include "common/options/text.h"

namespace sluice {
namespace {

using Value = const std::string&;

template <auto Member>
auto& member(ClusterConfig& config) {
  return config.*Member;
}

// A member of one of the groups inside ClusterConfig.
template <auto Group, auto Member>
auto& member(ClusterConfig& config) {
  return config.*Group.*Member;
}

template <auto Group, auto Inner, auto Member>
auto& member(ClusterConfig& config) {
  return config.*Group.*Inner.*Member;
}

template <auto... Path>
Result<void> text(KeyContext& context, Value value) {
  if (value.empty()) return Error{ErrorCode::config_invalid, "expected a value"};
  member<Path...>(context.config) = value;
  return {};
}

template <auto... Path>
Result<void> absolute_path(KeyContext& context, Value value) {
  if (!value.starts_with('/'))
    return Error{ErrorCode::config_invalid,
                 fmt::format("expected an absolute path, not '{}'", value)};
  member<Path...>(context.config) = value;
  return {};
}

template <std::uint64_t Min, std::uint64_t Max, auto... Path>
Result<void> number(KeyContext& context, Value value) {
  auto& target = member<Path...>(context.config);
  using Number = std::remove_reference_t<decltype(target)>;
  target = static_cast<Number>(TRY(parse_config_number(value, {Min, Max})));
  return {};
}

template <auto... Path>
Result<void> yes_no(KeyContext& context, Value value) {
  member<Path...>(context.config) = TRY(parse_config_yes_no(value));
  return {};
}

template <auto... Path>
Result<void> milliseconds(KeyContext& context, Value value) {
  member<Path...>(context.config) = TRY(parse_config_milliseconds(value));
  return {};
}

template <auto... Path>
Result<void> memory_limit(KeyContext& context, Value value) {
  member<Path...>(context.config) = TRY(parse_config_memory_limit(value));
  return {};
}

// HOST or HOST(ADDRESS). The first is the controller; more of them name standby controllers.
Result<void> controller_host(KeyContext& context, Value value) {
  static const ClusterConfig defaults;
  if (context.config.controller_host != defaults.controller_host) {
    context.notes.push_back(
        fmt::format("{}: standby controllers are not supported, only the first is used", value));
    return {};
  }
  const std::size_t open = value.find('(');
  const std::string host = value.substr(0, open);
  if (host.empty() || (open != std::string::npos && !value.ends_with(')')))
    return Error{ErrorCode::config_invalid,
                 fmt::format("expected HOST or HOST(ADDRESS), not '{}'", value)};
  context.config.controller_host = host;
  context.config.controller_address =
      open == std::string::npos ? host : value.substr(open + 1, value.size() - open - 2);
  return {};
}

Result<void> metrics_addr(KeyContext& context, Value value) {
  if (equals_ignoring_case(value, "NONE")) {
    context.config.metrics_addr.clear();
    return {};
  }
  const std::size_t colon = value.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return Error{ErrorCode::config_invalid,
                 fmt::format("expected ADDRESS:PORT or NONE, not '{}'", value)};
  TRY(parse_config_number(std::string_view{value}.substr(colon + 1), {1, 65535}));
  context.config.metrics_addr = value;
  return {};
}

// Minutes, or UNLIMITED.
Result<void> over_run(KeyContext& context, Value value) {
  TimeLimit limit{.unlimited = equals_ignoring_case(value, "UNLIMITED") ||
                               equals_ignoring_case(value, "INFINITE")};
  if (!limit.unlimited)
    limit.minutes = static_cast<std::uint32_t>(TRY(parse_config_number(value, {0, 65533})));
  context.config.timeouts.resv_over_run = limit;
  return {};
}

Result<void> enforce_part_limits(KeyContext& context, Value value) {
  const bool any = equals_ignoring_case(value, "ANY");
  if (any) context.notes.push_back("ANY: treated as ALL, every partition of a list must fit");
  context.config.enforce_part_limits =
      any || equals_ignoring_case(value, "ALL") || TRY(parse_config_yes_no(value));
  return {};
}

struct SchedulerParameter {
  std::string_view name;  // with its '='
  Result<void> (*apply)(ClusterConfig& config, std::string_view value);
};
constexpr SchedulerParameter parameters[] = {
    {"max_script_size=",
     [](ClusterConfig& config, std::string_view value) -> Result<void> {
       config.max_script_bytes = TRY(parse_config_number(value, {1, 30U << 20}));
       return {};
     }},
    {"bf_max_job_test=",
     [](ClusterConfig& config, std::string_view value) -> Result<void> {
       config.planning.planned_max =
           static_cast<std::uint32_t>(TRY(parse_config_number(value, {1, 1'000'000})));
       return {};
     }},
    {"bf_window=",
     [](ClusterConfig& config, std::string_view value) -> Result<void> {
       config.planning.window_min =
           static_cast<std::uint32_t>(TRY(parse_config_number(value, {1, 43'200})));
       return {};
     }},
};

Result<void> scheduler_parameters(KeyContext& context, Value value) {
  std::string others;
  for (const std::string& parameter : split_list(value, ',')) {
    const auto row =
        std::find_if(std::begin(parameters), std::end(parameters),
                     [&](const auto& known) { return parameter.starts_with(known.name); });
    if (row != std::end(parameters))
      TRY(row->apply(context.config, std::string_view{parameter}.substr(row->name.size())));
    else if (parameter != "bf_continue")  // plans are always made on
      others += (others.empty() ? "" : ",") + parameter;
  }
  if (!others.empty())
    context.notes.push_back(
        fmt::format("{}: not used, the planner of Sluice has no such parameters", others));
  return {};
}

Result<void> backfill(KeyContext& context, Value value) {
  if (enum_from_name(value, context.config.planning.backfill)) return {};
  return Error{ErrorCode::config_invalid,
               fmt::format("expected none, easy, conservative, guarantee or balanced, not '{}'", value)};
}

// Slurm's two schedulers; which backfill is SluiceBackfill's to say.
Result<void> scheduler_type(KeyContext& context, Value value) {
  Backfill& rule = context.config.planning.backfill;
  const bool is_builtin = equals_ignoring_case(value, "sched/builtin");
  if (!is_builtin && !equals_ignoring_case(value, "sched/backfill"))
    return Error{ErrorCode::config_invalid,
                 fmt::format("expected sched/backfill or sched/builtin, not '{}'", value)};
  if (is_builtin) rule = Backfill::none;
  else if (rule == Backfill::none) rule = PlanRules{}.backfill;
  return {};
}

template <auto... Path>
Result<void> hosts(KeyContext& context, Value value) {
  Result<std::vector<std::string>> names = expand_hostlist(value);
  if (!names.ok()) return Error{ErrorCode::config_invalid, names.error().detail};
  member<Path...>(context.config) = std::move(names).value();
  return {};
}

template <auto... Path>
Result<void> limit_names(KeyContext& context, Value value) {
  Result<std::vector<std::string>> names = parse_limit_names(value);
  if (!names.ok()) return Error{ErrorCode::config_invalid, names.error().detail};
  member<Path...>(context.config) = std::move(names).value();
  return {};
}

// "lica:10,licb*5": Slurm takes both signs.
Result<void> licenses(KeyContext& context, Value value) {
  std::string text;
  for (const std::string& element : split_list(value, ',')) text += (text.empty() ? "" : ",") + element;
  std::replace(text.begin(), text.end(), '*', ':');
  Result<std::vector<LicenseCount>> parsed = parse_licenses(text);
  if (!parsed.ok()) return Error{ErrorCode::config_invalid, parsed.error().detail};
  context.config.licenses = std::move(parsed).value();
  return {};
}

// "1,3-5": exit codes of scripts.
template <auto... Path>
Result<void> exit_codes(KeyContext& context, Value value) {
  Result<IndexSet> codes = parse_index_set(value);
  if (!codes.ok() || codes->back().value_or(256) > 255)
    return Error{ErrorCode::config_invalid,
                 fmt::format("expected exit codes as 1,3-5, none above 255, not '{}'", value)};
  member<Path...>(context.config) = std::move(codes).value();
  return {};
}

Result<void> dependency_parameters(KeyContext& context, Value value) {
  for (const std::string& parameter : split_list(value, ','))
    if (parameter != "kill_invalid_depend")  // what is done anyway, unless a job says otherwise
      context.notes.push_back(fmt::format("{}: not used, Sluice has no such parameter", parameter));
  return {};
}

// "priority/basic" or "priority/multifactor".
Result<void> priority_type(KeyContext& context, Value value) {
  context.config.priority.multifactor = equals_ignoring_case(value, "priority/multifactor");
  if (context.config.priority.multifactor || equals_ignoring_case(value, "priority/basic")) return {};
  return Error{ErrorCode::config_invalid,
               fmt::format("expected priority/basic or priority/multifactor, not '{}'", value)};
}

template <std::uint32_t Min, auto Member>
Result<void> priority_period(KeyContext& context, Value value) {
  context.config.priority.*Member = TRY(parse_period_min(value, Min));
  return {};
}

Result<void> priority_flags(KeyContext& context, Value value) {
  context.config.priority.flags = TRY(parse_priority_flags(value));
  return {};
}

Result<void> usage_reset(KeyContext& context, Value value) {
  context.config.priority.usage_reset = TRY(parse_usage_reset(value));
  return {};
}

Result<void> tres_weights(KeyContext& context, Value value) {
  context.config.priority.weights.tres = TRY(parse_tres_weights(value));
  return {};
}

Result<void> gres_types(KeyContext&, Value) { return {}; }

struct EnforceWord {
  std::string_view name;
  std::vector<bool AccountingConfig::*> sets;  // with what it implies
};

// "associations,limits,qos,safe", "all", "none" or 0; 1 is Slurm's old word for associations.
Result<void> accounting_enforce(KeyContext& context, Value value) {
  using Enforce = AccountingConfig;
  static const EnforceWord words[] = {
      {"none", {}},
      {"0", {}},
      {"associations", {&Enforce::associations}},
      {"1", {&Enforce::associations}},
      {"limits", {&Enforce::associations, &Enforce::limits}},
      {"qos", {&Enforce::associations, &Enforce::qos}},
      {"safe", {&Enforce::associations, &Enforce::limits, &Enforce::safe}},
      {"nojobs", {}},
      {"nosteps", {}},
      {"all",
       {&Enforce::associations, &Enforce::limits, &Enforce::qos, &Enforce::safe}},
  };
  Enforce enforce;
  for (const std::string& word : split_list(value, ',')) {
    const auto row = std::find_if(std::begin(words), std::end(words), [&](const EnforceWord& known) {
      return equals_ignoring_case(word, known.name);
    });
    if (row == std::end(words))
      return Error{ErrorCode::config_invalid,
                   fmt::format("expected associations, limits, qos, safe, all or none, not '{}'",
                               word)};
    if (word.starts_with("no") && row->sets.empty() && !equals_ignoring_case(word, "none"))
      context.notes.push_back(fmt::format("{}: not used, jobs are always recorded", word));
    for (const auto member : row->sets) enforce.*member = true;
  }
  context.config.accounting = enforce;
  return {};
}

using Config = ClusterConfig;
using Times = TimeoutConfig;
using Paths = PathConfig;
using Ends = EndConfig;
using Prio = PriorityConfig;
using Weights = PriorityWeights;
constexpr auto times = &Config::timeouts;
constexpr auto ends = &Config::ends;
constexpr auto prio = &Config::priority;
constexpr auto weights = &Prio::weights;
constexpr auto paths = &Config::paths;
constexpr std::uint64_t seconds_max = 65533;

constexpr KeyUse honoured = KeyUse::honoured;
constexpr KeyUse in_own_file = KeyUse::honoured_in_own_file;
constexpr KeyUse ignored = KeyUse::ignored;
constexpr KeyUse unsupported = KeyUse::unsupported;
constexpr KeyUse refused = KeyUse::refused;

constexpr std::string_view own_way = "Sluice does this in one way of its own";
constexpr std::string_view own_trust = "trust comes from the cluster key and the kernel";
constexpr std::string_view own_accounting = "accounting is part of the controller's state file";
constexpr std::string_view later = "not built yet";
constexpr std::string_view no_dampening = "shares are those of the Fair Tree, which has no such factor";
constexpr std::string_view no_scripts = "the program would not be run: not built yet";
constexpr std::string_view no_power = "power saving and cloud nodes are not built yet";
constexpr std::string_view no_plugins = "plugins of Slurm cannot be loaded";
constexpr std::string_view slurms_place =
    "belongs to Slurm while this is Slurm's file; Sluice's own file may set it";

constexpr std::array rows = {
    // Sluice's own keys: honoured in every file.
    ConfigKey{"SluiceAdminHosts", honoured, "", hosts<&Config::admin_hosts>},
    ConfigKey{"SluiceAgentLog", honoured, "", absolute_path<paths, &Paths::agent_log>},
    ConfigKey{"SluiceAgentSocket", honoured, "", absolute_path<paths, &Paths::agent_socket>},
    ConfigKey{"SluiceBackfill", honoured, "", backfill},
    ConfigKey{"SluiceControllerLog", honoured, "", absolute_path<paths, &Paths::controller_log>},
    ConfigKey{"SluiceControllerPort", honoured, "", number<1, 65535, &Config::controller_port>},
    ConfigKey{"SluiceControllerSocket", honoured, "",
              absolute_path<paths, &Paths::controller_socket>},
    ConfigKey{"SluiceHeartbeat", honoured, "", milliseconds<times, &Times::heartbeat_ms>},
    ConfigKey{"SluiceKeyFile", honoured, "", absolute_path<paths, &Paths::key_file>},
    ConfigKey{"SluiceLaunchTimeout", honoured, "",
              number<1, seconds_max, times, &Times::launch_timeout_s>},
    ConfigKey{"SluiceLease", honoured, "", number<1, seconds_max, times, &Times::lease_s>},
    ConfigKey{"SluiceLoginHosts", honoured, "", hosts<&Config::login_hosts>},
    ConfigKey{"SluiceMetricsAddr", honoured, "", metrics_addr},
    ConfigKey{"SluiceSpoolDir", honoured, "", absolute_path<paths, &Paths::spool_dir>},
    ConfigKey{"SluiceStateDir", honoured, "", absolute_path<paths, &Paths::state_dir>},
    ConfigKey{"SluiceWitnessPort", honoured, "", number<1, 65535, &Config::agent_port>},
    // Slurm's.
    ConfigKey{"AccountingStorageBackupHost", ignored, own_accounting},
    ConfigKey{"AccountingStorageEnforce", honoured, "", accounting_enforce},
    ConfigKey{"AccountingStorageExternalHost", ignored, own_accounting},
    ConfigKey{"AccountingStorageHost", ignored, own_accounting},
    ConfigKey{"AccountingStorageLoc", ignored, own_accounting},
    ConfigKey{"AccountingStorageParameters", ignored, own_accounting},
    ConfigKey{"AccountingStoragePass", ignored, own_accounting},
    ConfigKey{"AccountingStoragePort", ignored, own_accounting},
    ConfigKey{"AccountingStorageTRES", unsupported, later},
    ConfigKey{"AccountingStorageType", ignored, own_accounting},
    ConfigKey{"AccountingStorageUser", ignored, own_accounting},
    ConfigKey{"AccountingStoreFlags", ignored, own_accounting},
    ConfigKey{"AccountingStoreJobComment", ignored, own_accounting},
    ConfigKey{"AcctGatherEnergyType", unsupported, later},
    ConfigKey{"AcctGatherFilesystemType", unsupported, later},
    ConfigKey{"AcctGatherInterconnectType", unsupported, later},
    ConfigKey{"AcctGatherNodeFreq", ignored, own_way},
    ConfigKey{"AcctGatherProfileType", unsupported, later},
    ConfigKey{"AllowSpecResourcesUsage", unsupported, later},
    ConfigKey{"AuthAltParameters", ignored, own_trust},
    ConfigKey{"AuthAltTypes", ignored, own_trust},
    ConfigKey{"AuthInfo", ignored, own_trust},
    ConfigKey{"AuthType", ignored, own_trust},
    ConfigKey{"BackupAddr", refused, "write SlurmctldHost=HOST(ADDRESS)"},
    ConfigKey{"BackupController", refused, "write SlurmctldHost=HOST(ADDRESS)"},
    ConfigKey{"BatchStartTimeout", ignored, "SluiceLaunchTimeout says it"},
    ConfigKey{"BcastExclude", unsupported, later},
    ConfigKey{"BcastParameters", unsupported, later},
    ConfigKey{"BurstBufferType", unsupported, later},
    ConfigKey{"CacheGroups", ignored, own_way},
    ConfigKey{"CheckpointType", unsupported, later},
    ConfigKey{"CliFilterPlugins", unsupported, no_plugins},
    ConfigKey{"ClusterName", honoured, "", text<&Config::cluster_name>},
    ConfigKey{"CommunicationParameters", ignored, own_way},
    ConfigKey{"CompleteWait", ignored, own_way},
    ConfigKey{"ControlAddr", refused, "write SlurmctldHost=HOST(ADDRESS)"},
    ConfigKey{"ControlMachine", refused, "write SlurmctldHost=HOST(ADDRESS)"},
    ConfigKey{"CoreSpecPlugin", ignored, own_way},
    ConfigKey{"CpuFreqDef", unsupported, later},
    ConfigKey{"CpuFreqGovernors", unsupported, later},
    ConfigKey{"CredType", ignored, own_trust},
    ConfigKey{"CryptoType", ignored, own_trust},
    ConfigKey{"DataParserParameters", ignored, own_way},
    ConfigKey{"DebugFlags", ignored, own_way},
    ConfigKey{"DefCpuPerGPU", unsupported, later},
    ConfigKey{"DefMemPerCPU", honoured, "", memory_limit<&Config::def_mem_per_cpu_mb>},
    ConfigKey{"DefMemPerGPU", unsupported, later},
    ConfigKey{"DefMemPerNode", honoured, "", memory_limit<&Config::def_mem_per_node_mb>},
    ConfigKey{"DependencyParameters", honoured, "", dependency_parameters},
    ConfigKey{"DisableRootJobs", honoured, "", yes_no<&Config::disable_root_jobs>},
    ConfigKey{"EioTimeout", ignored, own_way},
    ConfigKey{"EnforcePartLimits", honoured, "", enforce_part_limits},
    ConfigKey{"Epilog", unsupported, no_scripts},
    ConfigKey{"EpilogMsgTime", ignored, own_way},
    ConfigKey{"EpilogSlurmctld", unsupported, no_scripts},
    ConfigKey{"ExtSensorsFreq", unsupported, later},
    ConfigKey{"ExtSensorsType", unsupported, later},
    ConfigKey{"FairShareDampeningFactor", ignored, no_dampening},
    ConfigKey{"FastSchedule", refused, "removed in Slurm 20.02: delete the line"},
    ConfigKey{"FederationParameters", unsupported, later},
    ConfigKey{"FirstJobId", honoured, "", number<1, 0x7fffffff, &Config::first_job_id>},
    ConfigKey{"GetEnvTimeout", unsupported, later},
    ConfigKey{"GpuFreqDef", unsupported, later},
    ConfigKey{"GresTypes", honoured, "", gres_types},
    ConfigKey{"GroupUpdateForce", ignored, own_way},
    ConfigKey{"GroupUpdateTime", ignored, own_way},
    ConfigKey{"HashPlugin", ignored, own_trust},
    ConfigKey{"HealthCheckInterval", unsupported, later},
    ConfigKey{"HealthCheckNodeState", unsupported, later},
    ConfigKey{"HealthCheckProgram", unsupported, no_scripts},
    ConfigKey{"InactiveLimit", unsupported, later},
    ConfigKey{"InteractiveStepOptions", unsupported, later},
    ConfigKey{"JobAcctGatherFrequency", ignored, own_way},
    ConfigKey{"JobAcctGatherParams", ignored, own_way},
    ConfigKey{"JobAcctGatherType", ignored, own_way},
    ConfigKey{"JobCompHost", ignored, own_accounting},
    ConfigKey{"JobCompLoc", ignored, own_accounting},
    ConfigKey{"JobCompParams", ignored, own_accounting},
    ConfigKey{"JobCompPass", ignored, own_accounting},
    ConfigKey{"JobCompPassScript", ignored, own_accounting},
    ConfigKey{"JobCompPort", ignored, own_accounting},
    ConfigKey{"JobCompType", ignored, own_accounting},
    ConfigKey{"JobCompUser", ignored, own_accounting},
    ConfigKey{"JobContainerType", unsupported, later},
    ConfigKey{"JobCredentialPrivateKey", ignored, own_trust},
    ConfigKey{"JobCredentialPublicCertificate", ignored, own_trust},
    ConfigKey{"JobFileAppend", unsupported, later},
    ConfigKey{"JobRequeue", honoured, "", yes_no<&Config::job_requeue>},
    ConfigKey{"JobSubmitPlugins", unsupported, no_plugins},
    ConfigKey{"KeepAliveTime", ignored, own_way},
    ConfigKey{"KillOnBadExit", unsupported, later},
    ConfigKey{"KillWait", honoured, "", number<0, seconds_max, times, &Times::kill_wait_s>},
    ConfigKey{"LaunchParameters", unsupported, later},
    ConfigKey{"LaunchType", ignored, own_way},
    ConfigKey{"Licenses", honoured, "", licenses},
    ConfigKey{"LogTimeFormat", ignored, own_way},
    ConfigKey{"MailDomain", honoured, "", text<ends, &Ends::mail_domain>},
    ConfigKey{"MailProg", honoured, "", absolute_path<ends, &Ends::mail_program>},
    ConfigKey{"MaxArraySize", honoured, "", number<0, 4'000'001, &Config::max_array_size>},
    ConfigKey{"MaxBatchRequeue", honoured, "", number<1, 0x7fffffff, ends, &Ends::requeue_max>},
    ConfigKey{"MaxDBDMsgs", ignored, own_accounting},
    ConfigKey{"MaxJobCount", honoured, "", number<1, 0x7fffffff, &Config::max_job_count>},
    ConfigKey{"MaxJobId", unsupported, "job ids go up to 2147483647 and never repeat"},
    ConfigKey{"MaxMemPerCPU", unsupported, later},
    ConfigKey{"MaxMemPerNode", unsupported, later},
    ConfigKey{"MaxNodeCount", ignored, own_way},
    ConfigKey{"MaxStepCount", unsupported, later},
    ConfigKey{"MaxTasksPerNode", unsupported, later},
    ConfigKey{"MCSParameters", unsupported, later},
    ConfigKey{"MCSPlugin", unsupported, later},
    ConfigKey{"MemLimitEnforce", ignored, "memory limits are always enforced"},
    ConfigKey{"MessageTimeout", honoured, "",
              number<1, seconds_max, times, &Times::message_timeout_s>},
    ConfigKey{"MinJobAge", honoured, "", number<0, seconds_max, times, &Times::min_job_age_s>},
    ConfigKey{"MpiDefault", unsupported, later},
    ConfigKey{"MpiParams", unsupported, later},
    ConfigKey{"NodeFeaturesPlugins", unsupported, no_plugins},
    ConfigKey{"OverTimeLimit", unsupported, later},
    ConfigKey{"PluginDir", ignored, no_plugins},
    ConfigKey{"PlugStackConfig", unsupported, no_plugins},
    ConfigKey{"PowerParameters", unsupported, no_power},
    ConfigKey{"PowerPlugin", unsupported, no_power},
    ConfigKey{"PreemptExemptTime", unsupported, later},
    ConfigKey{"PreemptMode", unsupported, later},
    ConfigKey{"PreemptParameters", unsupported, later},
    ConfigKey{"PreemptType", unsupported, later},
    ConfigKey{"PrEpParameters", unsupported, no_plugins},
    ConfigKey{"PrEpPlugins", unsupported, no_plugins},
    ConfigKey{"PriorityCalcPeriod", honoured, "", priority_period<1, &Prio::calc_period_min>},
    ConfigKey{"PriorityDecayHalfLife", honoured, "", priority_period<0, &Prio::half_life_min>},
    ConfigKey{"PriorityFavorSmall", honoured, "", yes_no<prio, &Prio::favor_small>},
    ConfigKey{"PriorityFlags", honoured, "", priority_flags},
    ConfigKey{"PriorityMaxAge", honoured, "", priority_period<1, &Prio::max_age_min>},
    ConfigKey{"PriorityParameters", unsupported, later},
    ConfigKey{"PrioritySiteFactorParameters", unsupported, no_plugins},
    ConfigKey{"PrioritySiteFactorPlugin", unsupported, no_plugins},
    ConfigKey{"PriorityType", honoured, "", priority_type},
    ConfigKey{"PriorityUsageResetPeriod", honoured, "", usage_reset},
    ConfigKey{"PriorityWeightAge", honoured, "",
              number<0, UINT32_MAX, prio, weights, &Weights::age>},
    ConfigKey{"PriorityWeightAssoc", honoured, "",
              number<0, UINT32_MAX, prio, weights, &Weights::association>},
    ConfigKey{"PriorityWeightFairShare", honoured, "",
              number<0, UINT32_MAX, prio, weights, &Weights::fair_share>},
    ConfigKey{"PriorityWeightJobSize", honoured, "",
              number<0, UINT32_MAX, prio, weights, &Weights::job_size>},
    ConfigKey{"PriorityWeightPartition", honoured, "",
              number<0, UINT32_MAX, prio, weights, &Weights::partition>},
    ConfigKey{"PriorityWeightQOS", honoured, "",
              number<0, UINT32_MAX, prio, weights, &Weights::qos>},
    ConfigKey{"PriorityWeightTRES", honoured, "", tres_weights},
    ConfigKey{"PrivateData", unsupported, "every user sees every job: not built yet"},
    ConfigKey{"ProctrackType", ignored, own_way},
    ConfigKey{"Prolog", unsupported, no_scripts},
    ConfigKey{"PrologEpilogTimeout", unsupported, no_scripts},
    ConfigKey{"PrologFlags", unsupported, no_scripts},
    ConfigKey{"PrologSlurmctld", unsupported, no_scripts},
    ConfigKey{"PropagatePrioProcess", unsupported, later},
    ConfigKey{"PropagateResourceLimits", honoured, "", limit_names<&Config::propagate_limits>},
    ConfigKey{"PropagateResourceLimitsExcept", honoured, "",
              limit_names<&Config::propagate_limits_except>},
    ConfigKey{"RebootProgram", unsupported, no_scripts},
    ConfigKey{"ReconfigFlags", ignored, own_way},
    ConfigKey{"RequeueExit", honoured, "", exit_codes<ends, &Ends::requeue_exit>},
    ConfigKey{"RequeueExitHold", honoured, "", exit_codes<ends, &Ends::requeue_exit_hold>},
    ConfigKey{"ResumeFailProgram", unsupported, no_power},
    ConfigKey{"ResumeProgram", unsupported, no_power},
    ConfigKey{"ResumeRate", unsupported, no_power},
    ConfigKey{"ResumeTimeout", unsupported, no_power},
    ConfigKey{"ResvEpilog", unsupported, no_scripts},
    ConfigKey{"ResvOverRun", honoured, "", over_run},
    ConfigKey{"ResvProlog", unsupported, no_scripts},
    ConfigKey{"ReturnToService", ignored, "a node that answers and is healthy is used again"},
    ConfigKey{"RoutePlugin", ignored, own_way},
    ConfigKey{"SallocDefaultCommand", refused, "removed in Slurm 20.11: delete the line"},
    ConfigKey{"SbcastParameters", unsupported, later},
    ConfigKey{"SchedulerParameters", honoured, "", scheduler_parameters},
    ConfigKey{"SchedulerTimeSlice", ignored, own_way},
    ConfigKey{"SchedulerType", honoured, "", scheduler_type},
    ConfigKey{"ScronParameters", unsupported, later},
    ConfigKey{"SelectType", ignored, "cores and memory are always what is given out"},
    ConfigKey{"SelectTypeParameters", ignored, "cores and memory are always what is given out"},
    ConfigKey{"SlurmctldAddr", unsupported, later},
    ConfigKey{"SlurmctldDebug", ignored, own_way},
    ConfigKey{"SlurmctldHost", honoured, "", controller_host},
    ConfigKey{"SlurmctldLogFile", in_own_file, slurms_place,
              absolute_path<paths, &Paths::controller_log>},
    ConfigKey{"SlurmctldParameters", unsupported, later},
    ConfigKey{"SlurmctldPidFile", ignored, own_way},
    ConfigKey{"SlurmctldPlugstack", unsupported, no_plugins},
    ConfigKey{"SlurmctldPort", in_own_file, slurms_place,
              number<1, 65535, &Config::controller_port>},
    ConfigKey{"SlurmctldPrimaryOffProg", unsupported, no_scripts},
    ConfigKey{"SlurmctldPrimaryOnProg", unsupported, no_scripts},
    ConfigKey{"SlurmctldSyslogDebug", ignored, own_way},
    ConfigKey{"SlurmctldTimeout", ignored, "no standby takes over"},
    ConfigKey{"SlurmdDebug", ignored, own_way},
    ConfigKey{"SlurmdLogFile", in_own_file, slurms_place, absolute_path<paths, &Paths::agent_log>},
    ConfigKey{"SlurmdParameters", unsupported, later},
    ConfigKey{"SlurmdPidFile", ignored, own_way},
    ConfigKey{"SlurmdPort", in_own_file, slurms_place, number<1, 65535, &Config::agent_port>},
    ConfigKey{"SlurmdSpoolDir", in_own_file, slurms_place, absolute_path<paths, &Paths::spool_dir>},
    ConfigKey{"SlurmdSyslogDebug", ignored, own_way},
    ConfigKey{"SlurmdTimeout", honoured, "", number<1, seconds_max, times, &Times::node_timeout_s>},
    ConfigKey{"SlurmdUser", ignored, "the agent runs as root"},
    ConfigKey{"SlurmSchedLogFile", ignored, own_way},
    ConfigKey{"SlurmSchedLogLevel", ignored, own_way},
    ConfigKey{"SlurmUser", honoured, "", text<&Config::slurm_user>},
    ConfigKey{"SrunEpilog", unsupported, no_scripts},
    ConfigKey{"SrunPortRange", unsupported, later},
    ConfigKey{"SrunProlog", unsupported, no_scripts},
    ConfigKey{"StateSaveLocation", in_own_file, slurms_place,
              absolute_path<paths, &Paths::state_dir>},
    ConfigKey{"SuspendExcNodes", unsupported, no_power},
    ConfigKey{"SuspendExcParts", unsupported, no_power},
    ConfigKey{"SuspendExcStates", unsupported, no_power},
    ConfigKey{"SuspendProgram", unsupported, no_power},
    ConfigKey{"SuspendRate", unsupported, no_power},
    ConfigKey{"SuspendTime", unsupported, no_power},
    ConfigKey{"SuspendTimeout", unsupported, no_power},
    ConfigKey{"SwitchParameters", unsupported, later},
    ConfigKey{"SwitchType", ignored, own_way},
    ConfigKey{"TaskEpilog", unsupported, no_scripts},
    ConfigKey{"TaskPlugin", ignored, own_way},
    ConfigKey{"TaskPluginParam", ignored, own_way},
    ConfigKey{"TaskProlog", unsupported, no_scripts},
    ConfigKey{"TCPTimeout", ignored, own_way},
    ConfigKey{"TmpFS", unsupported, later},
    ConfigKey{"TopologyParam", unsupported, later},
    ConfigKey{"TopologyPlugin", unsupported, later},
    ConfigKey{"TrackWCKey", unsupported, later},
    ConfigKey{"TreeWidth", ignored, "agents dial the controller, there is no tree"},
    ConfigKey{"UnkillableStepProgram", unsupported, no_scripts},
    ConfigKey{"UnkillableStepTimeout", unsupported, later},
    ConfigKey{"UsePAM", unsupported, later},
    ConfigKey{"VSizeFactor", unsupported, later},
    ConfigKey{"WaitTime", unsupported, later},
    ConfigKey{"X11Parameters", unsupported, later},
};

}  // namespace

std::span<const ConfigKey> config_keys() { return rows; }

}  // namespace sluice
