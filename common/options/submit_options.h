// submit_options.h: THE option table of submitting commands. One row an option: the same row serves
// the command line, #SBATCH lines, the SBATCH_* environment, --help and the man page. A row without
// an apply function is an option of Slurm that Sluice does not honour yet: it is refused by name,
// wherever it stands.
//
// To add an option: a member in the model (or in SubmitRequest), a row here, and what enforces it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/options/command_line.h"
#include "common/options/export.h"
#include "common/options/manual.h"
#include "common/options/submit_request.h"

namespace sluice {

// The detail of an error is about the value alone; the option's name is added by the caller.
using ApplySubmitOption = Result<void> (*)(SubmitRequest& request, const OptionValue& value);

enum class OptionPlace { anywhere, command_line };

struct SubmitOption {
  OptionSyntax syntax;
  const char* environment;  // null: none
  const char* member;       // of JobSpec that it sets, "start.array"; null: what only the command does
  const char* placeholder;  // of its argument in --help
  const char* help;
  ApplySubmitOption apply;
  OptionPlace place = OptionPlace::anywhere;
};

std::span<const SubmitOption> submit_options();
std::span<const OptionSyntax> submit_syntax();

// The functions below fail with an Error whose detail is the whole sentence to show, as Slurm says
// it, with the place behind it; its code tells what kind of exit follows (exit_code_of_usage).

Result<void> apply_option(SubmitRequest& request, const SubmitOption& option,
                          const OptionValue& value, OptionOrigin origin);
Result<void> apply_environment(SubmitRequest& request, const Environment& environment);
Result<void> apply_words(SubmitRequest& request, const ParsedWords& parsed);

// Hints are lines to print; the job is as good without them.
Result<std::vector<std::string>> apply_script(SubmitRequest& request, std::string_view script,
                                              std::string_view file);

// Rules that concern several options, once all are applied; may change what was contradictory but
// harmless and says so in the lines it returns. Errors as above; invalid_memory is shown as fatal.
Result<std::vector<std::string>> settle(SubmitRequest& request);

// 255 for what getopt or a grammar refused, 1 where Slurm says 1.
int exit_code_of_usage(const Error& error);

// The option lines of --help, and the rows for the man page.
std::string submit_help();
std::vector<ManualOption> submit_manual_options();

}  // namespace sluice
