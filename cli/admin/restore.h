// restore.h: `sluice admin restore`: which state folder, whether the caller may, what is printed.
// The work on files is daemon/store/backup.h. Must not run beside a controller: the folder's lock
// says so.
#pragma once

#include <string>

#include "common/base/result.h"

namespace sluice::admin {

// What is good of the file, in a line. Errors: those of verify_state_file().
Result<std::string> check_backup(const std::string& file);
// Lines that say what was done and what comes next. Errors: those of restore_backup(); locked (a
// controller runs), access_denied (another user's state).
Result<std::string> restore(const std::string& file);

}  // namespace sluice::admin
