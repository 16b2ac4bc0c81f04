// job_columns.cpp: what each column of squeue shows of a job. What Sluice does not have is shown as
// Slurm shows its absence.
#include "cli/listing/job_columns.h"

#include <fmt/format.h>

#include "common/base/hostlist.h"

namespace sluice {

using Context = ListingContext;

void render_shown_id(const JobRow& row, const Context&, std::string& out) {
  append_shown_id(row, out);
}
void render_state_word(const JobRow& row, const Context&, std::string& out) {
  out += state_word(row.job->state, row.job->end, row.job->special_exit);
}
void render_job_name(const JobRow& row, const Context&, std::string& out) {
  out += row.job->names.name;
}
void render_partition(const JobRow& row, const Context&, std::string& out) {
  out += row.job->names.partition;
}
void render_user(const JobRow& row, const Context& context, std::string& out) {
  out += user_of(*row.job, context);
}
void render_group(const JobRow& row, const Context& context, std::string& out) {
  out += group_of(*row.job, context);
}

namespace {

void append_number(std::uint64_t value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

void append_or_null(std::string_view text, std::string& out) {
  out += text.empty() ? std::string_view("(null)") : text;
}

void append_or_na(std::string_view text, std::string& out) {
  out += text.empty() ? std::string_view("N/A") : text;
}

void append_time_or_na(std::optional<WallTime> time, const Context& context, std::string& out) {
  if (time && *time != WallTime{}) context.times.append(*time, out);
  else out += "N/A";
}

// The constant words for what a job here never has.
void render_null(const JobRow&, const Context&, std::string& out) { out += "(null)"; }
void render_na(const JobRow&, const Context&, std::string& out) { out += "N/A"; }
void render_no_federation(const JobRow&, const Context&, std::string& out) { out += "NA"; }
void render_reservation(const JobRow& row, const Context&, std::string& out) {
  append_or_null(fmt::format("{}", fmt::join(row.job->asked.placement.reservations, ",")), out);
}
void render_zero(const JobRow&, const Context&, std::string& out) { out += '0'; }
void render_one(const JobRow&, const Context&, std::string& out) { out += '1'; }
void render_not_set(const JobRow&, const Context&, std::string& out) { out += "NotSet"; }
void render_star(const JobRow&, const Context&, std::string& out) { out += '*'; }
void render_zero_time(const JobRow&, const Context&, std::string& out) { out += "0:00"; }
void render_nothing(const JobRow&, const Context&, std::string&) {}

void render_job_id(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->id.value, out);
}
void render_array_id(const JobRow& row, const Context&, std::string& out) {
  append_number(array_or_job_id(*row.job).value, out);
}
void render_task(const JobRow& row, const Context&, std::string& out) {
  if (!append_task(row, out)) out += "N/A";
}
void render_account(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->names.account, out);
}
void render_batch_host(const JobRow& row, const Context&, std::string& out) {
  const std::string host = batch_host_of(*row.job);
  out += host.empty() ? "n/a" : host;
}
void render_cpus(const JobRow& row, const Context&, std::string& out) {
  append_number(cpus_of(*row.job), out);
}
void render_cpus_per_node_min(const JobRow& row, const Context&, std::string& out) {
  append_number(cpus_per_node_min(*row.job), out);
}
void render_cpus_per_task(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->asked.demand.cpus_per_task, out);
}
void render_nodes(const JobRow& row, const Context&, std::string& out) {
  append_number(nodes_of(*row.job), out);  // of a range the least: clients read a number
}
void render_nodes_max(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->asked.demand.nodes_max, out);
}
void render_tasks(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->asked.demand.ntasks, out);
}
void render_tasks_per_node(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->asked.demand.ntasks_per_node, out);
}
void render_dependency(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->asked.dependency, out);
}
void render_end_time(const JobRow& row, const Context& context, std::string& out) {
  append_time_or_na(end_of(*row.job), context, out);
}
void render_features(const JobRow& row, const Context&, std::string& out) {
  append_or_null(shown_constraint(row.job->asked.placement.constraint), out);
}
void render_over_subscribe(const JobRow& row, const Context&, std::string& out) {
  out += sharing_word(*row.job);
}
void render_comment(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->names.comment, out);
}
void render_time_limit(const JobRow& row, const Context&, std::string& out) {
  append_short_limit(limit_of(*row.job), out);
}
void render_time_left(const JobRow& row, const Context& context, std::string& out) {
  const TimeLimit limit = limit_of(*row.job);
  if (limit.unlimited) {
    out += "UNLIMITED";
    return;
  }
  const std::int64_t left = std::int64_t{limit.minutes} * 60 - elapsed_s(*row.job, context.as_of);
  if (left < 0) out += "INVALID";
  else append_short_duration(left, out);
}
void render_time_used(const JobRow& row, const Context& context, std::string& out) {
  append_short_duration(elapsed_s(*row.job, context.as_of), out);
}
void render_mem_min(const JobRow& row, const Context& context, std::string& out) {
  const Demand& demand = row.job->asked.demand;
  append_mem_mb(demand.mem_per_cpu_mb > 0 ? demand.mem_per_cpu_mb : demand.mem_per_node_mb,
                context.mem, out);
}
void render_tmp_min(const JobRow& row, const Context& context, std::string& out) {
  append_mem_mb(row.job->asked.demand.tmp_per_node_mb, context.mem, out);
}
void render_licenses(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->asked.request.licenses, out);
}
void render_time_min(const JobRow& row, const Context&, std::string& out) {
  if (row.job->asked.time_min) append_short_limit(*row.job->asked.time_min, out);
  else out += "0:00";
}
void append_number_or_na(std::uint32_t number, std::string& out) {
  if (number > 0) append_number(number, out);
  else out += "N/A";
}
void render_tasks_per_core(const JobRow& row, const Context&, std::string& out) {
  append_number_or_na(row.job->asked.demand.ntasks_per_core, out);
}
void render_tasks_per_socket(const JobRow& row, const Context&, std::string& out) {
  append_number_or_na(row.job->asked.demand.ntasks_per_socket, out);
}
template <std::string (*Text)(const JobInfo& job)>
void render_text_or_na(const JobRow& row, const Context&, std::string& out) {
  append_or_na(Text(*row.job), out);
}
void render_nodelist(const JobRow& row, const Context&, std::string& out) {
  out += nodelist_of(*row.job);
}
void render_nodes_asked(const JobRow& row, const Context&, std::string& out) {
  out += compress_hostlist(row.job->asked.placement.nodelist);
}
void render_nodes_excluded(const JobRow& row, const Context&, std::string& out) {
  out += compress_hostlist(row.job->asked.placement.exclude);
}
void render_command(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->files.command, out);
}
void render_priority_fraction(const JobRow& row, const Context&, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:.14f}",
                 static_cast<double>(row.job->wait.priority) / 4294967295.0);
}
void render_priority(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->wait.priority, out);
}
void render_qos(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->names.qos, out);
}
void render_reason(const JobRow& row, const Context&, std::string& out) {
  out += reason_word(*row.job);
}
// Where it is, or why it is nowhere (any more).
void render_nodelist_or_reason(const JobRow& row, const Context& context, std::string& out) {
  const JobInfo& job = *row.job;
  const bool ended_badly =
      job.state == JobState::ended && job.end &&
      (job.end->outcome == Outcome::failed || job.end->outcome == Outcome::timeout ||
       job.end->outcome == Outcome::out_of_memory || job.end->outcome == Outcome::deadline);
  if (job.state != JobState::pending && !ended_badly) return render_nodelist(row, context, out);
  out.append("(").append(reason_word(job)).append(")");
}
void render_deadline(const JobRow& row, const Context& context, std::string& out) {
  append_time_or_na(row.job->times.deadline, context, out);
}
void render_planned_nodes(const JobRow& row, const Context&, std::string& out) {
  const std::string& nodes = row.job->wait.planned_nodes;
  out += nodes.empty() ? "(null)" : nodes;
}
void render_start_time(const JobRow& row, const Context& context, std::string& out) {
  append_time_or_na(start_of(*row.job), context, out);
}
void render_state_code(const JobRow& row, const Context&, std::string& out) {
  out += state_code(row.job->state, row.job->end, row.job->special_exit);
}
void render_uid(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->names.uid, out);
}
void render_gid(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->names.gid, out);
}
void render_submit_time(const JobRow& row, const Context& context, std::string& out) {
  append_time_or_na(row.job->times.submitted, context, out);
}
void render_eligible_time(const JobRow& row, const Context& context, std::string& out) {
  append_time_or_na(row.job->times.eligible, context, out);
}
void render_wckey(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->names.wckey, out);
}
void render_nice(const JobRow& row, const Context&, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", row.job->asked.nice);
}
void render_work_dir(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->files.work_dir, out);
}
void render_sockets(const JobRow& row, const Context&, std::string& out) {
  out += number_or_star(row.job->asked.demand.sockets_per_node_min);
}
void render_sockets_cores_threads(const JobRow& row, const Context& context, std::string& out) {
  render_sockets(row, context, out);
  out += ":*:*";
}
void render_submit_host(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->files.submit_host, out);
}
void render_cluster(const JobRow&, const Context& context, std::string& out) {
  append_or_na(context.cluster, out);
}
void render_exit_code(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->end ? row.job->end->status.code : 0, out);
}
void render_pending_time(const JobRow& row, const Context& context, std::string& out) {
  const JobInfo& job = *row.job;
  const bool started = job.times.started && job.state != JobState::pending;
  const WallTime until = started ? *job.times.started : job.times.ended.value_or(context.as_of);
  fmt::format_to(std::back_inserter(out), "{}",
                 std::max<std::int64_t>(0, to_seconds(until) - to_seconds(job.times.submitted)));
}
void render_requeue(const JobRow& row, const Context&, std::string& out) {
  out += row.job->asked.requeue ? '1' : '0';
}
void render_restarts(const JobRow& row, const Context&, std::string& out) {
  append_number(row.job->run.value, out);
}
void render_tres(const JobRow& row, const Context& context, std::string& out) {
  out += tres_text(tres_of(*row.job), context.mem);
}
void render_stdout(const JobRow& row, const Context&, std::string& out) {
  append_or_null(row.job->files.output, out);
}
void render_stderr(const JobRow& row, const Context&, std::string& out) {
  const JobFiles& files = row.job->files;
  append_or_null(files.error.empty() ? files.output : files.error, out);
}
void render_stdin(const JobRow& row, const Context&, std::string& out) {
  out += row.job->files.input.empty() ? "/dev/null" : row.job->files.input;
}

