// job_process.h: the first process of a job, from fork to exec. What fails before the exec comes
// back as a StartFailure that says whose fault it is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "agent/core/spooled_run.h"
#include "agent/exec/file.h"
#include "agent/exec/lease_page.h"
#include "common/base/result.h"

namespace sluice::agent {

struct StartFailure {
  bool node_fault = false;
  std::string text;
  std::uint32_t exit_code = 0;  // as a shell tells a command that it cannot run: 126, 127
};

class JobProcess {
 public:
  // Forks; the child joins the control group, becomes the user, opens its files, changes directory
  // and executes `script_path`; not when `lease` (nullptr: the run has none) has lapsed by then.
  // Errors: io_error (no process could be made: the node's fault).
  static Result<JobProcess> start(const SpooledRun& run, const std::string& script_path,
                                  const LeasePage* lease);

  pid_t pid() const { return pid_; }
  // Readable when there is news of the start; -1 when all was said.
  int report_fd() const { return report_.fd(); }

  enum class News { nothing, started, failed, lease_lapsed };
  // Takes the news without waiting. `started`: exec succeeded; `failed`: see failure().
  News take_news();
  // Without news at its end the process died before its exec.
  const std::optional<StartFailure>& failure() const { return failure_; }
  // The job's stderr, opened as the user; -1 when it never came so far.
  int error_fd() const { return error_.fd(); }

 private:
  pid_t pid_ = -1;
  File report_;
  File error_;
  bool at_exec_ = false;
  bool lease_lapsed_ = false;
  std::optional<StartFailure> failure_;
};

}  // namespace sluice::agent
