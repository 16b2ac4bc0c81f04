// path_pattern.h: Slurm's patterns in output file names. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/model/job.h"

namespace sluice {

// What the patterns stand for; what is not known yet leaves its pattern as it is.
struct PatternValues {
  JobId job;
  std::optional<JobId> array;              // %A; none: the job id
  std::optional<std::uint32_t> task;       // %a; none: 4294967294
  std::string name;                        // %x; a '/' in it becomes '_'
  std::string user;                        // %u
  std::optional<std::string> node;         // %N, short host name of the batch host
};

// %j %A %a %J %s %N %n %t %u %x %%; "%5j" pads numbers with zeros; unknown letters stay.
std::string expand_pattern(const std::string& pattern, const PatternValues& values);

PatternValues pattern_values(const JobRecord& record, const JobSpec& spec);

// The absolute path of an output file: the pattern, or Slurm's default, below the work directory.
// "none" and /dev/null give /dev/null.
std::string output_path(const JobRecord& record, const JobSpec& spec);
// Empty: the same file as output.
std::string error_path(const JobRecord& record, const JobSpec& spec);
// Empty: /dev/null.
std::string input_path(const JobRecord& record, const JobSpec& spec);

}  // namespace sluice
