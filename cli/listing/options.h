// options.h: how the listing and operator commands read their command lines: a table of rows for
// each command, applied in the order of the line. A row without a function is an option of Slurm
// that Sluice does not honour yet: it is refused by name.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/options/command_line.h"
#include "common/options/manual.h"

namespace sluice {

using OptionArgument = ArgumentKind;

template <class Options>
struct OptionRow {
  const char* name;  // long form
  char letter = 0;   // 0: none
  OptionArgument argument = OptionArgument::none;
  const char* environment = nullptr;  // variable that gives the value where the line does not
  // null: refused. An error's detail is printed as "COMMAND: error: DETAIL", or as
  // "COMMAND: fatal: ..." where it starts with that word.
  Result<void> (*apply)(Options& options, std::string_view value) = nullptr;
  const char* help = "";
  // More variables, divided by blanks, that do not count where this option is on the line.
  const char* voids = "";
};

// A row without its command's own type.
struct OptionText {
  OptionSyntax syntax;
  const char* environment;
  bool honoured;
  const char* help;
  const char* voids = "";
};

struct CommandTexts {
  const char* usage;          // behind "Usage: "; --usage and the head of --help
  bool says_try_help = true;  // sacct does not
};

struct CommandLine {
  std::optional<int> exit_code;    // set: the command is over (help, version, a mistake)
  std::vector<std::string> words;  // what is not an option
  std::string mistake;             // what was told on stderr, without the command's name
};

using ApplyOption = std::function<Result<void>(std::size_t row, std::string_view value)>;

// Applies the environment, where the line says nothing of the same, then the line in its order.
// Prints mistakes itself.
CommandLine read_command_line(int argc, char** argv, const CommandTexts& texts,
                              const std::vector<OptionText>& rows, const ApplyOption& apply);

// For the man page: the rows, and what every command has beside them.
std::vector<ManualOption> manual_options(const std::vector<OptionText>& rows);

template <class Options>
std::vector<OptionText> texts_of(std::span<const OptionRow<Options>> rows) {
  std::vector<OptionText> texts;
  texts.reserve(rows.size());
  for (const auto& row : rows)
    texts.push_back({{row.name, row.letter, row.argument},
                     row.environment,
                     row.apply != nullptr,
                     row.help,
                     row.voids});
  return texts;
}

template <class Options>
CommandLine read_options(int argc, char** argv, const CommandTexts& texts,
                         std::span<const OptionRow<Options>> rows, Options& options) {
  return read_command_line(
      argc, argv, texts, texts_of(rows),
      [&](std::size_t row, std::string_view value) { return rows[row].apply(options, value); });
}

}  // namespace sluice
