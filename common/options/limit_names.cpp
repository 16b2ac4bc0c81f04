// limit_names.cpp: lists of the kernel's limits, in options and in slurm.conf.
#include <fmt/format.h>

#include "common/base/process_limits.h"
#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

std::string_view without_prefix(std::string_view name) {
  constexpr std::string_view prefix = "RLIMIT_";
  const bool has_prefix = equals_ignoring_case(name.substr(0, prefix.size()), prefix);
  return has_prefix ? name.substr(prefix.size()) : name;
}

Error refuse(std::string_view name) {
  std::string known;
  for (const ProcessLimitRow& row : process_limits) known.append(", ").append(row.name);
  return Error{ErrorCode::invalid_argument,
               fmt::format("\"{}\" is none of ALL, NONE{}", name, known)};
}

}  // namespace

Result<std::vector<std::string>> parse_limit_names(std::string_view text) {
  for (const char* alone : {"ALL", "NONE"})
    if (equals_ignoring_case(text, alone)) return std::vector<std::string>{alone};
  std::vector<std::string> names;
  for (std::string_view piece : split(text, ',')) {
    const ProcessLimitRow* found = nullptr;
    for (const ProcessLimitRow& row : process_limits)
      if (equals_ignoring_case(without_prefix(piece), row.name)) found = &row;
    if (!found) return refuse(piece);
    names.emplace_back(found->name);
  }
  return names;
}

}  // namespace sluice
