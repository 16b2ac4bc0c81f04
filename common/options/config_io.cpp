// config_io.cpp: reads files, the environment and the host's name.
#include "common/options/config_io.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "common/options/config_file.h"

namespace sluice {

Result<std::string> read_config_bytes(const std::string& path) {
  constexpr std::size_t file_bytes_max = 64U << 20;
  std::ifstream stream{path, std::ios::binary};
  if (!stream)
    return Error{ErrorCode::config_invalid, fmt::format("{}: {}", path, std::strerror(errno))};
  std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
  if (stream.bad())
    return Error{ErrorCode::config_invalid, fmt::format("{}: cannot be read", path)};
  if (text.size() > file_bytes_max)
    return Error{ErrorCode::config_invalid,
                 fmt::format("{}: {} bytes, more than {}", path, text.size(), file_bytes_max)};
  return text;
}

std::string read_short_host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "localhost";
  const std::string host{name};
  return host.substr(0, host.find('.'));
}

ConfigSource find_config_source() {
  struct Candidate {
    const char* variable;
    const char* path;
    ConfigOwner owner;
  };
  static constexpr Candidate candidates[] = {
      {"SLUICE_CONF", nullptr, ConfigOwner::sluice},
      {"SLURM_CONF", nullptr, ConfigOwner::slurm},
      {nullptr, "/etc/sluice/slurm.conf", ConfigOwner::sluice},
      {nullptr, "/etc/slurm/slurm.conf", ConfigOwner::slurm},
  };
  for (const Candidate& candidate : candidates) {
    const char* path = candidate.variable ? std::getenv(candidate.variable) : candidate.path;
    if (!path || !*path) continue;
    if (candidate.variable || access(path, F_OK) == 0) return {path, candidate.owner};
  }
  return {};
}

}  // namespace sluice
