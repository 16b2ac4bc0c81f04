// script.h: reads the #SBATCH lines of a batch script and finds what would go wrong with it later.
// Pure; any bytes survive. Knows no option.
//
// Read are the lines that begin with "#SBATCH" (or "#PBS") and a blank or tab, before the first
// line that is neither a comment nor blank. Words are divided and unquoted as a shell would; " #"
// starts a remark.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/options/export.h"

namespace sluice {

struct Directive {
  std::size_t line = 0;            // from 1
  std::vector<OptionValue> words;  // with the marks of what was quoted
};

struct ScriptDirectives {
  std::vector<Directive> directives;
  std::vector<Directive> pbs;      // lines of "#PBS ", the same words
  std::size_t foreign_line = 0;    // first line of another scheduler (#BSUB); 0: none
  std::vector<std::string> hints;  // "FILE:LINE: ..." what looks like a slip but is not an error
};

// `file` is for messages. Errors: script_empty, script_no_interpreter, script_dos_line_ends,
// script_stray_word (a quote that is not closed); all but the first with "FILE:LINE".
Result<ScriptDirectives> read_directives(std::string_view script, std::string_view file);

// "FILE:LINE"
std::string place_text(std::string_view file, std::size_t line);

}  // namespace sluice
