// cancel_options.h: the option table of scancel, and what a command line asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/options/export.h"
#include "common/options/manual.h"
#include "common/wire/messages.h"

namespace sluice {

struct CancelRequest {
  CancelJobs message;
  std::vector<std::string> filters;   // "job_name=x", in the order given
  std::optional<std::string> user;    // -u, as given
  std::optional<std::string> cluster;
  bool own_jobs = false;              // --me
  bool interactive = false;
  bool quiet = false;
  std::uint32_t verbose = 0;
  bool help = false;
  bool usage = false;
  bool version = false;
};

// Options may stand before and behind the ids; SCANCEL_* variables give what the line does not.
// Errors: invalid_option (getopt's sentence), else the detail is the sentence to show. A step is
// refused by its name, because jobs have none yet.
Result<CancelRequest> parse_cancel(const std::vector<std::string>& words,
                                   const Environment& environment);

// The option lines of --help, and the rows for the man page.
std::string cancel_help();
std::vector<ManualOption> cancel_manual_options();

}  // namespace sluice
