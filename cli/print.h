// print.h: how commands speak: errors and notes to stderr with the command's name in front, results
// to stdout. No iostream, no locale: both cost start-up time.
#pragma once

#include <string>
#include <string_view>

#include "common/base/error.h"

namespace sluice {

// "sbatch: error: TEXT" with the name in front of every line of a text that has several.
void print_error(std::string_view command, std::string_view text);
void print_error(std::string_view command, const Error& error);
// "sbatch: TEXT".
void print_note(std::string_view command, std::string_view text);

// What getopt refuses, in its words: "sbatch: DETAIL" and where to find help.
void print_usage_problem(std::string_view command, const Error& error);

// The exit code that goes with an error: 1, except where a script must be able to tell "refused"
// from "cannot tell".
constexpr int exit_no_controller = 69;    // nobody listens: nothing was sent
constexpr int exit_outcome_unknown = 75;  // sent and not answered: it may have been done
int exit_code_of(const Error& error);

// Writes all of `text` to stdout and flushes it. False when that failed (full disk, closed pipe):
// the command must then not say that it succeeded.
bool print_result(std::string_view text);

}  // namespace sluice
