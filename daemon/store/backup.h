// backup.h: copies of a state file that can be trusted: checked before they get their name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "daemon/store/sqlite.h"

namespace sluice {

// Copies one committed state of `file`, which may be in use, to `path`; commits go on meanwhile. The
// copy is checked, synced and only then named; a file of that name is replaced. Any thread.
// Errors: invalid_argument when `path` is the state file itself; store_full, store_error, io_error.
Result<void> make_backup(const sqlite::OpenOptions& file, const std::string& path);

// What a state file holds, in numbers.
struct StateSummary {
  std::int64_t schema = 0;
  std::int64_t jobs = 0;
  std::int64_t jobs_not_ended = 0;
  JobId highest_job;
};

// Is `path` a whole state file that this binary can open? Changes nothing.
// Errors: invalid_argument (no such file, no file of SQLite), store_newer, store_error (damaged,
// torn, of another program), io_error (it cannot be read).
Result<StateSummary> verify_state_file(const std::string& path);

// Pure: can a file that begins with `head` and has `size` bytes be a whole file of SQLite?
constexpr std::size_t state_head_bytes = 100;
Result<void> check_head(const std::string& path, std::string_view head, std::uint64_t size);

struct RestorePlace {
  std::string database;
  std::string id_floor;
};

struct Restored {
  StateSummary state;
  std::string kept_as;          // where the former state file is now; empty: there was none
  JobId floor;                  // no id below it will be given
  bool floor_was_known = true;  // false: ids given after the backup may be given again
};

// Puts a verified copy of `backup` in the place of a state file whose folder the caller has locked.
// At every moment, power loss included, there is the old state or the new one, and a floor that is
// right for both. Errors: as verify_state_file(); nothing has changed then, but that the floor may
// be higher.
Result<Restored> restore_backup(const std::string& backup, const RestorePlace& place);

}  // namespace sluice
