// sqlite.h: SQLite's C interface with ownership and Result. Knows no table of ours.
// A connection and its statements belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sluice::sqlite {

// What is bound to a parameter. The bytes must stay alive until the statement is reset.
struct Text {
  std::string_view value;
};
struct Bytes {
  std::string_view value;
};

class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  void bind(int index, std::int64_t value);
  void bind(int index, std::optional<std::int64_t> value);  // nullopt: NULL
  void bind(int index, Text value);
  void bind(int index, Bytes value);

  // True: a row can be read. False: done. Errors: store_full, store_error; also those of earlier
  // bind() calls. The statement must be reset before it is used again.
  Result<bool> step();
  // For statements without rows: binds 1, 2, 3, ..., steps, resets.
  template <class... Values>
  Result<void> run(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    return finish();
  }
  void reset();

  std::int64_t integer(int column) const;
  // Valid until the next step or reset.
  std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Result<void> finish();
  void note(int code);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_error_ = 0;  // SQLITE_OK
};

struct OpenOptions {
  std::string path{};
  std::string vfs{};  // empty: SQLite's default
  bool read_only = false;
};

class Connection {
 public:
  // Errors: store_full, store_error (with the path and SQLite's own text).
  static Result<Connection> open(const OpenOptions& options);

  // Runs all statements of `sql`, ignoring rows.
  Result<void> run(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  // First column of the first row; no row is a store_error.
  Result<std::int64_t> integer(std::string_view sql);
  Result<std::string> text(std::string_view sql);

  // Rows changed by the last statement.
  int changes() const;
  bool is_in_transaction() const;
  // The last error was that a reader found a journal which only a writer may roll back.
  bool is_waiting_for_rollback() const;
  sqlite3* get() const { return connection_.get(); }
  // The connection's present error, with `what` was being done.
  Error error(std::string_view what) const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  explicit Connection(sqlite3* connection) : connection_(connection) {}

  std::unique_ptr<sqlite3, Close> connection_;
};

// Makes the file when there is none, with mode 0600: SQLite gives its log and index files the mode
// of the database, so it is set first. Errors: io_error.
Result<void> make_private_file(const std::string& path);

}  // namespace sluice::sqlite
