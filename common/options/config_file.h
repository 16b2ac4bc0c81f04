// config_file.h: slurm.conf (or Sluice's own file of the same grammar) -> ClusterConfig. What a key is
// to Sluice stands in the tables of config_keys.h and config_records.h: unsupported keys become one
// warning each with file and line, unknown ones are errors.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/model/config.h"

namespace sluice {

// Whose file it is. Ports, state, spool and log files of Slurm's own file are never used, so that
// Sluice can be tried beside a running Slurm; the Sluice* keys count in both.
enum class ConfigOwner { sluice, slurm };

struct ConfigSource {
  std::string path;  // empty: there is no file
  ConfigOwner owner = ConfigOwner::sluice;
};

struct ConfigFile {
  ClusterConfig config;
  std::vector<std::string> warnings;  // "FILE:LINE: KEY: text", for the daemons' logs
  std::string path;                   // empty: there is no file
};

// SLUICE_CONF, SLURM_CONF, /etc/sluice/slurm.conf, /etc/slurm/slurm.conf: the first that is set or
// exists. A file named by the environment counts even if it is missing; reading it then fails.
ConfigSource find_config_source();

// Errors: config_invalid, one line "FILE:LINE: KEY=VALUE: what was expected".
Result<ConfigFile> read_config_file(const std::string& path);  // as Sluice's own
Result<ConfigFile> read_config(const ConfigSource& source);    // empty path: the cluster of no file
Result<ConfigFile> find_and_read_config();

// The same of a text; `source.path` is for messages and for relative includes.
Result<ConfigFile> parse_config(const std::string& text, const ConfigSource& source);

}  // namespace sluice
