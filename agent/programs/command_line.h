// command_line.h: the options of sluice-agent.
#pragma once

#include <string>

namespace sluice::agent {

struct CommandLine {
  std::string name;         // node's name; empty: the host's short name
  std::string config_file;  // empty: searched for
  std::string spool;        // empty: the configuration's
  std::string pid_file;     // empty: none
  std::string cgroup = "sluice";  // below which the node's control groups are
  bool login = false;       // no resources: relays commands only
};

// Prints and exits for --help, --version and wrong options.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace sluice::agent
