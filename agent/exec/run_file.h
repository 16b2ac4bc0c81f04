// run_file.h: the one file a run has in the spool: runs/JOB.RUN/run. The agent writes the order once;
// later both sides write small records into areas reserved at the start, so a full disk cannot
// lose the end of a run, and a launch costs one file, not five.
//
//   0     "SLURUN1\n", size and checksum of the order
//   64    shepherd: its pid, the script's, when the script started         written by the shepherd
//   256   time limit, where it changed since the order: SetTimeLimit      written by the agent
//   512   kill order: KillRun                                             written by the agent
//   2048  exit record: ExitRecord                                         written by the shepherd, or by
//                                                                         the agent where there is none
//   4096  order: SpooledRun, whole
//
// A record is valid when its checksum is. While a shepherd lives it holds a record lock (fcntl) on the
// first byte: the lock tells who it is and dies with it, so no pid is ever mistaken for another.
// Whoever holds the lock and finds a pid in the shepherd area must leave: the run was taken before.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/spooled_run.h"
#include "agent/exec/file.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/wire/messages.h"

namespace sluice::agent {

struct ShepherdMark {
  std::int64_t pid = 0;               // 0: no shepherd was ever here
  std::int64_t started_wall_us = 0;   // 0: the script has not started
  std::int64_t script_pid = 0;
};

// Longer sentences are cut, so that every record fits into its area.
constexpr std::size_t cause_text_bytes_max = 1000;

class RunFile {
 public:
  // Over what lies there from an earlier run. Errors: io_error; the file is not to be used then.
  static Result<RunFile> create(const std::string& path, const SpooledRun& run);
  static Result<RunFile> open(const std::string& path);

  // Errors: io_error, protocol_error (the file was not written whole).
  Result<SpooledRun> order() const;
  ShepherdMark mark() const;
  std::optional<SetTimeLimit> time_limit() const;
  // Of that run: the lease guard may write one late, when the file serves another run already.
  std::optional<KillRun> kill_order(RunId id) const;
  std::optional<ExitRecord> exit() const;

  Result<void> write_mark(const ShepherdMark& mark);
  Result<void> write_time_limit(const SetTimeLimit& order);
  Result<void> write_kill_order(KillRun order);
  Result<void> write_exit(ExitRecord record);

  // Takes the lock; false: another process holds it.
  bool try_lock();
  // Who holds the lock; none: nobody (or this process).
  std::optional<pid_t> holder() const;
  // To the disk itself, as against power loss.
  bool sync() const;
  int fd() const { return file_.fd(); }

 private:
  explicit RunFile(File file) : file_(std::move(file)) {}

  File file_;
};

}  // namespace sluice::agent
