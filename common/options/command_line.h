// command_line.h: words -> uses of options, by getopt_long over a table, so that abbreviations, glued
// and clustered short options and optional values behave as in Slurm's commands. Knows no option.
// getopt's state is global: not for use by two threads at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace sluice {

enum class ArgumentKind { none, required, optional };

// What getopt has to know of an option; the rows of every command's table begin with it.
struct OptionSyntax {
  const char* name;  // long name, without dashes
  char letter;       // 0: none
  ArgumentKind argument;
};

// Where the first word that is no option stands: `ends` leaves all that follows to the caller (a
// script and its arguments), `permutes` lets options follow it (scancel 5 --signal USR2).
enum class OperandRule { ends, permutes };

struct OptionUse {
  std::size_t row = 0;   // in the table
  std::string value;     // empty where none was given
  bool has_value = false;
  std::size_t word = 0;  // the word that holds the value, or the option itself

  bool operator==(const OptionUse&) const = default;
};

struct ParsedWords {
  std::vector<OptionUse> uses;
  std::vector<std::string> operands;
};

// `words` without the command's name. Errors: invalid_option, whose detail is the sentence of
// getopt ("unrecognized option '--x'"), with the nearest option where one is near.
Result<ParsedWords> parse_words(std::span<const OptionSyntax> table,
                                const std::vector<std::string>& words, OperandRule rule);

// The long name nearest to `name`; empty: none is near enough to be meant.
std::string nearest_option(std::span<const OptionSyntax> table, std::string_view name);

}  // namespace sluice
