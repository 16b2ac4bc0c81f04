// path_pattern.cpp: one pass over the pattern.
#include "common/model/path_pattern.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice {
namespace {

std::string number(std::uint64_t value, std::size_t width) {
  return fmt::format("{:0{}}", value, std::min<std::size_t>(width, 10));
}

std::string without_slashes(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

// nullopt: not a pattern, or not known yet.
std::optional<std::string> value_of(char letter, std::size_t width, const PatternValues& values) {
  constexpr std::uint32_t no_task = 4294967294U;
  switch (letter) {
    case 'j': return number(values.job.value, width);
    case 'J': return number(values.job.value, width);
    case 'A': return number(values.array.value_or(values.job).value, width);
    case 'a': return number(values.task.value_or(no_task), width);
    case 's': return "batch";
    case 'N': return values.node;
    case 'n': return number(0, width);
    case 't': return number(0, width);
    case 'u': return values.user;
    case 'x': return without_slashes(values.name);
    default: return std::nullopt;
  }
}

std::string below(const std::string& folder, const std::string& path) {
  if (path.starts_with('/')) return path;
  return folder.ends_with('/') ? folder + path : folder + "/" + path;
}

std::string full_path(const std::string& pattern, const JobRecord& record, const JobSpec& spec) {
  if (pattern == "none" || pattern == "/dev/null") return "/dev/null";
  return below(spec.batch.work_dir, expand_pattern(pattern, pattern_values(record, spec)));
}

}  // namespace

std::string expand_pattern(const std::string& pattern, const PatternValues& values) {
  // A backslash anywhere turns patterns off, as in Slurm.
  if (pattern.find('\\') != std::string::npos) {
    std::string plain = pattern;
    std::erase(plain, '\\');
    return plain;
  }
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    std::size_t at = i + 1;
    std::size_t width = 0;
    while (at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9' && at < i + 3)
      width = width * 10 + static_cast<std::size_t>(pattern[at++] - '0');
    if (at < pattern.size() && pattern[at] == '%' && at == i + 1) {
      out += '%';
      i = at;
      continue;
    }
    std::optional<std::string> value;
    if (at < pattern.size()) value = value_of(pattern[at], width, values);
    if (value) out += *value;
    else out += pattern.substr(i, std::min(at + 1, pattern.size()) - i);
    i = std::min(at, pattern.size() - 1);
  }
  return out;
}

PatternValues pattern_values(const JobRecord& record, const JobSpec& spec) {
  PatternValues values{.job = record.id, .array = std::nullopt, .task = std::nullopt,
                       .name = spec.name, .user = spec.user, .node = std::nullopt};
  if (record.array) {
    values.array = record.array->array_id;
    values.task = record.array->task;
  }
  if (!record.allocation.empty()) {
    const std::string& node = record.allocation.shares.front().node;
    values.node = node.substr(0, node.find('.'));
  }
  return values;
}

std::string output_path(const JobRecord& record, const JobSpec& spec) {
  const std::string& pattern = spec.stdio_files.output;
  if (!pattern.empty()) return full_path(pattern, record, spec);
  return full_path(record.array ? "slurm-%A_%a.out" : "slurm-%j.out", record, spec);
}

std::string error_path(const JobRecord& record, const JobSpec& spec) {
  return spec.stdio_files.error.empty() ? "" : full_path(spec.stdio_files.error, record, spec);
}

std::string input_path(const JobRecord& record, const JobSpec& spec) {
  return spec.stdio_files.input.empty() ? "" : full_path(spec.stdio_files.input, record, spec);
}

}  // namespace sluice
