// swf.h: traces of jobs in the Standard Workload Format of the Parallel Workloads Archive (18
// numbers a line, comments after ';'). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sluice {

struct TraceJob {
  std::int64_t id = 0;
  std::int64_t submitted_s = 0;
  std::int64_t run_s = 0;    // > 0
  std::int64_t limit_s = 0;  // what the user asked for, at least run_s: nobody is ended by it
  std::uint32_t cpus = 0;    // > 0

  bool operator==(const TraceJob&) const = default;
};

struct Trace {
  std::vector<TraceJob> jobs;              // that ran and took cpus; as in the file
  std::optional<std::uint32_t> cpus_most;  // "; MaxProcs:" of its header
};

// Cpus are field 8, else field 5; the limit is field 9, else the run time.
// Errors: invalid_argument with the line.
Result<Trace> parse_swf(std::string_view text);

struct TraceCut {
  std::uint32_t cpus = 0;  // of the machine: larger jobs are left out
  std::size_t skip = 0;    // so many of what is left are passed over, in the order of the ids
  std::optional<std::size_t> first;  // and so many taken; none: all
};
// By submit, then id.
std::vector<TraceJob> cut_trace(const Trace& trace, const TraceCut& cut);

}  // namespace sluice
