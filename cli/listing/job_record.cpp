// job_record.cpp: a job of the queue as squeue and scontrol write it.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/job_columns.h"
#include "cli/listing/record_field.h"
#include "cli/listing/records.h"
#include "common/base/hostlist.h"

namespace sluice {
namespace {

using Context = ListingContext;
using Field = RecordField<JobInfo>;

template <std::string JobNames::*Member>
void name_of(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  out.text_or_null(name, job.names.*Member);
}
template <std::string JobFiles::*Member>
void file_of(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  out.text_or_null(name, job.files.*Member);
}
template <auto Function>
void text_of(Document& out, std::string_view name, const JobInfo& job, const Context& context) {
  out.text_or_null(name, Function(job, context));
}
// What a column of squeue says, by its name.
template <std::size_t Size>
struct ColumnName {
  constexpr ColumnName(const char (&name)[Size]) { std::copy(name, name + Size, text); }
  char text[Size];
};
template <ColumnName Name>
void column(Document& out, std::string_view name, const JobInfo& job, const Context& context) {
  out.text_or_null(name, job_column_value(job, Name.text, context));
}
template <auto Function>
void number_of(Document& out, std::string_view name, const JobInfo& job, const Context& context) {
  out.number(name, Function(job, context));
}
template <auto Function>
void count_of(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  out.number(name, std::uint64_t{Function(job)});
}
template <auto Member>
void demand_of(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  out.number(name, std::uint64_t{job.asked.demand.*Member});
}
// Zero: not asked for.
template <auto Member>
void demand_or_none(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  const std::uint64_t value = job.asked.demand.*Member;
  out.amount(name, value > 0 ? std::optional(value) : std::nullopt);
}
template <auto Function>
void time_of(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  out.amount(name, seconds_or_none(Function(job)));
}
template <bool Value>
void always(Document& out, std::string_view name, const JobInfo&, const Context&) {
  out.flag(name, Value);
}

void array_task(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  const bool is_task = job.array && job.array->task;
  out.amount(name, is_task ? std::optional<std::uint64_t>(*job.array->task) : std::nullopt);
}
void waiting_tasks(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  const bool waits = job.array && !job.array->task;
  out.text_or_null(name, waits ? to_text(job.array->waiting) : std::string{});
}

// Keyed by place as in Slurm; the newer schema has a list.
void write_shares(Document& out, const JobInfo& job) {
  if (out.style().is_newer) out.begin_list("allocated_nodes");
  else out.begin_object("allocated_nodes");
  std::size_t place = 0;
  for (const NodeShare& share : job.allocation.shares) {
    out.begin_object(out.style().is_newer ? std::string{} : fmt::format("{}", place++));
    out.text("nodename", share.node);
    out.number("cpus", share.cpus);
    out.number("memory", share.mem_mb);
    out.text_or_null("gres", share.gres.empty() ? "" : gres_or_null(share.gres));
    out.end_object();
  }
  if (out.style().is_newer) out.end_list();
  else out.end_object();
}

void resources(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  if (job.allocation.empty()) return out.null(name);
  out.begin_object(name);
  out.text("nodes", nodelist_of(job));
  out.number("allocated_hosts", std::uint64_t{job.allocation.shares.size()});
  out.number("allocated_cpus", cpus_of(job));
  write_shares(out, job);
  out.end_object();
}

void exit_signal(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  const std::uint32_t signal = job.end ? job.end->status.signal : 0;
  out.amount(name, signal > 0 ? std::optional<std::uint64_t>(signal) : std::nullopt);
}
void exit_code(Document& out, std::string_view name, const JobInfo& job, const Context&) {
  out.amount(name, job.end ? std::optional<std::uint64_t>(job.end->status.code) : std::nullopt);
}

std::optional<WallTime> started(const JobInfo& job) { return start_of(job); }
std::optional<WallTime> ends(const JobInfo& job) { return end_of(job); }
std::optional<WallTime> accrues(const JobInfo& job) {
  return is_deferred(job) ? std::nullopt : std::optional(job.times.eligible);
}

constexpr Field fields[] = {
    {"account", name_of<&JobNames::account>},
    {"accrue_time", time_of<accrues>},
    {"admin_comment", column<"admin_comment">},
    {"array_job_id",
     [](Document& out, std::string_view name, const JobInfo& job, const Context&) {
       out.amount(name, job.array ? std::optional<std::uint64_t>(job.array->array_id.value)
                                  : std::nullopt);
     }},
    {"array_task_id", array_task},
    {"array_max_tasks",
     [](Document& out, std::string_view name, const JobInfo& job, const Context&) {
       const std::uint64_t limit = job.asked.array_max_running;
       out.amount(name, limit > 0 ? std::optional(limit) : std::nullopt);
     }},
    {"array_task_string", waiting_tasks},
    {"association_id", no_value},
    {"batch_features", no_value},
    {"batch_flag", always<true>},
    {"batch_host", text_of<[](const JobInfo& job, const Context&) { return batch_host_of(job); }>},
    {"flags", no_elements},
    {"burst_buffer", no_value},
    {"burst_buffer_state", no_value},
    {"cluster", text_of<[](const JobInfo&, const Context& context) { return context.cluster; }>},
    {"cluster_features", column<"clusterfeature">},
    {"command", file_of<&JobFiles::command>},
    {"comment", name_of<&JobNames::comment>},
    {"container", column<"container">},
    {"contiguous", always<false>},
    {"core_spec", no_value},
    {"thread_spec", no_value},
    {"cores_per_socket", no_value},
    {"billable_tres",
     number_of<[](const JobInfo& job, const Context&) { return tres_of(job).billing; }>},
    {"cpus_per_task", demand_of<&Demand::cpus_per_task>},
    {"cpu_frequency_minimum", no_value},
    {"cpu_frequency_maximum", no_value},
    {"cpu_frequency_governor", no_value},
    {"cpus_per_tres", column<"cpus-per-tres">},
    {"deadline", time_of<[](const JobInfo& job) { return job.times.deadline; }>},
    {"delay_boot", no_value},
    {"dependency",
     text_of<[](const JobInfo& job, const Context&) { return job.asked.dependency; }>},
    {"derived_exit_code", number_of<[](const JobInfo&, const Context&) { return 0U; }>},
    {"eligible_time",
     time_of<[](const JobInfo& job) { return std::optional(job.times.eligible); }>},
    {"end_time", time_of<ends>},
    {"excluded_nodes", text_of<[](const JobInfo& job, const Context&) {
       return compress_hostlist(job.asked.placement.exclude);
     }>},
    {"exit_code", exit_code},
    {"exit_signal", exit_signal},
    {"features", column<"feature">},
    {"federation_origin", no_value},
    {"federation_siblings_active", no_value},
    {"federation_siblings_viable", no_value},
    {"gres_detail", no_elements},
    {"group_id", number_of<[](const JobInfo& job, const Context&) { return job.names.gid; }>},
    {"group_name",
     text_of<[](const JobInfo& job, const Context& context) { return group_of(job, context); }>},
    {"job_id", number_of<[](const JobInfo& job, const Context&) { return job.id.value; }>},
    {"job_resources", resources},
    {"job_state", [](Document& out, std::string_view name, const JobInfo& job,
                     const Context&) { out.state(name, state_word(job.state, job.end, job.special_exit)); }},
    {"last_sched_evaluation", no_value},
    {"licenses", column<"licenses">},
    {"max_cpus", count_of<cpus_of>},
    {"max_nodes", demand_of<&Demand::nodes_max>},
    {"mcs_label", column<"mcslabel">},
    {"memory_per_tres", column<"mem-per-tres">},
    {"name", name_of<&JobNames::name>},
    {"nodes", text_of<[](const JobInfo& job, const Context&) { return nodelist_of(job); }>},
    {"nice", number_of<[](const JobInfo& job, const Context&) { return job.asked.nice; }>},
    {"tasks_per_core", demand_or_none<&Demand::ntasks_per_core>},
    {"tasks_per_node", demand_or_none<&Demand::ntasks_per_node>},
    {"tasks_per_socket", demand_or_none<&Demand::ntasks_per_socket>},
    {"tasks_per_board", no_value},
    {"cpus", count_of<cpus_of>},
    {"node_count", count_of<nodes_of>},
    {"tasks", demand_of<&Demand::ntasks>},
    {"het_job_id", no_value},
    {"het_job_id_set", column<"hetjobidset">},
    {"het_job_offset", no_value},
    {"partition", name_of<&JobNames::partition>},
    {"memory_per_node", demand_or_none<&Demand::mem_per_node_mb>},
    {"memory_per_cpu", demand_or_none<&Demand::mem_per_cpu_mb>},
    {"minimum_cpus_per_node", count_of<cpus_per_node_min>},
    {"minimum_tmp_disk_per_node", no_value},
    {"preempt_time", no_value},
    {"pre_sus_time", no_value},
    {"priority", number_of<[](const JobInfo& job, const Context&) { return job.wait.priority; }>},
    {"profile", no_value},
    {"qos", name_of<&JobNames::qos>},
    {"reboot", always<false>},
    {"required_nodes", text_of<[](const JobInfo& job, const Context&) {
       return compress_hostlist(job.asked.placement.nodelist);
     }>},
    {"requeue", [](Document& out, std::string_view name, const JobInfo& job,
                   const Context&) { out.flag(name, job.asked.requeue); }},
    {"resize_time", no_value},
    {"restart_cnt", number_of<[](const JobInfo& job, const Context&) { return job.run.value; }>},
    {"resv_name", column<"reservation">},
    {"shared", column<"oversubscribe">},
    {"show_flags", no_elements},
    {"sockets_per_board", no_value},
    {"sockets_per_node", demand_or_none<&Demand::sockets_per_node_min>},
    {"start_time", time_of<started>},
    {"state_description", no_value},
    {"reason_detail",
     text_of<[](const JobInfo& job, const Context&) { return reason_sentence(job); }>},
    {"state_reason", [](Document& out, std::string_view name, const JobInfo& job,
                        const Context&) { out.text(name, reason_word(job)); }},
    {"standard_error", file_of<&JobFiles::error>},
    {"standard_input", file_of<&JobFiles::input>},
    {"standard_output", file_of<&JobFiles::output>},
    {"submit_time", time_of<[](const JobInfo& job) { return std::optional(job.times.submitted); }>},
    {"suspend_time", no_value},
    {"system_comment", column<"system_comment">},
    {"time_limit",
     [](Document& out, std::string_view name, const JobInfo& job, const Context&) {
       const TimeLimit limit = limit_of(job);
       out.amount(name, limit.minutes, limit.unlimited);
     }},
    {"time_minimum",
     [](Document& out, std::string_view name, const JobInfo& job, const Context&) {
       const std::optional<TimeLimit>& least = job.asked.time_min;
       out.amount(name, least ? std::optional<std::uint64_t>(least->minutes) : std::nullopt,
                  least && least->unlimited);
     }},
    {"threads_per_core", no_value},
    {"tres_bind", column<"tres-bind">},
    {"tres_freq", column<"tres-freq">},
    {"tres_per_job", column<"tres-per-job">},
    {"tres_per_node",
     text_of<[](const JobInfo& job, const Context&) { return tres_per_node_text(job); }>},
    {"tres_per_socket", column<"tres-per-socket">},
    {"tres_per_task", column<"tres-per-task">},
    {"tres_req_str",
     text_of<[](const JobInfo& job, const Context&) { return tres_text(tres_asked(job), false); }>},
    {"tres_alloc_str", text_of<[](const JobInfo& job, const Context&) {
       return job.allocation.empty() ? "" : tres_text(tres_of(job), false);
     }>},
    {"user_id", number_of<[](const JobInfo& job, const Context&) { return job.names.uid; }>},
    {"user_name",
     text_of<[](const JobInfo& job, const Context& context) { return user_of(job, context); }>},
    {"wckey", name_of<&JobNames::wckey>},
    {"current_working_directory", file_of<&JobFiles::work_dir>},
    {"elapsed_time", number_of<[](const JobInfo& job, const Context& context) {
       return elapsed_s(job, context.as_of);
     }>},
};

}  // namespace

void write_job_record(Document& document, const JobInfo& job, const ListingContext& context) {
  document.begin_object();
  write_fields<JobInfo>(fields, document, job, context);
  document.end_object();
}

}  // namespace sluice
