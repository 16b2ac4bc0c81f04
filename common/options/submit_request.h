// submit_request.h: what a submitting command was asked: the job, and what only the command does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/model/request.h"
#include "common/options/export.h"
#include "common/options/grammar.h"

namespace sluice {

// Weakest first: a later one overrides an earlier.
enum class OptionOrigin { script, environment, command_line };

// One option as it was given, for `sbatch -v` and for rules that ask who said what.
struct GivenOption {
  const char* name;  // of the table's row
  std::string value;
  OptionOrigin origin;
};

// A line of #PBS: whether it counts is known when all options are.
struct PbsLine {
  std::string place;  // "FILE:LINE"
  std::vector<std::string> words;
};

struct SubmitRequest {
  JobSpec spec;
  std::int64_t now_s = 0;                // seconds since 1970: what "now" and "tomorrow" count from
  ExportRule export_rule;
  std::optional<std::string> export_file;  // a path, or the number of an open descriptor
  std::optional<LoginEnvironment> login_environment;
  std::optional<std::string> wrap;
  std::optional<std::string> work_dir;   // -D, as given
  std::optional<std::string> user;       // --uid, --gid: a name or a number
  std::optional<std::string> group;
  std::optional<std::string> cluster;    // -M
  bool parsable = false;
  bool wait = false;
  bool test_only = false;
  bool quiet = false;
  bool ignore_pbs = false;
  std::uint32_t verbose = 0;
  bool help = false;
  bool usage = false;
  bool version = false;
  std::vector<PbsLine> pbs_lines;
  std::string foreign_directive;   // "FILE:LINE" of the first #BSUB line; empty: none
  std::vector<GivenOption> given;  // in the order applied
  std::vector<std::string> notes;  // of values taken otherwise than they read
};

// Where the strongest word on an option came from; none: nobody gave it.
std::optional<OptionOrigin> origin_of(const SubmitRequest& request, std::string_view option);

}  // namespace sluice
