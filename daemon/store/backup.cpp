// backup.cpp: see backup.h.
#include "daemon/store/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/file.h"
#include "daemon/store/migrations.h"

namespace sluice {
namespace {

using sqlite::Connection;

bool is_same_file(const std::string& left, const std::string& right) {
  struct stat a {};
  struct stat b {};
  return ::stat(left.c_str(), &a) == 0 && ::stat(right.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

// In one step: a step in between would begin anew whenever another connection commits.
Result<void> copy_pages(Connection& from, Connection& to) {
  sqlite3_backup* copy = sqlite3_backup_init(to.get(), "main", from.get(), "main");
  if (copy == nullptr) return to.error("backup cannot begin");
  (void)sqlite3_backup_step(copy, -1);
  if (sqlite3_backup_finish(copy) != SQLITE_OK) return to.error("backup");
  return {};
}

Result<void> check_integrity(Connection& connection, const std::string& path) {
  const std::string verdict = TRY(connection.text("PRAGMA integrity_check(1)"));
  if (verdict == "ok") return {};
  return Error{ErrorCode::store_error, fmt::format("{}: damaged: {}", path, verdict)};
}

// A file of its own, mode 0600, without a log beside it.
Result<void> copy_checked(const sqlite::OpenOptions& file, const std::string& path) {
  UniqueFd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made) return file_error(path, "cannot be made", errno);
  made.reset();
  sqlite::OpenOptions source = file;
  source.read_only = true;
  Connection from = TRY(Connection::open(source));
  Connection to = TRY(Connection::open({.path = path}));
  TRY(copy_pages(from, to));
  TRY(to.text("PRAGMA journal_mode = DELETE"));
  return check_integrity(to, path);
}

constexpr const char* log_suffixes[] = {"-journal", "-wal", "-shm"};

void remove_with_log(const std::string& path) {
  ::unlink(path.c_str());
  for (const char* suffix : log_suffixes) ::unlink((path + suffix).c_str());
}

Result<void> sync_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) return file_error(path, "cannot be synced", errno);
  return {};
}

// Checked and synced, at `path`; nothing is left there when it fails.
Result<void> copy_synced(const sqlite::OpenOptions& file, const std::string& path) {
  remove_with_log(path);
  Result<void> done = copy_checked(file, path);
  if (done.ok()) done = sync_file(path);
  if (!done.ok()) remove_with_log(path);
  return done;
}

Result<void> rename_durably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return file_error(to, "cannot be replaced", errno);
  return sync_folder(folder_of(to));
}

// Keeps the old state file under another name, its log too: a log must never meet another file. The
// old file keeps its own name as well until the new one takes it, so there is always one.
Result<void> set_aside(const std::string& target, const std::string& aside) {
  struct stat found {};
  if (::stat(target.c_str(), &found) != 0) return {};  // nothing there: opening would make a file
  remove_with_log(aside);
  // Folds the log into the file; a damaged file, which may be why it is replaced, keeps its log.
  if (Result<Connection> old = Connection::open({.path = target}); old.ok())
    (void)old->text("PRAGMA journal_mode = DELETE");
  for (const char* suffix : log_suffixes)
    (void)::rename((target + suffix).c_str(), (aside + suffix).c_str());
  if (::link(target.c_str(), aside.c_str()) != 0)
    return file_error(aside, "cannot be made", errno);
  return {};
}

}  // namespace

Result<void> make_backup(const sqlite::OpenOptions& file, const std::string& path) {
  if (is_same_file(file.path, path))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{} is the state file itself; name another file", path)};
  const std::string partial = path + ".partial";
  TRY(copy_synced(file, partial));
  return rename_durably(partial, path);
}

Result<void> verify_state_file(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{}: {}", path, errno_text(errno))};
  const sqlite::OpenOptions file{.path = path, .read_only = true};
  Connection connection = TRY(Connection::open(file));
  TRY(check_version(connection, path, embedded_migrations()));
  if (TRY(connection.integer("PRAGMA user_version")) == 0)
    return Error{ErrorCode::store_error, fmt::format("{}: not a state file of Sluice", path)};
  return check_integrity(connection, path);
}

Result<void> restore_backup(const std::string& backup, const std::string& target) {
  if (is_same_file(backup, target))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{} is the state file itself; name a backup", backup)};
  TRY(verify_state_file(backup));
  const std::string fresh = target + ".restoring";
  TRY(copy_synced({.path = backup}, fresh));
  TRY(set_aside(target, target + ".before-restore"));
  return rename_durably(fresh, target);
}

}  // namespace sluice
