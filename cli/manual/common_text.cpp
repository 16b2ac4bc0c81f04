// common_text.cpp: what all commands have in common.
#include "cli/manual/texts.h"

namespace sluice {

std::string document_section() {
  return R"(
# DOCUMENTS
`--json` and `--yaml` write one document: `meta` with the schema, the records, and last `errors`,
which is empty exactly when the exit code is 0. Its filters are those of the text; formats, orders
and SLURM_TIME_FORMAT do not touch it. Records come in the order of ids, as they arrive, so that a
long listing takes no memory.

The members have the names of Slurm's schema v0.0.38. Times are seconds since 1970. What does not
apply, or has no limit, is null; with `--json=v0.0.40` such an amount is an object with `set`,
`infinite` and `number`, and a state a list. Bytes that are not UTF-8 are U+FFFD.

`squeue` and `scontrol` have one schema of a job, `sacct` another. The same has two names in them:

- job_state: state.current
- state_reason, reason_detail: state.reason, state.reason_detail
- user_name, group_name: user, group
- cpus: required.CPUs while it waits, tres.allocated (cpu) when it runs
- node_count: allocation_nodes
- submit_time, eligible_time: time.submission, time.eligible
- start_time, end_time, elapsed_time: time.start, time.end, time.elapsed
- time_limit: time.limit
- exit_code, exit_signal: exit_code.return_code, exit_code.signal
- array_job_id, array_task_id, array_task_string: array.job_id, array.task_id, array.task
- features: constraints
- comment: comment.job
- wckey: wckey.wckey
- current_working_directory: working_directory
- tres_alloc_str, tres_req_str: tres.allocated, tres.requested
)";
}

std::string common_environment() {
  return R"(- SLUICE_CONF: The configuration file. Without it, the first of SLURM_CONF,
  /etc/sluice/slurm.conf and /etc/slurm/slurm.conf that is there; without any, a cluster of this
  one host.
- SLURM_CONF: As SLUICE_CONF. It is read as a file of Slurm's: its ports, state and log files are
  left to Slurm.
)";
}

std::string common_exit_status() {
  return R"(- 69: Nobody listens where the controller should be. Nothing was sent.
- 75: The request was sent and not answered within MessageTimeout. It may have been done.
)";
}

}  // namespace sluice
