// show_config.cpp: the text of `scontrol show config`. Keys are those of the configuration file;
// keys that clients look for and that have one answer here are told with it.
#include <strings.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/fixed_settings.h"
#include "cli/listing/show_text.h"
#include "cli/listing/version.h"
#include "common/options/priority_values.h"

namespace sluice {
namespace {

struct Setting {
  const char* key;
  std::string (*value)(const ConfigReply&, const ListingContext&);
};

std::string seconds(std::uint32_t value) { return fmt::format("{} sec", value); }
std::string number(std::uint64_t value) { return fmt::format("{}", value); }
std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }

using Reply = const ConfigReply&;
using Context = const ListingContext&;

std::string period(std::uint32_t minutes) {
  std::string out;
  append_long_duration(std::int64_t{60} * minutes, out);
  return out;
}

template <auto Weight>
std::string weight(Reply reply, Context) {
  return number(reply.config.priority.weights.*Weight);
}

std::string flags_text(const std::vector<PriorityFlag>& flags) {
  std::string text;
  for (const PriorityFlag flag : flags) text += (text.empty() ? "" : ",") + std::string(enum_name(flag));
  return text;
}

// "associations,limits,qos,safe", or "none".
std::string enforced(const AccountingConfig& accounting) {
  std::string text;
  const auto add = [&text](bool is_on, const char* word) {
    if (is_on) text.append(text.empty() ? "" : ",").append(word);
  };
  add(accounting.associations, "associations");
  add(accounting.limits, "limits");
  add(accounting.qos, "qos");
  add(accounting.safe, "safe");
  return text.empty() ? "none" : text;
}

constexpr Setting settings[] = {
    {"AccountingStorageEnforce", [](Reply r, Context) { return enforced(r.config.accounting); }},
    {"AccountingStorageType",
     [](Reply, Context) { return std::string("accounting_storage/sluice"); }},
    {"AcctGatherNodeFreq", [](Reply, Context) { return seconds(0); }},
    {"AdminHosts",
     [](Reply r, Context) {
       return or_null(fmt::format("{}", fmt::join(r.config.admin_hosts, ",")));
     }},
    {"ClusterName", [](Reply r, Context) { return r.config.cluster_name; }},
    {"DefMemPerCPU",
     [](Reply r, Context) {
       return r.config.def_mem_per_cpu_mb ? number(*r.config.def_mem_per_cpu_mb) : "UNLIMITED";
     }},
    {"DisableRootJobs",
     [](Reply r, Context) { return std::string(r.config.disable_root_jobs ? "Yes" : "No"); }},
    {"EnforcePartLimits",
     [](Reply r, Context) { return std::string(r.config.enforce_part_limits ? "ALL" : "NO"); }},
    {"FirstJobId", [](Reply r, Context) { return number(r.config.first_job_id); }},
    {"JobRequeue", [](Reply r, Context) { return std::string(r.config.job_requeue ? "1" : "0"); }},
    {"ResvOverRun",
     [](Reply r, Context) {
       const TimeLimit& limit = r.config.timeouts.resv_over_run;
       return limit.unlimited ? std::string("UNLIMITED") : fmt::format("{} min", limit.minutes);
     }},
    {"KillWait", [](Reply r, Context) { return seconds(r.config.timeouts.kill_wait_s); }},
    {"Licenses", [](Reply r, Context) { return or_null(to_text(r.config.licenses)); }},
    {"LoginHosts",
     [](Reply r, Context) {
       return or_null(fmt::format("{}", fmt::join(r.config.login_hosts, ",")));
     }},
    {"MaxArraySize", [](Reply r, Context) { return number(r.config.max_array_size); }},
    {"MaxJobCount", [](Reply r, Context) { return number(r.config.max_job_count); }},
    {"MaxScriptSize", [](Reply r, Context) { return number(r.config.max_script_bytes); }},
    {"MaxNodeCount", [](Reply r, Context) { return number(r.config.nodes.size()); }},
    {"MessageTimeout",
     [](Reply r, Context) { return seconds(r.config.timeouts.message_timeout_s); }},
    {"MetricsAddr", [](Reply r, Context) { return or_null(r.config.metrics_addr); }},
    {"MinJobAge", [](Reply r, Context) { return seconds(r.config.timeouts.min_job_age_s); }},
    {"NEXT_JOB_ID", [](Reply r, Context) { return number(r.next_job_id); }},
    {"PriorityCalcPeriod",
     [](Reply r, Context) { return period(r.config.priority.calc_period_min); }},
    {"PriorityDecayHalfLife",
     [](Reply r, Context) { return period(r.config.priority.half_life_min); }},
    {"PriorityFavorSmall",
     [](Reply r, Context) { return std::string(r.config.priority.favor_small ? "Yes" : "No"); }},
    {"PriorityFlags", [](Reply r, Context) { return flags_text(r.config.priority.flags); }},
    {"PriorityMaxAge", [](Reply r, Context) { return period(r.config.priority.max_age_min); }},
    {"PriorityType",
     [](Reply r, Context) {
       return std::string(r.config.priority.multifactor ? "priority/multifactor"
                                                        : "priority/basic");
     }},
    {"PriorityUsageResetPeriod",
     [](Reply r, Context) { return std::string(enum_name(r.config.priority.usage_reset)); }},
    {"PriorityWeightAge", weight<&PriorityWeights::age>},
    {"PriorityWeightAssoc", weight<&PriorityWeights::association>},
    {"PriorityWeightFairShare", weight<&PriorityWeights::fair_share>},
    {"PriorityWeightJobSize", weight<&PriorityWeights::job_size>},
    {"PriorityWeightPartition", weight<&PriorityWeights::partition>},
    {"PriorityWeightQOS", weight<&PriorityWeights::qos>},
    {"PriorityWeightTRES",
     [](Reply r, Context) { return tres_weights_text(r.config.priority.weights.tres); }},
    {"PropagateResourceLimits",
     [](Reply r, Context) {
       return r.config.propagate_limits.empty()
                  ? std::string("ALL")
                  : fmt::format("{}", fmt::join(r.config.propagate_limits, ","));
     }},
    {"PropagateResourceLimitsExcept",
     [](Reply r, Context) {
       return or_null(fmt::format("{}", fmt::join(r.config.propagate_limits_except, ",")));
     }},
    {"SchedulerParameters",
     [](Reply r, Context) {
       const PlanRules& rules = r.config.planning;
       return fmt::format("bf_continue,bf_max_job_test={}{}", rules.planned_max,
                          rules.window_min ? fmt::format(",bf_window={}", *rules.window_min) : "");
     }},
    {"SchedulerType",
     [](Reply r, Context) {
       return std::string(r.config.planning.backfill == Backfill::none ? "sched/builtin"
                                                                       : "sched/backfill");
     }},
    {"SchedulerTimeSlice", [](Reply, Context) { return seconds(30); }},
    {"SlurmctldAddr", [](Reply r, Context) { return or_null(r.config.controller_address); }},
    {"SlurmctldHost[0]",
     [](Reply r, Context) {
       return fmt::format("{}({})", r.config.controller_host, r.config.controller_address);
     }},
    {"SlurmctldLogFile", [](Reply r, Context) { return or_null(r.config.paths.controller_log); }},
    {"SlurmctldPort", [](Reply r, Context) { return number(r.config.controller_port); }},
    {"SlurmdLogFile", [](Reply r, Context) { return or_null(r.config.paths.agent_log); }},
    {"SlurmdPort", [](Reply r, Context) { return number(r.config.agent_port); }},
    {"SlurmdSpoolDir", [](Reply r, Context) { return r.config.paths.spool_dir; }},
    {"SlurmdTimeout", [](Reply r, Context) { return seconds(r.config.timeouts.node_timeout_s); }},
    {"SlurmUser", [](Reply r, Context) { return r.config.slurm_user; }},
    {"SLURM_VERSION",
     [](Reply, Context) { return std::string(std::string_view(version_line).substr(6)); }},
    {"SluiceBackfill",
     [](Reply r, Context) { return std::string(enum_name(r.config.planning.backfill)); }},
    {"SluiceHeartbeat",
     [](Reply r, Context) { return fmt::format("{} msec", r.config.timeouts.heartbeat_ms); }},
    {"SluiceLease", [](Reply r, Context) { return seconds(r.config.timeouts.lease_s); }},
    {"SLUICE_VERSION", [](Reply r, Context) { return or_null(r.version); }},
    {"StateSaveLocation", [](Reply r, Context) { return r.config.paths.state_dir; }},
};

}  // namespace

std::string show_config_text(const ConfigReply& reply, const ListingContext& context) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Setting& setting : settings)
    rows.emplace_back(setting.key, setting.value(reply, context));
  for (const FixedSetting& setting : fixed_settings())
    rows.emplace_back(setting.key, setting.value);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return strcasecmp(a.first.c_str(), b.first.c_str()) < 0;
  });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; }),
             rows.end());
  std::string out = fmt::format("Configuration data as of {}\n", context.times.text(reply.as_of));
  for (const auto& [key, value] : rows) out += fmt::format("{:<23} = {}\n", key, value);
  return out + '\n';
}

}  // namespace sluice