constexpr Column<JobRow> columns[] = {
    {'A', "jobid", "JOBID", "", render_job_id},
    {'a', "account", "ACCOUNT", "names", render_account},
    {'B', "batchhost", "EXEC_HOST", "allocation", render_batch_host},
    {'b', "tres-per-node gres", "TRES_PER_NODE", "asked", render_text_or_na<tres_per_node_text>},
    {'C', "numcpus", "CPUS", "asked allocation", render_cpus},
    {'c', "mincpus", "MIN_CPUS", "asked", render_cpus_per_node_min},
    {'D', "numnodes", "NODES", "asked allocation", render_nodes},
    {'d', "mintmpdisk", "MIN_TMP_DISK", "asked", render_tmp_min},
    {'E', "dependency", "DEPENDENCY", "asked", render_dependency},
    {'e', "endtime", "END_TIME", "asked times", render_end_time},
    {'F', "arrayjobid", "ARRAY_JOB_ID", "", render_array_id},
    {'f', "feature", "FEATURES", "asked", render_features},
    {'G', "groupid", "GROUP", "names", render_gid},
    {'g', "groupname", "GROUP", "names", render_group},
    {'H', "sockets", "SOCKETS_PER_NODE", "asked", render_sockets},
    {'h', "oversubscribe shared", "OVER_SUBSCRIBE", "asked", render_over_subscribe},
    {'I', "cores", "CORES_PER_SOCKET", "", render_star},
    {'i', "jobarrayid", "JOBID", "asked", render_shown_id},
    {'J', "threads", "THREADS_PER_CORE", "", render_star},
    {'j', "name", "NAME", "names", render_job_name},
    {'K', "arraytaskid", "ARRAY_TASK_ID", "asked", render_task},
    {'k', "comment", "COMMENT", "names", render_comment},
    {'L', "timeleft", "TIME_LEFT", "asked times", render_time_left},
    {'l', "timelimit", "TIME_LIMIT", "asked", render_time_limit},
    {'M', "timeused", "TIME", "times", render_time_used},
    {'m', "minmemory", "MIN_MEMORY", "asked", render_mem_min},
    {'N', "nodelist", "NODELIST", "allocation", render_nodelist},
    {'n', "reqnodes", "REQ_NODES", "asked", render_nodes_asked},
    {'O', "contiguous", "CONTIGUOUS", "", render_zero},
    {'o', "command", "COMMAND", "files", render_command},
    {'P', "partition", "PARTITION", "names", render_partition},
    {'p', "priority", "PRIORITY", "wait", render_priority_fraction},
    {'Q', "prioritylong", "PRIORITY", "wait", render_priority},
    {'q', "qos", "QOS", "names", render_qos},
    {'R', "reasonlist", "NODELIST(REASON)", "end wait allocation", render_nodelist_or_reason},
    {'r', "reason", "REASON", "end wait", render_reason},
    {'S', "starttime", "START_TIME", "times wait", render_start_time},
    {'s', "selectjobinfo", "", "", render_nothing},
    {'T', "state", "STATE", "end", render_state_word},
    {'t', "statecompact", "ST", "end", render_state_code},
    {'U', "userid", "UID", "names", render_uid},
    {'u', "username", "USER", "names", render_user},
    {'V', "submittime", "SUBMIT_TIME", "times", render_submit_time},
    {'v', "reservation", "RESERVATION", "asked", render_reservation},
    {'W', "licenses", "LICENSES", "asked", render_licenses},
    {'w', "wckey", "WCKEY", "names", render_wckey},
    {'X', "corespec", "CORE_SPEC", "", render_na},
    {'x', "excnodes", "EXC_NODES", "asked", render_nodes_excluded},
    {'Y', "schednodes", "SCHEDNODES", "wait", render_planned_nodes},
    {'y', "nice", "NICE", "asked", render_nice},
    {'Z', "workdir", "WORK_DIR", "files", render_work_dir},
    {'z', "sct", "S:C:T", "asked", render_sockets_cores_threads},
    {0, "accruetime", "ACCRUE_TIME", "times", render_eligible_time},
    {0, "admin_comment", "ADMIN_COMMENT", "", render_null},
    {0, "allocnodes", "ALLOC_NODES", "files", render_submit_host},
    {0, "allocsid", "ALLOC_SID", "", render_zero},
    {0, "associd", "ASSOC_ID", "", render_zero},
    {0, "batchflag", "BATCH_FLAG", "", render_one},
    {0, "boardspernode", "BOARDS_PER_NODE", "", render_zero},
    {0, "burstbuffer", "BURST_BUFFER", "", render_null},
    {0, "burstbufferstate", "BURST_BUFFER_STATE", "", render_null},
    {0, "cluster", "CLUSTER", "", render_cluster},
    {0, "clusterfeature", "CLUSTER_FEATURES", "", render_null},
    {0, "container", "CONTAINER", "", render_null},
    {0, "cpus-per-task", "CPUS_PER_TASK", "asked", render_cpus_per_task},
    {0, "cpus-per-tres", "CPUS_PER_TRES", "asked", render_text_or_na<cpus_per_tres_text>},
    {0, "deadline", "DEADLINE", "times", render_deadline},
    {0, "delayboot", "DELAY_BOOT", "", render_zero_time},
    {0, "derivedec", "DERIVED_EC", "", render_zero},
    {0, "eligibletime", "ELIGIBLE_TIME", "times", render_eligible_time},
    {0, "exit_code", "EXIT_CODE", "end", render_exit_code},
    {0, "hetjobid", "HET_JOB_ID", "", render_na},
    {0, "hetjobidset", "HET_JOB_ID_SET", "", render_na},
    {0, "hetjoboffset", "HET_JOB_OFFSET", "", render_na},
    {0, "lastschedeval", "LAST_SCHED_EVAL", "", render_na},
    {0, "maxcpus", "MAX_CPUS", "asked allocation", render_cpus},
    {0, "maxnodes", "MAX_NODES", "asked", render_nodes_max},
    {0, "mcslabel", "MCSLABEL", "", render_null},
    {0, "mem-per-tres", "MEM_PER_TRES", "asked", render_text_or_na<mem_per_tres_text>},
    {0, "mintime", "TIME_MIN", "asked", render_time_min},
    {0, "network", "NETWORK", "", render_null},
    {0, "ntperboard", "NTASKS_PER_BOARD", "", render_zero},
    {0, "ntpercore", "NTASKS_PER_CORE", "asked", render_tasks_per_core},
    {0, "ntpernode", "NTASKS_PER_NODE", "asked", render_tasks_per_node},
    {0, "ntpersocket", "NTASKS_PER_SOCKET", "asked", render_tasks_per_socket},
    {0, "numtasks", "TASKS", "asked", render_tasks},
    {0, "origin", "ORIGIN", "", render_no_federation},
    {0, "originraw", "ORIGIN_RAW", "", render_no_federation},
    {0, "pendingtime", "PENDING_TIME", "times", render_pending_time},
    {0, "preempttime", "PREEMPT_TIME", "", render_na},
    {0, "prefer", "PREFER", "", render_null},
    {0, "profile", "PROFILE", "", render_not_set},
    {0, "reboot", "REBOOT", "", render_zero},
    {0, "reqswitch", "REQ_SWITCH", "", render_zero},
    {0, "requeue", "REQUEUE", "asked", render_requeue},
    {0, "resizetime", "RESIZE_TIME", "", render_na},
    {0, "restartcnt", "RESTART_COUNT", "run", render_restarts},
    {0, "siblingsactive", "ACTIVE_SIBLINGS", "", render_no_federation},
    {0, "siblingsactiveraw", "ACTIVE_SIBLINGS_RAW", "", render_no_federation},
    {0, "siblingsviable", "VIABLE_SIBLINGS", "", render_no_federation},
    {0, "siblingsviableraw", "VIALBLE_SIBLINGS_RAW", "", render_no_federation},
    {0, "sperboard", "SOCKETS_PER_BOARD", "", render_zero},
    {0, "stderr", "STDERR", "files", render_stderr},
    {0, "stdin", "STDIN", "files", render_stdin},
    {0, "stdout", "STDOUT", "files", render_stdout},
    {0, "system_comment", "SYSTEM_COMMENT", "", render_null},
    {0, "tres-alloc tres", "TRES_ALLOC", "asked allocation", render_tres},
    {0, "tres-bind", "TRES_BIND", "", render_na},
    {0, "tres-freq", "TRES_FREQ", "", render_na},
    {0, "tres-per-job", "TRES_PER_JOB", "asked", render_text_or_na<tres_per_job_text>},
    {0, "tres-per-socket", "TRES_PER_SOCKET", "asked", render_text_or_na<tres_per_socket_text>},
    {0, "tres-per-task", "TRES_PER_TASK", "asked", render_text_or_na<tres_per_task_text>},
    {0, "wait4switch", "WAIT4SWITCH", "", render_zero_time},
};

}  // namespace

std::span<const Column<JobRow>> job_columns() { return columns; }

std::string job_column_value(const JobInfo& job, std::string_view name,
                             const ListingContext& context) {
  std::string text;
  column_of_name(job_columns(), name)->render(JobRow{&job, {}}, context, text);
  return text == "(null)" || text == "N/A" ? std::string{} : text;
}

}  // namespace sluice
