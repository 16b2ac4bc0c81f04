// backup.h: copies of a state file that can be trusted: checked before they get their name.
#pragma once

#include <string>

#include "common/base/result.h"
#include "daemon/store/sqlite.h"

namespace sluice {

// Copies one committed state of `file`, which may be in use, to `path`; commits go on meanwhile. The
// copy is checked, synced and only then named; a file of that name is replaced. Any thread.
// Errors: invalid_argument when `path` is the state file itself; store_full, store_error, io_error.
Result<void> make_backup(const sqlite::OpenOptions& file, const std::string& path);

// Is `path` a whole state file that this binary can open? Changes nothing.
// Errors: invalid_argument (no such file), store_newer, store_error.
Result<void> verify_state_file(const std::string& path);

// Puts a verified backup in the place of the state file `target`, whose folder the caller has locked;
// the file that was there is kept as "TARGET.before-restore". The id floor beside it stays, so ids
// given out since the backup are not given again.
Result<void> restore_backup(const std::string& backup, const std::string& target);

}  // namespace sluice
