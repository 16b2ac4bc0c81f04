// migrations.cpp: see migrations.h.
#include "daemon/store/migrations.h"

#include <fmt/format.h>

namespace sluice {
namespace {

Result<void> run_all(sqlite::Connection& connection, std::span<const Migration> missing,
                     FileKind kind) {
  TRY(connection.run(fmt::format("PRAGMA application_id = {}", static_cast<std::int32_t>(kind))));
  for (const Migration& migration : missing) {
    const Result<void> done = connection.run(migration.sql);
    if (!done.ok())
      return Error{done.error().code, fmt::format("{}: {}", migration.name, done.error().detail)};
    TRY(connection.run(fmt::format("PRAGMA user_version = {}", migration.number)));
  }
  return connection.run("COMMIT");
}

Result<std::int64_t> version_of(sqlite::Connection& connection) {
  return connection.integer("PRAGMA user_version");
}

Result<void> refuse_newer(const std::string& path, std::int64_t version,
                          std::span<const Migration> known) {
  const int newest = known.empty() ? 0 : known.back().number;
  if (version <= newest) return {};
  return Error{ErrorCode::store_newer,
               fmt::format("{} has schema {}, this binary knows up to {}; the file was not touched",
                           path, version, newest)};
}

Error not_of_kind(const std::string& path, FileKind kind, std::int64_t owner) {
  if (kind == FileKind::archive)
    return Error{
        ErrorCode::invalid_argument,
        fmt::format("{} is there and is no archive of finished jobs; name a new file", path)};
  if (owner == static_cast<std::int64_t>(FileKind::archive))
    return Error{ErrorCode::store_error,
                 fmt::format("{} is an archive of finished jobs, not a state", path)};
  return Error{ErrorCode::store_error,
               fmt::format("{} is a database of another program (application_id {})", path, owner)};
}

}  // namespace

Result<void> check_version(sqlite::Connection& connection, const std::string& path,
                           std::span<const Migration> known, FileKind kind) {
  const std::int64_t version = TRY(version_of(connection));
  const std::int64_t tables = TRY(connection.integer("SELECT count(*) FROM sqlite_schema"));
  const std::int64_t owner = TRY(connection.integer("PRAGMA application_id"));
  if (tables > 0 && owner != static_cast<std::int64_t>(kind)) return not_of_kind(path, kind, owner);
  return refuse_newer(path, version, known);
}

Result<void> check_file_version(const sqlite::OpenOptions& file, std::span<const Migration> known,
                                FileKind kind) {
  sqlite::OpenOptions reading = file;
  reading.read_only = true;
  Result<sqlite::Connection> opened = sqlite::Connection::open(reading);
  if (!opened.ok()) return {};  // not there yet; if it is unreadable, opening to write will say so
  const Result<void> checked = check_version(*opened, file.path, known, kind);
  if (!checked.ok() && opened->is_waiting_for_rollback()) return {};
  return checked;
}

Result<void> migrate(sqlite::Connection& connection, std::span<const Migration> known,
                     FileKind kind) {
  const std::int64_t version = TRY(version_of(connection));
  ASSERT(version >= 0 && static_cast<std::size_t>(version) <= known.size());
  const auto missing = known.subspan(static_cast<std::size_t>(version));
  if (missing.empty()) return {};
  TRY(connection.run("BEGIN IMMEDIATE"));
  const Result<void> done = run_all(connection, missing, kind);
  if (!done.ok()) (void)connection.run("ROLLBACK");
  return done;
}

}  // namespace sluice
