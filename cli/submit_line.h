// submit_line.h: a line of sbatch's options and a script, read to the end: what `sbatch`, `sluice
// submit` and `sluice plan` send.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/submission.h"
#include "common/options/submit_request.h"

namespace sluice {

struct SubmitLine {
  std::optional<int> exit_code;  // it is over: what was wrong is told on stderr
  bool is_about = false;         // --help, --usage, --version: nothing else was read
  SubmitRequest request;
  Submission submission;
};

// Options of script, environment and command line, the later ones the stronger. Notes are printed.
// `text`: the line as accounting shows it.
SubmitLine read_submit_line(std::string_view command, std::span<char* const> words,
                            std::string text);
// The line as accounting shows it; of one with a program inside (--wrap) the beginning.
std::string submit_text(int argc, char** argv);

// Prints "COMMAND: error: TEXT" and gives `code`.
int fail_submit_line(std::string_view command, std::string_view text, int code);
void print_notes(const SubmitRequest& request, std::string_view command,
                 const std::vector<std::string>& notes);

}  // namespace sluice
