// migrations.h: brings a state file to the form this binary knows. The files of schema/ are
// compiled in; `PRAGMA user_version` of a file is the number of the last one it went through.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/base/result.h"
#include "daemon/store/sqlite.h"

namespace sluice {

// `PRAGMA application_id`: whose file it is.
enum class FileKind : std::int32_t {
  state = 0x534c5543,    // "SLUC"
  archive = 0x534c5541,  // "SLUA": of the same tables, but never a controller's state
};

struct Migration {
  int number;        // 1, 2, 3, ... without gaps
  const char* name;  // of the file in schema/
  const char* sql;
};

// Ascending by number.
std::span<const Migration> embedded_migrations();

// Reads the file's header and changes nothing. An empty file is new.
// Errors: store_newer (names both numbers); store_error when it is not a state file of Sluice.
Result<void> check_version(sqlite::Connection& connection, const std::string& path,
                           std::span<const Migration> known, FileKind kind = FileKind::state);

// The same of a file nobody has opened; one that does not exist is new. A file whose making was
// interrupted passes: only a writer can roll it back, and has to check again.
Result<void> check_file_version(const sqlite::OpenOptions& file, std::span<const Migration> known,
                                FileKind kind = FileKind::state);

// Runs the migrations the file has not seen, all in one transaction: on error the file is as
// before. check_version() was ok.
Result<void> migrate(sqlite::Connection& connection, std::span<const Migration> known,
                     FileKind kind = FileKind::state);

}  // namespace sluice
