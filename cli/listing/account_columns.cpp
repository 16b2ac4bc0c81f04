// account_columns.cpp: what each column of sacct shows of a job or of its batch step. What Sluice
// does not measure is empty, as in Slurm.
#include "cli/listing/account_columns.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/account_text.h"

namespace sluice {
namespace {

using Context = ListingContext;

void append_number(std::uint64_t value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

// Columns that a step leaves empty.
template <auto Render>
void of_job(const AccountRow& row, const Context& context, std::string& out) {
  if (!row.is_batch_step) Render(row, context, out);
}
// Columns that only a step fills.
template <auto Render>
void of_step(const AccountRow& row, const Context& context, std::string& out) {
  if (row.is_batch_step) Render(row, context, out);
}

void render_nothing(const AccountRow&, const Context&, std::string&) {}
void render_zero(const AccountRow&, const Context&, std::string& out) { out += '0'; }
void render_one(const AccountRow&, const Context&, std::string& out) { out += '1'; }
void render_unknown(const AccountRow&, const Context&, std::string& out) { out += "Unknown"; }
void render_no_time(const AccountRow&, const Context&, std::string& out) { out += "00:00:00"; }
void render_no_exit(const AccountRow&, const Context&, std::string& out) { out += "0:0"; }

void render_id(const AccountRow& row, const Context&, std::string& out) {
  append_shown_id(JobRow{row.job, {}}, out);
  if (row.is_batch_step) out += ".batch";
}
void render_raw_id(const AccountRow& row, const Context&, std::string& out) {
  append_number(row.job->id.value, out);
  if (row.is_batch_step) out += ".batch";
}
void render_name(const AccountRow& row, const Context&, std::string& out) {
  out += row.is_batch_step ? "batch" : row.job->names.name;
}
template <std::string JobNames::*Member>
void render_word(const AccountRow& row, const Context&, std::string& out) {
  out += row.job->names.*Member;
}
void render_user(const AccountRow& row, const Context& context, std::string& out) {
  out += user_of(*row.job, context);
}
void render_group(const AccountRow& row, const Context& context, std::string& out) {
  out += group_of(*row.job, context);
}
void render_uid(const AccountRow& row, const Context&, std::string& out) {
  append_number(row.job->names.uid, out);
}
void render_gid(const AccountRow& row, const Context&, std::string& out) {
  append_number(row.job->names.gid, out);
}
void render_cluster(const AccountRow&, const Context& context, std::string& out) {
  out += context.cluster;
}
void render_state(const AccountRow& row, const Context&, std::string& out) {
  append_account_state(*row.job, row.is_batch_step, out);
}
void render_exit_code(const AccountRow& row, const Context&, std::string& out) {
  const ExitStatus status = account_exit(*row.job, row.is_batch_step);
  fmt::format_to(std::back_inserter(out), "{}:{}", status.code, status.signal);
}
void render_reason(const AccountRow& row, const Context&, std::string& out) {
  out += reason_word(*row.job);
  const std::string sentence = reason_sentence(*row.job);
  if (!sentence.empty()) out.append(": ").append(sentence);
}

void render_cpus(const AccountRow& row, const Context&, std::string& out) {
  append_number(tres_held_by(*row.job, row.is_batch_step).cpus, out);
}
void render_cpus_asked(const AccountRow& row, const Context&, std::string& out) {
  append_number(row.is_batch_step ? tres_held_by(*row.job, true).cpus : tres_asked(*row.job).cpus,
                out);
}
void render_node_count(const AccountRow& row, const Context&, std::string& out) {
  const JobInfo& job = *row.job;
  append_number(row.is_batch_step ? 1 : nodes_of(job), out);
}
void render_nodes_held(const AccountRow& row, const Context&, std::string& out) {
  append_number(tres_held_by(*row.job, row.is_batch_step).nodes, out);
}
void render_nodelist(const AccountRow& row, const Context&, std::string& out) {
  const JobInfo& job = *row.job;
  if (job.allocation.empty()) out += "None assigned";
  else out += row.is_batch_step ? batch_host_of(job) : nodelist_of(job);
}
void render_mem_asked(const AccountRow& row, const Context& context, std::string& out) {
  append_mem_mb(tres_asked(*row.job).mem_mb, context.mem, out);
}
void render_tres_asked(const AccountRow& row, const Context& context, std::string& out) {
  out += tres_text_by_name(tres_asked(*row.job), context.mem);
}
void render_tres_held(const AccountRow& row, const Context& context, std::string& out) {
  out += tres_text_by_name(tres_held_by(*row.job, row.is_batch_step), context.mem);
}
void render_reservation(const AccountRow& row, const Context&, std::string& out) {
  out += fmt::format("{}", fmt::join(row.job->asked.placement.reservations, ","));
}
void render_features(const AccountRow& row, const Context&, std::string& out) {
  out += shown_constraint(row.job->asked.placement.constraint);
}
void render_submit_line(const AccountRow& row, const Context&, std::string& out) {
  out += row.job->files.submit_line;
}
void render_work_dir(const AccountRow& row, const Context&, std::string& out) {
  out += row.job->files.work_dir;
}
void render_priority(const AccountRow& row, const Context&, std::string& out) {
  append_number(row.job->wait.priority, out);
}

void append_time_or_unknown(std::optional<WallTime> time, const Context& context,
                            std::string& out) {
  if (time && *time != WallTime{}) context.times.append(*time, out);
  else out += "Unknown";
}
void render_submit(const AccountRow& row, const Context& context, std::string& out) {
  append_time_or_unknown(row.job->times.submitted, context, out);
}
void render_eligible(const AccountRow& row, const Context& context, std::string& out) {
  append_time_or_unknown(row.job->times.eligible, context, out);
}
void render_start(const AccountRow& row, const Context& context, std::string& out) {
  append_time_or_unknown(account_start(*row.job), context, out);
}
void render_end(const AccountRow& row, const Context& context, std::string& out) {
  append_time_or_unknown(row.job->times.ended, context, out);
}
void render_elapsed(const AccountRow& row, const Context& context, std::string& out) {
  append_long_duration(elapsed_s(*row.job, context.as_of), out);
}
void render_elapsed_raw(const AccountRow& row, const Context& context, std::string& out) {
  append_number(static_cast<std::uint64_t>(elapsed_s(*row.job, context.as_of)), out);
}
void render_time_limit(const AccountRow& row, const Context&, std::string& out) {
  append_long_limit(limit_of(*row.job), out);
}
void render_time_limit_raw(const AccountRow& row, const Context&, std::string& out) {
  const TimeLimit limit = limit_of(*row.job);
  if (limit.unlimited) out += "UNLIMITED";
  else append_number(limit.minutes, out);
}
void render_waited(const AccountRow& row, const Context& context, std::string& out) {
  append_long_duration(waited_s(*row.job, context.as_of), out);
}
void render_cpu_waited(const AccountRow& row, const Context& context, std::string& out) {
  append_long_duration(
      waited_s(*row.job, context.as_of) * static_cast<std::int64_t>(tres_asked(*row.job).cpus),
      out);
}
void render_cpu_waited_raw(const AccountRow& row, const Context& context, std::string& out) {
  append_number(
      static_cast<std::uint64_t>(waited_s(*row.job, context.as_of)) * tres_asked(*row.job).cpus,
      out);
}
std::int64_t cpu_held_s(const AccountRow& row, const Context& context) {
  return elapsed_s(*row.job, context.as_of) *
         static_cast<std::int64_t>(tres_held_by(*row.job, row.is_batch_step).cpus);
}
void render_cpu_held(const AccountRow& row, const Context& context, std::string& out) {
  append_long_duration(cpu_held_s(row, context), out);
}
void render_cpu_held_raw(const AccountRow& row, const Context& context, std::string& out) {
  append_number(static_cast<std::uint64_t>(cpu_held_s(row, context)), out);
}

void render_total_cpu(const AccountRow& row, const Context&, std::string& out) {
  append_cpu_time(row.job->usage.user_cpu_us + row.job->usage.system_cpu_us, out);
}
void render_user_cpu(const AccountRow& row, const Context&, std::string& out) {
  append_cpu_time(row.job->usage.user_cpu_us, out);
}
void render_system_cpu(const AccountRow& row, const Context&, std::string& out) {
  append_cpu_time(row.job->usage.system_cpu_us, out);
}
void render_step_cpu(const AccountRow& row, const Context&, std::string& out) {
  const Usage& usage = row.job->usage;
  append_long_duration(
      static_cast<std::int64_t>((usage.user_cpu_us + usage.system_cpu_us) / 1'000'000), out);
}
bool was_measured(const JobInfo& job) { return job.usage.mem_peak_kb > 0; }
void render_mem_peak(const AccountRow& row, const Context& context, std::string& out) {
  if (was_measured(*row.job)) append_mem_kb(row.job->usage.mem_peak_kb, context.mem, out);
}
void render_mem_peak_node(const AccountRow& row, const Context&, std::string& out) {
  if (was_measured(*row.job)) out += batch_host_of(*row.job);
}
void render_mem_peak_task(const AccountRow& row, const Context&, std::string& out) {
  if (was_measured(*row.job)) out += '0';
}
void render_usage(const AccountRow& row, const Context& context, std::string& out) {
  if (!was_measured(*row.job)) return;
  out += "cpu=";
  render_step_cpu(row, context, out);
  out += ",mem=";
  append_mem_kb(row.job->usage.mem_peak_kb, context.mem, out);
}

// The batch step is one task on one node.
void render_usage_node(const AccountRow& row, const Context&, std::string& out) {
  if (!was_measured(*row.job)) return;
  const std::string host = batch_host_of(*row.job);
  out.append("cpu=").append(host).append(",mem=").append(host);
}
void render_usage_task(const AccountRow& row, const Context&, std::string& out) {
  if (was_measured(*row.job)) out += "cpu=0,mem=0";
}

constexpr AccountColumn columns[] = {
    {"Account", 10, "names", render_word<&JobNames::account>},
    {"AdminComment", 14, "", render_nothing},
    {"AllocCPUS", 10, "allocation", render_cpus},
    {"AllocNodes", 10, "allocation", render_nodes_held},
    {"AllocTRES", 10, "allocation", render_tres_held},
    {"AssocID", 7, "", of_job<render_zero>},
    {"AveCPU", 10, "usage", of_step<render_step_cpu>},
    {"AveCPUFreq", 10, "", render_nothing},
    {"AveDiskRead", 14, "", render_nothing},
    {"AveDiskWrite", 14, "", render_nothing},
    {"AvePages", 10, "", render_nothing},
    {"AveRSS", 10, "usage", of_step<render_mem_peak>},
    {"AveVMSize", 10, "", render_nothing},
    {"BlockID", 16, "", render_nothing},
    {"Cluster", 10, "", render_cluster},
    {"Comment", 14, "names", of_job<render_word<&JobNames::comment>>},
    {"Constraints", 14, "asked", of_job<render_features>},
    {"ConsumedEnergy", 14, "", render_nothing},
    {"ConsumedEnergyRaw", 17, "", render_nothing},
    {"Container", 20, "", render_nothing},
    {"CPUTime", 10, "times allocation", render_cpu_held},
    {"CPUTimeRAW", 10, "times allocation", render_cpu_held_raw},
    {"DBIndex", 10, "", of_job<render_raw_id>},
    {"DerivedExitCode", 15, "", of_job<render_no_exit>},
    {"Elapsed", 10, "times", render_elapsed},
    {"ElapsedRaw", 10, "times", render_elapsed_raw},
    {"Eligible", 19, "times", render_eligible},
    {"End", 19, "times", render_end},
    {"ExitCode", 8, "end", render_exit_code},
    {"Flags", 30, "", render_nothing},
    {"GID", 6, "names", of_job<render_gid>},
    {"Group", 9, "names", of_job<render_group>},
    {"JobID", 12, "asked", render_id},
    {"JobIDRaw", 12, "", render_raw_id},
    {"JobName", 10, "names", render_name},
    {"Layout", 9, "", render_nothing},
    {"MaxDiskRead", 12, "", render_nothing},
    {"MaxDiskReadNode", 15, "", render_nothing},
    {"MaxDiskReadTask", 15, "", render_nothing},
    {"MaxDiskWrite", 12, "", render_nothing},
    {"MaxDiskWriteNode", 16, "", render_nothing},
    {"MaxDiskWriteTask", 16, "", render_nothing},
    {"MaxPages", 8, "", render_nothing},
    {"MaxPagesNode", 12, "", render_nothing},
    {"MaxPagesTask", 14, "", render_nothing},
    {"MaxRSS", 10, "usage", of_step<render_mem_peak>},
    {"MaxRSSNode", 10, "usage allocation", of_step<render_mem_peak_node>},
    {"MaxRSSTask", 10, "usage", of_step<render_mem_peak_task>},
    {"MaxVMSize", 10, "", render_nothing},
    {"MaxVMSizeNode", 14, "", render_nothing},
    {"MaxVMSizeTask", 14, "", render_nothing},
    {"McsLabel", 10, "", render_nothing},
    {"MinCPU", 10, "usage", of_step<render_step_cpu>},
    {"MinCPUNode", 10, "usage allocation", of_step<render_mem_peak_node>},
    {"MinCPUTask", 10, "usage", of_step<render_mem_peak_task>},
    {"NCPUS", 10, "allocation", render_cpus},
    {"NNodes", 8, "asked allocation", render_node_count},
    {"NodeList", 15, "allocation", render_nodelist},
    {"NTasks", 8, "", of_step<render_one>},
    {"Partition", 10, "names", of_job<render_word<&JobNames::partition>>},
    {"Priority", 10, "wait", of_job<render_priority>},
    {"QOS", 10, "names", of_job<render_word<&JobNames::qos>>},
    {"QOSRAW", 10, "", render_nothing},
    {"Reason", 22, "end wait", of_job<render_reason>},
    {"ReqCPUFreq", 10, "", of_job<render_unknown>},
    {"ReqCPUFreqGov", 13, "", of_job<render_unknown>},
    {"ReqCPUFreqMax", 13, "", of_job<render_unknown>},
    {"ReqCPUFreqMin", 13, "", of_job<render_unknown>},
    {"ReqCPUS", 8, "asked allocation", render_cpus_asked},
    {"ReqMem", 10, "asked", of_job<render_mem_asked>},
    {"ReqNodes", 8, "asked allocation", render_node_count},
    {"ReqTRES", 10, "asked", of_job<render_tres_asked>},
    {"Reservation", 20, "asked", render_reservation},
    {"ReservationId", 13, "", render_nothing},
    {"Reserved", 10, "times", of_job<render_waited>},
    {"ResvCPU", 10, "times asked", of_job<render_cpu_waited>},
    {"ResvCPURAW", 10, "times asked", of_job<render_cpu_waited_raw>},
    {"Start", 19, "times", render_start},
    {"State", 10, "end", render_state},
    {"Submit", 19, "times", render_submit},
    {"SubmitLine", 20, "files", of_job<render_submit_line>},
    {"Suspended", 10, "", render_no_time},
    {"SystemComment", 14, "", render_nothing},
    {"SystemCPU", 10, "usage", render_system_cpu},
    {"Timelimit", 10, "asked", of_job<render_time_limit>},
    {"TimelimitRaw", 12, "asked", of_job<render_time_limit_raw>},
    {"TotalCPU", 10, "usage", render_total_cpu},
    {"TRESUsageInAve", 14, "usage", of_step<render_usage>},
    {"TRESUsageInMax", 14, "usage", of_step<render_usage>},
    {"TRESUsageInMaxNode", 18, "usage allocation", of_step<render_usage_node>},
    {"TRESUsageInMaxTask", 18, "usage", of_step<render_usage_task>},
    {"TRESUsageInMin", 14, "usage", of_step<render_usage>},
    {"TRESUsageInMinNode", 18, "usage allocation", of_step<render_usage_node>},
    {"TRESUsageInMinTask", 18, "usage", of_step<render_usage_task>},
    {"TRESUsageInTot", 14, "usage", of_step<render_usage>},
    {"TRESUsageOutAve", 15, "", render_nothing},
    {"TRESUsageOutMax", 15, "", render_nothing},
    {"TRESUsageOutMaxNode", 19, "", render_nothing},
    {"TRESUsageOutMaxTask", 19, "", render_nothing},
    {"TRESUsageOutMin", 15, "", render_nothing},
    {"TRESUsageOutMinNode", 19, "", render_nothing},
    {"TRESUsageOutMinTask", 19, "", render_nothing},
    {"TRESUsageOutTot", 15, "", render_nothing},
    {"UID", 6, "names", of_job<render_uid>},
    {"User", 9, "names", of_job<render_user>},
    {"UserCPU", 10, "usage", render_user_cpu},
    {"WCKey", 10, "names", of_job<render_word<&JobNames::wckey>>},
    {"WCKeyID", 8, "", of_job<render_zero>},
    {"WorkDir", 20, "files", of_job<render_work_dir>},
};

}  // namespace

std::span<const AccountColumn> account_columns() { return columns; }

}  // namespace sluice
