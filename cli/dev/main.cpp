// main.cpp: `sluice dev`, private clusters on this machine: reads the command line, one row a verb.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <map>

#include "cli/dev/manual.h"
#include "cli/dev/verbs.h"
#include "common/options/cli11_manual.h"

using namespace sluice;
using namespace sluice::dev;

namespace {

struct FaultRow {
  const char* verb;
  const char* summary;
  Result<void> (*run)(const Fault& fault);
};

constexpr FaultRow fault_rows[] = {
    {"kill9", "end a daemon with SIGKILL", kill9},
    {"freeze", "stop a daemon with SIGSTOP", freeze},
    {"thaw", "let a frozen daemon go on", thaw},
    {"restart", "end a daemon politely if it runs, and start it", restart},
};

struct DirRow {
  const char* verb;
  const char* summary;
  Result<void> (*run)(const std::string& dir);
};

constexpr DirRow dir_rows[] = {
    {"status", "say which daemons run, and the nodes", status},
    {"down", "end what `up` started", down},
};

const std::map<std::string, Part> part_names{
    {"agent", Part::agent}, {"shepherds", Part::shepherds}, {"all", Part::all}};

void add_up(CLI::App& app, UpRequest& request, std::function<Result<void>()>& chosen) {
  CLI::App* verb = app.add_subcommand("up", "start a private cluster; prints lines for eval");
  verb->add_option("--nodes", request.nodes, "agents to start")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  verb->add_option("--cpus", request.cpus, "CPUs of each node (default: the machine's)")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--mem", request.mem, "memory of each node, as in 4G (default: a share)");
  verb->add_option("--gpus", request.gpus, "GPUs of each node, as in a100:4");
  verb->add_option("--dir", request.dir, "folder of the cluster (default: a new temporary one)");
  verb->add_option("--config", request.extra_config, "file of slurm.conf lines to include; they win");
  verb->add_option("--simulated", request.simulated,
                   "that many nodes in one process, which only pretend to run jobs")
      ->check(CLI::Range(1, 100000));
  verb->add_option("--wait", request.wait_s, "seconds to wait for the nodes")
      ->capture_default_str();
  verb->callback([&] { chosen = [&request] { return up(request); }; });
}

void add_faults(CLI::App& app, Fault& fault, std::function<Result<void>()>& chosen) {
  for (const FaultRow& row : fault_rows) {
    CLI::App* verb = app.add_subcommand(row.verb, row.summary);
    verb->add_option("daemon", fault.daemon, "`controller` or the name of a node")->required();
    verb->add_option("--part", fault.part,
                     "of a node: agent (default), shepherds, or all with the jobs")
        ->transform(CLI::CheckedTransformer(part_names));
    verb->add_option("--dir", fault.dir, "folder of the cluster (default: $SLUICE_DEV_DIR)");
    verb->callback([&, run = row.run] { chosen = [&fault, run] { return run(fault); }; });
  }
}

void add_dir_verbs(CLI::App& app, std::string& dir, std::function<Result<void>()>& chosen) {
  for (const DirRow& row : dir_rows) {
    CLI::App* verb = app.add_subcommand(row.verb, row.summary);
    verb->add_option("--dir", dir, "folder of the cluster (default: $SLUICE_DEV_DIR)");
    verb->callback([&, run = row.run] { chosen = [&dir, run] { return run(dir); }; });
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Private clusters on this machine, for tests, benches and first steps"};
  app.name("sluice dev");
  app.require_subcommand(1);
  UpRequest request;
  Fault fault;
  std::string dir;
  std::function<Result<void>()> chosen;
  add_up(app, request, chosen);
  add_faults(app, fault, chosen);
  add_dir_verbs(app, dir, chosen);
  app.add_flag_callback("--man",
                        [&app] {
                          fmt::print("{}", man_page_of(app, dev_text()));
                          std::exit(0);
                        })
      ->group("");
  CLI11_PARSE(app, argc, argv);

  Result<void> done = chosen();
  if (done) return 0;
  fmt::print(stderr, "sluice dev: error: {}\n", to_text(done.error()));
  return 1;
}
