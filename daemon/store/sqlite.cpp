// sqlite.cpp: see sqlite.h.
#include "daemon/store/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>

#include "common/base/file.h"

namespace sluice::sqlite {
namespace {

bool is_out_of_space(sqlite3* connection) {
  const int code = sqlite3_errcode(connection);
  return code == SQLITE_FULL ||
         (code == SQLITE_IOERR && sqlite3_system_errno(connection) == ENOSPC);
}

Error error_of(sqlite3* connection, std::string_view what) {
  const ErrorCode code =
      is_out_of_space(connection) ? ErrorCode::store_full : ErrorCode::store_error;
  const char* name = sqlite3_db_filename(connection, "main");
  return Error{code, fmt::format("{}: {} ({}, sqlite code {})", name ? name : "state file", what,
                                 sqlite3_errmsg(connection),
                                 sqlite3_extended_errcode(connection))};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::note(int code) {
  if (code != SQLITE_OK && bind_error_ == SQLITE_OK) bind_error_ = code;
}

void Statement::bind(int index, std::int64_t value) {
  note(sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::bind(int index, std::optional<std::int64_t> value) {
  if (value) bind(index, *value);
  else note(sqlite3_bind_null(statement_.get(), index));
}

void Statement::bind(int index, Text value) {
  note(sqlite3_bind_text64(statement_.get(), index, value.value.data(), value.value.size(),
                           SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int index, Bytes value) {
  // A null pointer would bind NULL; an empty blob is meant.
  const char* data = value.value.empty() ? "" : value.value.data();
  note(sqlite3_bind_blob64(statement_.get(), index, data, value.value.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  sqlite3* connection = sqlite3_db_handle(statement_.get());
  if (bind_error_ != SQLITE_OK)
    return Error{ErrorCode::store_error,
                 fmt::format("a value cannot be stored: {}", sqlite3_errstr(bind_error_))};
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error_of(connection, sqlite3_sql(statement_.get()));
}

Result<void> Statement::finish() {
  const Result<bool> stepped = step();
  reset();
  if (!stepped.ok()) return stepped.error();
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bind_error_ = SQLITE_OK;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

void Connection::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

int Connection::changes() const { return sqlite3_changes(connection_.get()); }

bool Connection::is_in_transaction() const {
  return sqlite3_get_autocommit(connection_.get()) == 0;
}

bool Connection::is_waiting_for_rollback() const {
  return sqlite3_extended_errcode(connection_.get()) == SQLITE_READONLY_ROLLBACK;
}

Result<Connection> Connection::open(const OpenOptions& options) {
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (options.read_only ? SQLITE_OPEN_READONLY
                                       : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(options.path.c_str(), &raw, flags,
                                   options.vfs.empty() ? nullptr : options.vfs.c_str());
  Connection connection(raw);
  if (code != SQLITE_OK)
    return Error{ErrorCode::store_error,
                 fmt::format("{}: cannot be opened ({})", options.path,
                             raw ? sqlite3_errmsg(raw) : sqlite3_errstr(code))};
  sqlite3_busy_timeout(raw, 10'000);
  return connection;
}

Result<void> Connection::run(const std::string& sql) {
  if (sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error(sql.substr(0, 60));
  return {};
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &statement, nullptr) != SQLITE_OK)
    return error(sql.substr(0, 60));
  return Statement(statement);
}

Result<std::int64_t> Connection::integer(std::string_view sql) {
  Statement statement = TRY(prepare(sql));
  if (!TRY(statement.step())) return error(sql);
  return statement.integer(0);
}

Result<std::string> Connection::text(std::string_view sql) {
  Statement statement = TRY(prepare(sql));
  if (!TRY(statement.step())) return error(sql);
  return std::string(statement.bytes(0));
}

Result<void> make_private_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return file_error(path, "cannot be opened", errno);
  return sync_folder(folder_of(path));
}

Error Connection::error(std::string_view what) const { return error_of(get(), what); }

}  // namespace sluice::sqlite
