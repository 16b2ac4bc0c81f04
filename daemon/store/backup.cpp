// backup.cpp: see backup.h.
#include "daemon/store/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/file.h"
#include "daemon/store/id_floor.h"
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

// The first name that is free, so that the state set aside by an earlier restore stays.
std::string name_aside(const std::string& target) {
  std::string name = target + ".before-restore";
  for (int number = 2; ::access(name.c_str(), F_OK) == 0; ++number)
    name = fmt::format("{}.before-restore-{}", target, number);
  return name;
}

// A damaged file, which may be why it is replaced, keeps its log and stays as it was found.
Result<void> fold_log(const std::string& path) {
  {
    Result<Connection> reading = Connection::open({.path = path, .read_only = true});
    if (!reading.ok() || !check_integrity(*reading, path).ok()) return {};
  }
  Connection writing = TRY(Connection::open({.path = path}));
  TRY(writing.text("PRAGMA journal_mode = DELETE"));
  return {};
}

// Keeps the old state file under another name, its log too: a log must never meet another file. The
// old file keeps its own name as well until the new one takes it, so there is always one.
Result<std::string> set_aside(const std::string& target) {
  if (::access(target.c_str(), F_OK) != 0) return std::string{};  // opening would make a file
  const std::string aside = name_aside(target);
  TRY(fold_log(target));
  if (::link(target.c_str(), aside.c_str()) != 0)
    return file_error(aside, "cannot be made", errno);
  for (const char* suffix : log_suffixes)
    (void)::rename((target + suffix).c_str(), (aside + suffix).c_str());
  TRY(sync_folder(folder_of(target)));
  return aside;
}

// nullopt: there is none, or it cannot be read.
std::optional<JobId> highest_job_of(const std::string& path) {
  Result<Connection> opened = Connection::open({.path = path, .read_only = true});
  if (!opened.ok()) return std::nullopt;
  const auto highest = opened->integer("SELECT coalesce(max(job_id), 0) FROM job");
  if (!highest.ok()) return std::nullopt;
  return JobId{static_cast<std::uint32_t>(*highest)};
}

// Before the files change places: a floor that is too high harms nobody.
Result<void> raise_floor(const RestorePlace& place, Restored& done) {
  const auto file = make_durable_file(place.id_floor);
  const std::optional<std::string> text = TRY(file->read());
  done.floor_was_known = text.has_value();
  const FloorRecord before = text ? TRY(floor_from_text(*text)) : FloorRecord{};
  const FloorRecord after =
      floor_after_restore(before, highest_job_of(place.database), done.state.highest_job);
  done.floor = after.floor;
  return file->replace(floor_to_text(after));
}

Result<void> switch_to(const std::string& fresh, const RestorePlace& place, Restored& done) {
  TRY(raise_floor(place, done));
  done.kept_as = TRY(set_aside(place.database));
  return rename_durably(fresh, place.database);
}

Result<void> check_head_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT)
    return Error{ErrorCode::invalid_argument, fmt::format("{}: there is no such file", path)};
  if (!file) return file_error(path, "cannot be read", errno);
  struct stat found {};
  if (::fstat(file.get(), &found) == 0 && !S_ISREG(found.st_mode))
    return Error{ErrorCode::invalid_argument, fmt::format("{}: is not a regular file", path)};
  std::string head(state_head_bytes, '\0');
  const ssize_t count = ::pread(file.get(), head.data(), head.size(), 0);
  if (count < 0) return file_error(path, "cannot be read", errno);
  head.resize(static_cast<std::size_t>(count));
  return check_head(path, head, static_cast<std::uint64_t>(found.st_size));
}

Result<StateSummary> summarise(Connection& connection) {
  StateSummary summary;
  summary.schema = TRY(connection.integer("PRAGMA user_version"));
  summary.jobs = TRY(connection.integer("SELECT count(*) FROM job"));
  summary.jobs_not_ended =
      TRY(connection.integer("SELECT count(*) FROM job WHERE ended_us IS NULL"));
  const auto highest = TRY(connection.integer("SELECT coalesce(max(job_id), 0) FROM job"));
  summary.highest_job = JobId{static_cast<std::uint32_t>(highest)};
  return summary;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
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

// The form is SQLite's (https://sqlite.org/fileformat2.html, 1.3).
Result<void> check_head(const std::string& path, std::string_view head, std::uint64_t size) {
  constexpr std::string_view magic{"SQLite format 3\0", 16};
  if (!head.starts_with(magic) || head.size() < state_head_bytes)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{}: not a state of Sluice: it is no SQLite file", path)};
  const std::uint32_t said = big_endian(head.substr(16, 2));
  const std::uint64_t page_bytes = said == 1 ? 65536 : said;
  const std::uint64_t wanted = page_bytes * big_endian(head.substr(28, 4));
  if (size >= wanted) return {};
  return Error{ErrorCode::store_error,
               fmt::format("{}: torn: it has {} bytes of the {} that its head speaks of", path,
                           size, wanted)};
}

Result<StateSummary> verify_state_file(const std::string& path) {
  TRY(check_head_of(path));
  Connection connection = TRY(Connection::open({.path = path, .read_only = true}));
  TRY(check_version(connection, path, embedded_migrations()));
  if (TRY(connection.integer("PRAGMA user_version")) == 0)
    return Error{ErrorCode::store_error, fmt::format("{}: not a state of Sluice", path)};
  TRY(check_integrity(connection, path));
  return summarise(connection);
}

Result<Restored> restore_backup(const std::string& backup, const RestorePlace& place) {
  if (is_same_file(backup, place.database))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{} is the state file itself; name a backup", backup)};
  Restored done;
  // not a transition: a summary of the file
  done.state = TRY(verify_state_file(backup));
  const std::string fresh = place.database + ".restoring";
  TRY(copy_synced({.path = backup}, fresh));
  if (const Result<void> switched = switch_to(fresh, place, done); !switched.ok()) {
    remove_with_log(fresh);
    return switched.error();
  }
  return done;
}

}  // namespace sluice
