// ask.h: what the listing commands ask the controller, and how they tell that it went wrong.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

#include "cli/client.h"
#include "cli/listing/context.h"
#include "cli/print.h"

namespace sluice {

struct JobsAnswer {
  std::vector<JobInfo> jobs;
  std::vector<JobId> unknown;  // ids of the filter that no job has
  WallTime as_of{};
};

// All parts of the answer. Waiting arrays hold only the tasks that were selected.
Result<JobsAnswer> ask_jobs(Client& client, const QueryJobs& query);

// Prints "slurm_load_jobs error: TEXT", by which clients know it, and returns the exit code.
int fail_load(const char* what, const Error& error);

// --iterate: shows again and again, also while the controller is away; 0: once. Gives the exit
// code.
template <class Show>
int repeat_every(unsigned seconds, Show&& show) {
  while (true) {
    const int exit_code = show();
    const bool may_pass = exit_code == exit_no_controller || exit_code == exit_outcome_unknown;
    if (seconds == 0 || (exit_code != 0 && !may_pass)) return exit_code;
    sleep(seconds);
  }
}

// Times by SLURM_TIME_FORMAT, names of this machine's accounts, the cluster's name.
ListingContext context_of(const ClusterConfig& config);

// `--clusters`: there is one; its own name and "all" are right. Error: invalid_argument.
Result<void> check_cluster(const std::string& asked, const ClusterConfig& config);

}  // namespace sluice
