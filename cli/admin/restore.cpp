// restore.cpp: see restore.h.
#include "cli/admin/restore.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/options/config_file.h"
#include "daemon/store/backup.h"
#include "daemon/store/state_folder.h"

namespace sluice::admin {
namespace {

std::string name_of(uid_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry ? entry->pw_name : fmt::format("#{}", uid);
}

// The controller must find files of its own user: that of the folder, or SlurmUser for a new one.
Result<uid_t> controller_user(const ClusterConfig& config) {
  struct stat folder {};
  if (stat(config.paths.state_dir.c_str(), &folder) == 0) return folder.st_uid;
  if (const passwd* entry = getpwnam(config.slurm_user.c_str())) return entry->pw_uid;
  return Error{ErrorCode::unknown_user,
               fmt::format("SlurmUser={}: there is no such account here", config.slurm_user)};
}

Result<void> check_user(const ClusterConfig& config, const std::string& file) {
  const uid_t wanted = TRY(controller_user(config));
  if (wanted == geteuid()) return {};
  return Error{ErrorCode::access_denied,
               fmt::format("the state in {} is that of {}, and you are {}: sudo -u {} sluice admin "
                           "restore {}",
                           config.paths.state_dir, name_of(wanted), name_of(geteuid()),
                           name_of(wanted), file)};
}

std::string summary(const std::string& file, const StateSummary& state) {
  return fmt::format("{} is good: schema {}, {} jobs, {} of them not ended, highest job id {}\n",
                     file, state.schema, state.jobs, state.jobs_not_ended, state.highest_job.value);
}

std::string report(const std::string& database, const Restored& done) {
  std::string text = fmt::format("restored to {}\n", database);
  if (!done.kept_as.empty()) text += fmt::format("the former state is kept as {}\n", done.kept_as);
  text += fmt::format("the next job id will not be below {}\n", done.floor.value);
  if (!done.floor_was_known)
    text +=
        "warning: there was no id_floor here; set FirstJobId above every id that was given after "
        "the backup, or they are given again\n";
  return text + "now start sluiced; it takes over the jobs that run\n";
}

}  // namespace

Result<std::string> check_backup(const std::string& file) {
  return summary(file, TRY(verify_state_file(file)));
}

Result<std::string> restore(const std::string& file) {
  const ClusterConfig config = TRY(find_and_read_config()).config;
  TRY(check_user(config, file));
  Result<StateFolder> folder = StateFolder::open(config.paths.state_dir);
  if (!folder.ok() && folder.error().code == ErrorCode::locked)
    return Error{ErrorCode::locked, folder.error().detail + ": stop it first"};
  if (!folder.ok()) return folder.error();
  const RestorePlace place{folder->database_path(), folder->id_floor_path()};
  const Restored done = TRY(restore_backup(file, place));
  return summary(file, done.state) + report(place.database, done);
}

}  // namespace sluice::admin
