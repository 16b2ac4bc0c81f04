// command_line.h: the command line of sluiced.
#pragma once

#include <string>

namespace sluice {

struct CommandLine {
  std::string config_path;
  std::string pid_file;
  std::string node_key_of;
};

// Ends the program where the line asks for a text (--help, --version, --man) or is wrong.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace sluice
