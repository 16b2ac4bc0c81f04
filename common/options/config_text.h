// config_text.h: slurm.conf's grammar: a file (with the files it includes) as lines of Key=Value
// words. Knows no key but Include.
//
// '#' starts a comment outside of quotes; "\#" is a '#'; a '\' at the end of a line continues it;
// blanks may stand around '='; a value may be quoted to hold blanks; "Include PATH" stands alone on
// its line, relative paths start at the folder of the first file.
#pragma once

#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/result.h"

namespace sluice {

struct ConfigPlace {
  std::string file;
  int line = 0;

  bool operator==(const ConfigPlace&) const = default;
};

// "FILE:LINE"
std::string to_text(const ConfigPlace& place);

struct ConfigWord {
  std::string key;
  std::string value;
  ConfigPlace place;
};

// One logical line, never empty.
using ConfigLine = std::vector<ConfigWord>;

// config_invalid with "FILE:LINE: text".
Error config_error(const ConfigPlace& place, const std::string& text);

// Errors: config_invalid (unreadable file, include too deep, stray word, open quote).
Result<std::vector<ConfigLine>> read_config_lines(const std::string& path);
// The same of a text that is not in a file; `path` is for messages and relative includes.
Result<std::vector<ConfigLine>> parse_config_lines(const std::string& text, const std::string& path);

}  // namespace sluice
