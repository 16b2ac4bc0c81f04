// sacct_options.h: what a command line of sacct asks for.
#pragma once

#include <optional>
#include <string>

#include "cli/listing/account_columns.h"
#include "cli/listing/account_filter.h"
#include "cli/listing/document.h"
#include "cli/listing/options.h"

namespace sluice {

struct SacctOptions {
  QueryJobs query;
  std::string format;
  std::string preset;  // the columns where none are named
  AccountStyle style;
  bool has_heading = true;
  RowsWanted rows;
  AccountFilter filter;  // what the controller does not filter by
  bool everybody = false;
  bool names_users = false;
  bool truncates = false;  // times as if nothing happened outside of the window
  MemStyle mem;
  bool lists_columns = false;
  bool asks_completion = false;
  std::optional<JobContent> content;  // of the jobs, instead of rows
  std::string cluster;
  std::optional<DocumentStyle> document;  // --json, --yaml
};

// Prints mistakes itself; the defaults of users and times are applied.
CommandLine read_sacct_options(int argc, char** argv, SacctOptions& options);

}  // namespace sluice
