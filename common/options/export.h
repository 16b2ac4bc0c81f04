// export.h: the grammar of --export, and the environment it selects. Pure: the caller's environment
// is an argument.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sluice {

// The value of an option; `quoted` marks ('1') the characters that stood in quotes or behind a
// backslash in a script. Empty: it came from a command line, where the shell took the quotes away.
struct OptionValue {
  std::string text;
  std::string quoted;

  bool operator==(const OptionValue&) const = default;
};

struct ExportItem {
  std::string name;
  std::optional<std::string> value;  // none: the caller's

  bool operator==(const ExportItem&) const = default;
};

struct ExportRule {
  bool all = true;                // the caller's whole environment
  std::vector<ExportItem> items;  // in order; a later one overrides
  std::string given;              // the option's text; empty: not given

  bool operator==(const ExportRule&) const = default;
};

// "ALL", "NONE", "NIL", "NAME,NAME=value,ALL". Commas inside quotes belong to the value, and the
// quotes are taken off. Errors: invalid_argument with what is wrong.
Result<ExportRule> parse_export(const OptionValue& value);

using Environment = std::vector<std::string>;  // "NAME=value"

// What a job gets of `caller`; the node fills in HOME, USER, PATH and their like where they are
// missing. What Slurm sets inside a job is not taken along from an enclosing one. A rule that says
// more than ALL is itself passed on, as SLURM_EXPORT_ENV.
Environment select_environment(const ExportRule& rule, const Environment& caller);

// `caller` without what tells who he is and where he lives (HOME, USER, LOGNAME, SHELL): what a job
// of another user may take. The node fills in that user's own.
Environment without_identity(Environment caller);

// Both; of a name that both have, the entry of `stronger`.
Environment merged(Environment weaker, const Environment& stronger);

// Bare words behind a value that name no variable of the caller: probably values cut at a comma.
std::vector<std::string> suspicious_words(const ExportRule& rule, const Environment& caller);

struct ExecLimits {
  std::size_t variable_bytes;  // NAME=value with its NUL
  std::size_t total_bytes;     // all of them, with a pointer each
};

// Errors: environment_too_large with the size and the limit.
Result<void> check_environment(const Environment& environment, const ExecLimits& limits);

// The wire's form: each entry ended by a NUL.
std::string joined(const Environment& environment);

}  // namespace sluice
