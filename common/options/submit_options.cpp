// submit_options.cpp: the rows.
#include "common/options/submit_options.h"

#include "common/options/submit_apply.h"

namespace sluice {
namespace {

constexpr ArgumentKind none = ArgumentKind::none;
constexpr ArgumentKind required = ArgumentKind::required;
constexpr ArgumentKind optional = ArgumentKind::optional;
constexpr OptionPlace command_line = OptionPlace::command_line;

// An option of Slurm that Sluice does not honour yet.
constexpr SubmitOption later(const char* name, char letter, ArgumentKind argument,
                             const char* environment = nullptr) {
  return {{name, letter, argument}, environment, nullptr, nullptr, nullptr, nullptr};
}

// clang-format off
constexpr SubmitOption options[] = {
    {{"account", 'A', required}, "SBATCH_ACCOUNT", "account", "name", "charge the job to this account", apply::spec_text<&JobSpec::account>},
    {{"array", 'a', required}, "SBATCH_ARRAY_INX", "start.array", "indexes", "run one task for each index: 0-15, 1,3,5, 1-7:2, 0-15%4", apply::array},
    {{"begin", 'b', required}, nullptr, "start.begin", "time", "start no earlier: now+1hour, 16:00, tomorrow, 2030-01-20T12:34", apply::time_point<&StartRules::begin>},
    {{"chdir", 'D', required}, nullptr, "batch.work_dir", "directory", "work in this directory", apply::text<&SubmitRequest::work_dir>},
    {{"clusters", 'M', required}, "SBATCH_CLUSTERS", nullptr, "name", "submit to this cluster", apply::text<&SubmitRequest::cluster>},
    {{"comment", 0, required}, nullptr, "comment", "text", "any text, kept with the job", apply::spec_text<&JobSpec::comment>},
    {{"constraint", 'C', required}, "SBATCH_CONSTRAINT", "placement.constraint", "list", "features of the nodes: a&b, a|b, (a|b)&c; a*2: on two of them; [a|b]: the same on all", apply::constraint},
    {{"cpus-per-gpu", 0, required}, "SBATCH_CPUS_PER_GPU", "request.cpus_per_gpu", "n", "at least so many cpus for each GPU", apply::count<&ResourceRequest::cpus_per_gpu>},
    {{"cpus-per-task", 'c', required}, nullptr, "request.cpus_per_task", "ncpus", "number of cpus for each task", apply::count<&ResourceRequest::cpus_per_task>},
    {{"deadline", 0, required}, nullptr, "start.deadline", "time", "end the job when it could not be over by then; times as for --begin", apply::time_point<&StartRules::deadline>},
    {{"dependency", 'd', required}, nullptr, "start.dependency", "type:jobid[:jobid...]", "start after other jobs: after[+minutes], afterany, afterok, afternotok, aftercorr, or singleton; ',' for all of them, '?' for any", apply::dependency},
    {{"error", 'e', required}, "SBATCH_ERROR", "stdio_files.error", "file", "standard error of the script", apply::file<&StdioRequest::error>},
    {{"exclude", 'x', required}, nullptr, "placement.exclude", "hosts", "none of these nodes", apply::exclude},
    {{"exclusive", 0, optional}, "SBATCH_EXCLUSIVE", "request.sharing", "user", "share the nodes with no other job; =user: only with jobs of yours that say the same", apply::exclusive},
    {{"export", 0, required}, "SBATCH_EXPORT", "batch.export_mode", "ALL|NONE|NIL|list", "which variables the job gets: NAME, NAME=value", apply::export_list},
    {{"export-file", 0, required}, nullptr, nullptr, "file|fd", "take variables from a file of NAME=value, each ended by a NUL; they win over the caller's", apply::text<&SubmitRequest::export_file>},
    {{"get-user-env", 0, optional}, "SBATCH_GET_USER_ENV", nullptr, "timeout][mode", "add what a login shell of the job's user sets here, for what the caller's environment lacks; seconds (8), mode L (login) or S", apply::login_environment},
    {{"gid", 0, required}, nullptr, nullptr, "group", "run with this group (root only)", apply::text<&SubmitRequest::group>, command_line},
    {{"gpus", 'G', required}, "SBATCH_GPUS", "request.gpus", "[type:]n", "number of GPUs of the whole job", apply::gpus<&ResourceRequest::gpus>},
    {{"gpus-per-node", 0, required}, "SBATCH_GPUS_PER_NODE", "request.gres_per_node", "[type:]n", "number of GPUs on each node", apply::gpus_per_node},
    {{"gpus-per-socket", 0, required}, "SBATCH_GPUS_PER_SOCKET", "request.gpus_per_socket", "[type:]n", "number of GPUs for each socket that --sockets-per-node counts", apply::gpus<&ResourceRequest::gpus_per_socket>},
    {{"gpus-per-task", 0, required}, "SBATCH_GPUS_PER_TASK", "request.gpus_per_task", "[type:]n", "number of GPUs for each task", apply::gpus<&ResourceRequest::gpus_per_task>},
    {{"gres", 0, required}, "SBATCH_GRES", "request.gres_per_node", "list", "generic resources on each node: gpu:2, gpu:a100:1", apply::gres},
    {{"hint", 0, required}, "SBATCH_HINT", nullptr, "multithread", "tasks may use all threads of a core, as always here", apply::hint},
    {{"hold", 'H', none}, nullptr, "start.hold", nullptr, "submit in held state", apply::hold},
    {{"ignore-pbs", 0, none}, "SBATCH_IGNORE_PBS", nullptr, nullptr, "leave #PBS and #BSUB lines out", apply::flag<&SubmitRequest::ignore_pbs>},
    {{"input", 'i', required}, "SBATCH_INPUT", "stdio_files.input", "file", "standard input of the script", apply::file<&StdioRequest::input>},
    {{"job-name", 'J', required}, "SBATCH_JOB_NAME", "name", "name", "name of the job", apply::spec_text<&JobSpec::name>},
    {{"kill-on-invalid-dep", 0, required}, nullptr, "start.kill_on_invalid_dep", "yes|no", "end the job when its dependency can never be met (yes, the default), or keep it waiting", apply::kill_on_invalid_dependency},
    {{"licenses", 'L', required}, nullptr, "request.licenses", "name[:n],...", "licences that the job holds while it runs", apply::licenses},
    {{"mail-type", 0, required}, nullptr, "mail.types", "list", "send mail at: NONE, BEGIN, END, FAIL, REQUEUE, ALL, INVALID_DEPEND, TIME_LIMIT, TIME_LIMIT_50, _80, _90; with ARRAY_TASKS for each task", apply::mail_type},
    {{"mail-user", 0, required}, nullptr, "mail.user", "user", "who gets mail where --mail-type asks for it; the job's owner", apply::mail_user},
    {{"mem", 0, required}, "SBATCH_MEM_PER_NODE", "request.mem_per_node_mb", "size[K|M|G|T]", "memory on each node; 0 is all of it", apply::memory<&ResourceRequest::mem_per_node_mb>},
    {{"mem-per-cpu", 0, required}, "SBATCH_MEM_PER_CPU", "request.mem_per_cpu_mb", "size[K|M|G|T]", "memory for each cpu", apply::memory<&ResourceRequest::mem_per_cpu_mb>},
    {{"mem-per-gpu", 0, required}, "SBATCH_MEM_PER_GPU", "request.mem_per_gpu_mb", "size[K|M|G|T]", "memory for each GPU", apply::memory<&ResourceRequest::mem_per_gpu_mb>},
    {{"mincpus", 0, required}, nullptr, "request.cpus_per_node_min", "n", "at least so many cpus on each node", apply::count<&ResourceRequest::cpus_per_node_min>},
    {{"nice", 0, optional}, nullptr, "start.nice", "value", "lower the priority by this (100 without a value)", apply::nice},
    {{"no-requeue", 0, none}, "SBATCH_NO_REQUEUE", "start.requeue", nullptr, "never run the job again", apply::requeue<false>},
    {{"nodefile", 'F', required}, nullptr, "placement.nodelist", "file", "all of the nodes that this file names, a list or one a line", apply::nodefile},
    {{"nodelist", 'w', required}, nullptr, "placement.nodelist", "hosts", "all of these nodes", apply::nodelist},
    {{"nodes", 'N', required}, nullptr, "request.nodes_min", "n|min-max", "number of nodes", apply::nodes},
    {{"ntasks", 'n', required}, nullptr, "request.ntasks", "n", "number of tasks", apply::count<&ResourceRequest::ntasks>},
    {{"ntasks-per-core", 0, required}, nullptr, "request.ntasks_per_core", "n", "at most so many tasks on each core", apply::count<&ResourceRequest::ntasks_per_core>},
    {{"ntasks-per-gpu", 0, required}, nullptr, "request.ntasks_per_gpu", "n", "so many tasks in the job for each of its GPUs", apply::count<&ResourceRequest::ntasks_per_gpu>},
    {{"ntasks-per-node", 0, required}, nullptr, "request.ntasks_per_node", "n", "number of tasks on each node", apply::count<&ResourceRequest::ntasks_per_node>},
    {{"ntasks-per-socket", 0, required}, nullptr, "request.ntasks_per_socket", "n", "at most so many tasks for each socket of a node", apply::count<&ResourceRequest::ntasks_per_socket>},
    {{"sockets-per-node", 0, required}, nullptr, "request.sockets_per_node", "n", "only nodes with at least so many sockets", apply::count<&ResourceRequest::sockets_per_node>},
    {{"tasks-per-node", 0, required}, nullptr, "request.ntasks_per_node", "n", "the same as --ntasks-per-node", apply::count<&ResourceRequest::ntasks_per_node>},
    {{"open-mode", 0, required}, "SBATCH_OPEN_MODE", "stdio_files.append", "append|truncate", "what happens to output files that exist", apply::open_mode},
    {{"output", 'o', required}, "SBATCH_OUTPUT", "stdio_files.output", "file", "standard output of the script; %j %A %a %x %u %N are filled in", apply::file<&StdioRequest::output>},
    {{"oversubscribe", 's', none}, nullptr, "request.sharing", nullptr, "allow others on the nodes, also where --exclusive was said; a cpu is never given to two jobs", apply::oversubscribe},
    {{"parsable", 0, none}, nullptr, nullptr, nullptr, "print only the job id", apply::flag<&SubmitRequest::parsable>},
    {{"partition", 'p', required}, "SBATCH_PARTITION", "placement.partitions", "list", "the partition, or several to choose from", apply::partition},
    {{"priority", 0, required}, nullptr, "start.priority", "n|TOP", "priority of the job (administrators)", apply::priority},
    {{"propagate", 0, optional}, nullptr, "batch.propagate", "ALL|NONE|list", "limits of this shell that the job takes along: NOFILE,CORE", apply::propagate},
    {{"qos", 'q', required}, "SBATCH_QOS", "qos", "name", "quality of service", apply::spec_text<&JobSpec::qos>},
    {{"quiet", 'Q', none}, nullptr, nullptr, nullptr, "say nothing unless there is an error", apply::flag<&SubmitRequest::quiet>},
    {{"requeue", 0, none}, "SBATCH_REQUEUE", "start.requeue", nullptr, "run the job again when its node fails", apply::requeue<true>},
    {{"share", 0, none}, nullptr, "request.sharing", nullptr, "the same as --oversubscribe", apply::oversubscribe},
    {{"reservation", 0, required}, "SBATCH_RESERVATION", "placement.reservations", "names", "run in this reservation, or in the first of several that has room", apply::reservation},
    {{"signal", 0, required}, "SBATCH_SIGNAL", "start.signal", "[B:]sig[@secs]", "send a signal so long (60 s) before the end of the time limit: B: to the script's shell alone, else to all that it started", apply::signal},
    {{"test-only", 0, none}, nullptr, nullptr, nullptr, "say when the job would start, submit nothing", apply::flag<&SubmitRequest::test_only>},
    {{"time", 't', required}, "SBATCH_TIMELIMIT", "start.time_limit", "limit", "minutes, M:S, H:M:S, D-H, D-H:M, D-H:M:S or UNLIMITED", apply::limit<&StartRules::time_limit>},
    {{"time-min", 0, required}, nullptr, "start.time_min", "limit", "the time limit is never lowered below this", apply::limit<&StartRules::time_min>},
    {{"tmp", 0, required}, nullptr, "request.tmp_per_node_mb", "size[K|M|G|T]", "only nodes with so much temporary disk", apply::memory<&ResourceRequest::tmp_per_node_mb>},
    {{"uid", 0, required}, nullptr, nullptr, "user", "run as this user (root only)", apply::text<&SubmitRequest::user>, command_line},
    {{"verbose", 'v', none}, "SBATCH_DEBUG", nullptr, nullptr, "print what was asked, and where each value came from", apply::verbose},
    {{"wait", 'W', none}, "SBATCH_WAIT", nullptr, nullptr, "wait for the end of the job; its exit code is ours", apply::flag<&SubmitRequest::wait>},
    {{"wait-all-nodes", 0, required}, "SBATCH_WAIT_ALL_NODES", nullptr, "0|1", "start when all nodes are ready, as always here", apply::wait_all_nodes},
    {{"wckey", 0, required}, "SBATCH_WCKEY", "wckey", "key", "workload key, kept with the job", apply::spec_text<&JobSpec::wckey>},
    {{"wrap", 0, required}, nullptr, nullptr, "command", "run this command instead of a script", apply::text<&SubmitRequest::wrap>, command_line},
    {{"help", 'h', none}, nullptr, nullptr, nullptr, "show this text", apply::flag<&SubmitRequest::help>, command_line},
    {{"usage", 0, none}, nullptr, nullptr, nullptr, "show a short text", apply::flag<&SubmitRequest::usage>, command_line},
    {{"version", 'V', none}, nullptr, nullptr, nullptr, "show the version", apply::flag<&SubmitRequest::version>, command_line},
    later("acctg-freq", 0, required, "SBATCH_ACCTG_FREQ"),
    later("batch", 0, required, "SBATCH_BATCH"),
    later("bb", 0, required),
    later("bbf", 0, required),
    later("cluster-constraint", 0, required, "SBATCH_CLUSTER_CONSTRAINT"),
    later("container", 0, required, "SBATCH_CONTAINER"),
    later("contiguous", 0, none),
    later("core-spec", 'S', required, "SBATCH_CORE_SPEC"),
    later("cores-per-socket", 0, required),
    later("cpu-freq", 0, required, "SBATCH_CPU_FREQ_REQ"),
    later("delay-boot", 0, required, "SBATCH_DELAY_BOOT"),
    later("distribution", 'm', required, "SBATCH_DISTRIBUTION"),
    later("extra-node-info", 'B', required),
    later("gpu-bind", 0, required, "SBATCH_GPU_BIND"),
    later("gpu-freq", 0, required, "SBATCH_GPU_FREQ"),
    later("gres-flags", 0, required, "SBATCH_GRES_FLAGS"),
    later("mcs-label", 0, required),
    later("mem-bind", 0, required, "SBATCH_MEM_BIND"),
    later("network", 0, required, "SBATCH_NETWORK"),
    later("no-kill", 'k', optional, "SBATCH_NO_KILL"),
    later("overcommit", 'O', none, "SBATCH_OVERCOMMIT"),
    later("power", 0, required, "SBATCH_POWER"),
    later("prefer", 0, required),
    later("profile", 0, required, "SBATCH_PROFILE"),
    later("reboot", 0, none),
    later("spread-job", 0, none, "SBATCH_SPREAD_JOB"),
    later("switches", 0, required, "SBATCH_REQ_SWITCH"),
    later("thread-spec", 0, required, "SBATCH_THREAD_SPEC"),
    later("threads-per-core", 0, required, "SBATCH_THREADS_PER_CORE"),
    later("use-min-nodes", 0, none, "SBATCH_USE_MIN_NODES"),
};
// clang-format on

}  // namespace

std::span<const SubmitOption> submit_options() { return options; }

}  // namespace sluice
