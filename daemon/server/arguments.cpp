// arguments.cpp: CLI11's part.
#include "daemon/server/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "common/options/cli11_manual.h"
#include "daemon/server/manual.h"

namespace sluice {

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"sluiced: the controller of a Sluice cluster"};
  app.add_option("-f,--config", arguments.config_path,
                 "Configuration file (default: SLUICE_CONF, SLURM_CONF, /etc/sluice/slurm.conf)");
  app.add_option("--pidfile", arguments.pid_file, "File to write the process id to");
  app.add_option("--node-key", arguments.node_key_of,
                 "Print the key file for the host of this node (or login host), and end");
  app.set_version_flag("-V,--version", "slurm-wlm 22.05.8 (sluice " SLUICE_VERSION ")");
  app.add_flag_callback("--man",
                        [&app] {
                          fmt::print("{}", man_page_of(app, sluiced_text()));
                          std::exit(0);
                        })
      ->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return arguments;
}

}  // namespace sluice
