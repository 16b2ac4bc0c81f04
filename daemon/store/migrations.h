// migrations.h: brings a state file to the form this binary knows. The files of schema/ are compiled
// in; `PRAGMA user_version` of a file is the number of the last one it went through.
#pragma once

#include <span>

#include "common/base/result.h"
#include "daemon/store/sqlite.h"

namespace sluice {

struct Migration {
  int number;        // 1, 2, 3, ... without gaps
  const char* name;  // of the file in schema/
  const char* sql;
};

// Ascending by number.
std::span<const Migration> embedded_migrations();

// Reads the file's header and changes nothing. A file that does not exist or is empty is new.
// Errors: store_newer (names both numbers); store_error when it is not a state file of Sluice.
Result<void> check_version(const sqlite::OpenOptions& file, std::span<const Migration> known);

// Runs the migrations the file has not seen, all in one transaction: on error the file is as before.
Result<void> migrate(sqlite::Connection& connection, std::span<const Migration> known);

}  // namespace sluice
