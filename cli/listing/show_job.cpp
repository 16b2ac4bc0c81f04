// show_job.cpp: the record of `scontrol show job`.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/show_text.h"
#include "common/base/hostlist.h"
#include "common/options/grammar.h"

namespace sluice {
namespace {

std::string or_null(std::string text) { return text.empty() ? "(null)" : text; }

std::string time_or(const char* absent, std::optional<WallTime> time,
                    const ListingContext& context) {
  return time && *time != WallTime{} ? context.times.text(*time) : absent;
}

std::string long_duration(std::int64_t seconds) {
  std::string out;
  append_long_duration(seconds, out);
  return out;
}

std::string long_limit(const TimeLimit& limit) {
  std::string out;
  append_long_limit(limit, out);
  return out;
}

std::string mem_text(std::uint64_t mem_mb) {
  std::string out;
  append_mem_mb(mem_mb, false, out);
  return out;
}


std::string head_line(const JobRow& row) {
  const JobInfo& job = *row.job;
  std::string line = fmt::format("JobId={}", job.id.value);
  if (job.array) {
    line += fmt::format(" ArrayJobId={} ArrayTaskId=", job.array->array_id.value);
    append_task(row, line);
    if (job.asked.array_max_running > 0)
      line += fmt::format(" ArrayTaskThrottle={}", job.asked.array_max_running);
  }
  return line + " JobName=" + job.names.name;
}

std::string node_count_text(const JobInfo& job) {
  if (!job.allocation.empty()) return fmt::format("{}", nodes_of(job));
  const Demand& demand = job.asked.demand;
  if (!job.asked.request.nodes_max) return fmt::format("{}", demand.nodes_min);
  return fmt::format("{}-{}", demand.nodes_min, demand.nodes_max);
}

void add_times(const JobInfo& job, const ListingContext& context, std::vector<std::string>& lines) {
  lines.push_back(fmt::format(
      "RunTime={} TimeLimit={} TimeMin={}", long_duration(elapsed_s(job, context.as_of)),
      long_limit(limit_of(job)), job.asked.time_min ? long_limit(*job.asked.time_min) : "N/A"));
  lines.push_back(fmt::format("SubmitTime={} EligibleTime={}",
                              time_or("Unknown", job.times.submitted, context),
                              time_or("Unknown", job.times.eligible, context)));
  const auto accrues_from = is_deferred(job) ? std::nullopt : std::optional(job.times.eligible);
  lines.push_back(fmt::format("AccrueTime={}", time_or("Unknown", accrues_from, context)));
  // One that ended without a run shows its end as both.
  const std::optional<WallTime> started = start_of(job);
  lines.push_back(fmt::format("StartTime={} EndTime={} Deadline={}",
                              time_or("Unknown", started ? started : job.times.ended, context),
                              time_or("Unknown", end_of(job), context),
                              time_or("N/A", job.times.deadline, context)));
  lines.push_back("SuspendTime=None SecsPreSuspend=0 LastSchedEval=Unknown Scheduler=Main");
}

void add_places(const JobInfo& job, std::vector<std::string>& lines) {
  const PlacementRequest& placement = job.asked.placement;
  lines.push_back(fmt::format("Partition={} AllocNode:Sid={}:0", job.names.partition,
                              or_null(job.files.submit_host)));
  lines.push_back(fmt::format("ReqNodeList={} ExcNodeList={}",
                              or_null(compress_hostlist(placement.nodelist)),
                              or_null(compress_hostlist(placement.exclude))));
  lines.push_back("NodeList=" + nodelist_of(job));
  if (!job.allocation.empty()) lines.push_back("BatchHost=" + batch_host_of(job));
}

void add_shares(const JobInfo& job, std::vector<std::string>& lines) {
  lines.push_back("JOB_GRES=" + gres_or_null(job.asked.demand.gres_per_node));
  for (const NodeShare& share : job.allocation.shares)
    lines.push_back(fmt::format("  Nodes={} CPUs={} Mem={} GRES={}", share.node, share.cpus,
                                share.mem_mb, share.gres.empty() ? "" : gres_or_null(share.gres)));
}

void add_amounts(const JobInfo& job, const ShowStyle& style, std::vector<std::string>& lines) {
  const Demand& demand = job.asked.demand;
  lines.push_back(fmt::format("NumNodes={} NumCPUs={} NumTasks={} CPUs/Task={} ReqB:S:C:T=0:0:*:*",
                              node_count_text(job), cpus_of(job), demand.ntasks,
                              demand.cpus_per_task));
  lines.push_back("TRES=" + tres_text(tres_of(job), false));
  lines.push_back(fmt::format("Socks/Node={} NtasksPerN:B:S:C={}:0:{}:{} CoreSpec=*",
                              number_or_star(demand.sockets_per_node_min), demand.ntasks_per_node,
                              number_or_star(demand.ntasks_per_socket),
                              number_or_star(demand.ntasks_per_core)));
  if (style.details) add_shares(job, lines);
  const bool per_cpu = demand.mem_per_cpu_mb > 0;
  lines.push_back(fmt::format("MinCPUsNode={} MinMemory{}={} MinTmpDiskNode={}",
                              cpus_per_node_min(job), per_cpu ? "CPU" : "Node",
                              mem_text(per_cpu ? demand.mem_per_cpu_mb : demand.mem_per_node_mb),
                              mem_text(demand.tmp_per_node_mb)));
  lines.push_back(fmt::format("Features={} DelayBoot=00:00:00",
                              or_null(shown_constraint(job.asked.placement.constraint))));
  if (const auto& names = job.asked.placement.reservations; !names.empty())
    lines.push_back(fmt::format("Reservation={}", fmt::join(names, ",")));
  lines.push_back(fmt::format("OverSubscribe={} Contiguous=0 Licenses={} Network=(null)",
                              sharing_word(job), or_null(job.asked.request.licenses)));
}

struct TresLine {
  const char* key;
  std::string (*text)(const JobInfo& job);
};
constexpr TresLine tres_lines[] = {
    {"CpusPerTres", cpus_per_tres_text},     {"MemPerTres", mem_per_tres_text},
    {"TresPerJob", tres_per_job_text},       {"TresPerNode", tres_per_node_text},
    {"TresPerSocket", tres_per_socket_text}, {"TresPerTask", tres_per_task_text},
};

void add_tres(const JobInfo& job, std::vector<std::string>& lines) {
  for (const TresLine& line : tres_lines)
    if (const std::string text = line.text(job); !text.empty())
      lines.push_back(fmt::format("{}={}", line.key, text));
}

void add_files(const JobInfo& job, std::vector<std::string>& lines) {
  const JobFiles& files = job.files;
  lines.push_back("Command=" + or_null(files.command));
  lines.push_back("WorkDir=" + or_null(files.work_dir));
  if (!job.names.comment.empty()) lines.push_back("Comment=" + job.names.comment);
  lines.push_back("StdErr=" + or_null(files.error.empty() ? files.output : files.error));
  lines.push_back("StdIn=" + (files.input.empty() ? "/dev/null" : files.input));
  lines.push_back("StdOut=" + or_null(files.output));
  lines.push_back("Power=");
  add_tres(job, lines);
}

// What follows its end, or comes before it; only where it was asked for, or happened.
void add_asked_at_ends(const JobInfo& job, std::vector<std::string>& lines) {
  const JobAsked& asked = job.asked;
  if (asked.signal) lines.push_back("Signal=" + to_text(*asked.signal));
  if (!asked.mail.types.empty()) {
    std::string types;
    for (const MailType type : asked.mail.types)
      types.append(types.empty() ? "" : ",").append(enum_name(type));
    const std::string& user = asked.mail.user.empty() ? job.names.user : asked.mail.user;
    lines.push_back(fmt::format("MailUser={} MailType={}", or_null(user), types));
  }
  if (asked.retries_by_node + asked.retries_by_exit > 0)
    lines.push_back(fmt::format("RestartsByNode={} RestartsByExit={}", asked.retries_by_node,
                                asked.retries_by_exit));
}

}  // namespace

std::string record_text(const std::vector<std::string>& lines, const ShowStyle& style) {
  std::string out;
  for (const std::string& line : lines) {
    if (!out.empty()) out += style.one_line ? " " : "\n   ";
    // A line may be indented further; on one line single blanks divide all.
    out += style.one_line ? line.substr(line.find_first_not_of(' ')) : line;
  }
  return out + (style.one_line ? "\n" : "\n\n");
}

std::string show_job_text(const JobRow& row, const ShowStyle& style,
                          const ListingContext& context) {
  const JobInfo& job = *row.job;
  const JobEnd end = job.end.value_or(JobEnd{});
  std::vector<std::string> lines;
  lines.push_back(head_line(row));
  lines.push_back(fmt::format("UserId={}({}) GroupId={}({}) MCS_label=N/A", user_of(job, context),
                              job.names.uid, group_of(job, context), job.names.gid));
  lines.push_back(fmt::format("Priority={} Nice={} Account={} QOS={}{}{}", job.wait.priority,
                              job.asked.nice, or_null(job.names.account), or_null(job.names.qos),
                              job.names.wckey.empty() ? "" : " WCKey=", job.names.wckey));
  lines.push_back(fmt::format("JobState={} Reason={} Dependency={}",
                              state_word(job.state, job.end, job.special_exit), reason_word(job),
                              or_null(job.asked.dependency)));
  lines.push_back(fmt::format("Requeue={} Restarts={} BatchFlag=1 Reboot=0 ExitCode={}:{}",
                              job.asked.requeue ? 1 : 0, job.run.value, end.status.code,
                              end.status.signal));
  if (style.details) lines.push_back("DerivedExitCode=0:0");
  add_times(job, context, lines);
  add_places(job, lines);
  add_amounts(job, style, lines);
  add_files(job, lines);
  add_asked_at_ends(job, lines);
  lines.push_back("ReasonDetail=" + or_null(reason_sentence(job)));
  return record_text(lines, style);
}

std::string show_step_text(const JobInfo& job, const ShowStyle& style,
                           const ListingContext& context) {
  std::string id;
  append_shown_id(JobRow{&job, {}}, id);
  return record_text(
      {fmt::format("StepId={}.batch UserId={} StartTime={} TimeLimit=UNLIMITED", id, job.names.uid,
                   time_or("Unknown", start_of(job), context)),
       fmt::format("State=RUNNING Partition={} NodeList={}", job.names.partition,
                   batch_host_of(job)),
       fmt::format("Nodes=1 CPUs={} Tasks=1 Name=batch Network=(null)",
                   job.allocation.empty() ? 0 : job.allocation.shares.front().cpus),
       "TRES=(null)", "ResvPorts=(null)", "CPUFreqReq=Default", "SrunHost:Pid=(null):0"},
      style);
}

std::string completing_text(const JobInfo& job, const ListingContext& context) {
  const WallTime ended = job.times.ended.value_or(context.as_of);
  return fmt::format(
      "JobId={} EndTime={} CompletingTime={} Nodes(COMPLETING)={}\n", job.id.value,
      context.times.text(ended),
      long_duration(std::max<std::int64_t>(0, to_seconds(context.as_of) - to_seconds(ended))),
      nodelist_of(job));
}

}  // namespace sluice
