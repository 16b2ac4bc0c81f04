// script_source.h: where the bytes of a batch script come from: a file, standard input, or --wrap.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace sluice {

struct ScriptSource {
  std::string bytes;
  std::string label;         // for messages
  std::string path;          // absolute, of a script file; empty: --wrap and standard input
  std::string default_name;  // of the job
  std::vector<std::string> arguments;
  bool is_wrapped = false;   // holds no directives
};

// `operands` are the script and its arguments. A name without '/' that is not in the working folder
// is looked for in PATH. Errors: script_unreadable, script_too_large, invalid_argument, not_supported;
// the detail is the whole sentence to show.
Result<ScriptSource> load_script(const std::optional<std::string>& wrap,
                                 const std::vector<std::string>& operands);

// `path` itself when it is absolute, else below the working folder.
std::string absolute_path(const std::string& path, const std::string& work_dir);

// Error: io_error when the working folder is gone.
Result<std::string> current_folder();

}  // namespace sluice
