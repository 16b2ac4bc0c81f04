// login_environment.h: variables from elsewhere than the caller: a file of them, or what a user's
// shell sets. Starts the user's own shell, never longer than it was given time for.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/options/export.h"
#include "common/options/grammar.h"

namespace sluice {

// The variables that the shell of `uid` sets on this host: as at a login, or as a plain shell does.
// Who is not that user must be root. Errors: unknown_user, io_error (it did not answer in time, or
// ended).
Result<Environment> read_login_environment(std::uint32_t uid, const LoginEnvironment& wanted);

// NAME=value entries, each ended by a NUL, of a file or of an open descriptor (a number from 3).
// Errors: io_error, invalid_argument with the number of the entry.
Result<Environment> read_export_file(const std::string& file_or_descriptor);

// What stands between the two markers of the shell's output, without what is of that shell alone.
// Errors: io_error when a marker is missing. Pure.
Result<Environment> parse_shell_output(std::string_view output);

}  // namespace sluice
