// process_limits.h: THE table of the kernel's limits that a job takes along from its submitter.
// Reads and sets none.
#pragma once

#include <sys/resource.h>

namespace sluice {

struct ProcessLimitRow {
  const char* name;  // as Slurm calls it
  int resource;      // of getrlimit
};

inline constexpr ProcessLimitRow process_limits[] = {
    {"CPU", RLIMIT_CPU},     {"FSIZE", RLIMIT_FSIZE},   {"DATA", RLIMIT_DATA},
    {"STACK", RLIMIT_STACK}, {"CORE", RLIMIT_CORE},     {"RSS", RLIMIT_RSS},
    {"NPROC", RLIMIT_NPROC}, {"NOFILE", RLIMIT_NOFILE}, {"MEMLOCK", RLIMIT_MEMLOCK},
    {"AS", RLIMIT_AS},
};

}  // namespace sluice
