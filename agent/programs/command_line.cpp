// command_line.cpp: CLI11's part.
#include "agent/programs/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "agent/programs/manual.h"
#include "common/options/cli11_manual.h"

namespace sluice::agent {

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  CLI::App app{"sluice-agent: starts and tends the jobs of one node; stays in the foreground"};
  app.set_version_flag("-V,--version", "sluice-agent " SLUICE_VERSION);
  app.add_option("--name,-N", line.name, "node's name (default: the host's short name)");
  app.add_option("--config,-f", line.config_file, "configuration file (default: as searched for)");
  app.add_option("--spool", line.spool, "spool folder (default: SlurmdSpoolDir)");
  app.add_option("--pidfile", line.pid_file, "file to write the process id to");
  app.add_option("--cgroup", line.cgroup,
                 "control group that holds the jobs' groups, below /sys/fs/cgroup");
  app.add_flag("--login", line.login, "a submit host: relays commands, has no resources");
  app.add_flag_callback("--man",
                        [&app] {
                          fmt::print("{}", man_page_of(app, agent_text()));
                          std::exit(0);
                        })
      ->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return line;
}

}  // namespace sluice::agent
