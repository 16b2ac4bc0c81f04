// spool.h: the agent's folder on disk. One agent a spool (a lock says so). Users may pass through
// it to their own script (mode 0711 on the way there), and read nothing else.
//
//   spool_id         random, made once: tells a restart from an impostor
//   lock             held while an agent lives
//   lease            LeasePage
//   accepted         the controller's last NodeAccepted (with the witness key)
//   notify           socket of the shepherds' notices
//   runs/JOB.RUN/    run (RunFile) and slurm_script
//   free/            folders of runs that are over, to be used again: some file systems (ext4)
//   search
//                    the longer for a place for a new file the more were removed in the last
//                    minutes, which at some hundred jobs a second was half of what a job costs the
//                    agent
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/spooled_run.h"
#include "agent/exec/file.h"
#include "agent/exec/run_file.h"
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace sluice::agent {

class Spool {
 public:
  // Makes what is missing. Errors: locked (another agent lives on it), io_error.
  static Result<Spool> open(const std::string& folder);
  // The id of a spool that may be in use or abandoned. Errors: io_error when there is none.
  static Result<std::string> read_id(const std::string& folder);

  const std::string& folder() const { return folder_; }
  const std::string& id() const { return id_; }
  std::string lease_path() const { return folder_ + "/lease"; }
  std::string notify_path() const { return folder_ + "/notify"; }
  std::string run_folder(RunId id) const;

  // All of it or nothing. Errors: io_error.
  Result<RunFile> write(const SpooledRun& run, std::string_view script);
  Result<RunFile> open_run(RunId id) const;
  // Whole or half written, known or not: what lies there is gone afterwards.
  void remove(RunId id);
  std::vector<RunId> runs() const;

  Result<void> remember(const NodeAccepted& accepted) const;
  std::optional<NodeAccepted> remembered() const;

 private:
  Spool(std::string folder, File lock) : folder_(std::move(folder)), lock_(std::move(lock)) {}

  // A script's file was its user's, who may have left it open or changed its mode: the next one in
  // it is the same user's.
  struct FreeFolder {
    std::string path;
    std::uint32_t uid = 0;
  };

  std::string take_folder(const SpooledRun& run);
  // False: it is not fit for another run.
  bool keep_folder(const std::string& run_folder);

  std::string folder_;
  File lock_;
  std::string id_;
  std::deque<FreeFolder> free_;
  std::uint64_t folders_made_ = 0;
};

}  // namespace sluice::agent
