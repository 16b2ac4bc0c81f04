// main.cpp: `sluice dev`, private clusters on this machine: reads the command line, one row a verb.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <map>

#include "cli/dev/manual.h"
#include "cli/dev/verbs.h"
#include "common/arguments/arguments.h"

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

// What the verbs' options go to; only one verb is said.
struct Asked {
  UpRequest up;
  Fault fault;
  std::string part = "agent";
  std::string dir;
  std::function<Result<void>()> chosen;
};

void add_up(Arguments& arguments, Asked& asked) {
  UpRequest& request = asked.up;
  Arguments verb = arguments.verb("up", "start a private cluster; prints lines for eval",
                                  [&asked] { asked.chosen = [&asked] { return up(asked.up); }; });
  verb.option("--nodes", request.nodes, "agents to start",
              {.shows_default = true, .least = 1, .most = 1000});
  verb.option("--cpus", request.cpus, "CPUs of each node (default: the machine's)",
              {.least = 1, .most = 100000});
  verb.option("--mem", request.mem, "memory of each node, as in 4G (default: a share)");
  verb.option("--gpus", request.gpus, "GPUs of each node, as in a100:4");
  verb.option("--dir", request.dir, "folder of the cluster (default: a new temporary one)");
  verb.option("--config", request.extra_config, "file of slurm.conf lines to include; they win");
  verb.option("--simulated", request.simulated,
              "that many nodes in one process, which only pretend to run jobs",
              {.least = 1, .most = 100000});
  verb.option("--wait", request.wait_s, "seconds to wait for the nodes", {.shows_default = true});
}

void add_faults(Arguments& arguments, Asked& asked) {
  for (const FaultRow& row : fault_rows) {
    const auto choose = [&asked, run = row.run] {
      asked.fault.part = part_names.at(asked.part);
      asked.chosen = [&asked, run] { return run(asked.fault); };
    };
    Arguments verb = arguments.verb(row.verb, row.summary, choose);
    verb.option("daemon", asked.fault.daemon, "`controller` or the name of a node",
                {.is_required = true});
    verb.option("--part", asked.part, "of a node: agent (default), shepherds, or all with the jobs",
                {.words = {"agent", "shepherds", "all"}});
    verb.option("--dir", asked.fault.dir, "folder of the cluster (default: $SLUICE_DEV_DIR)");
  }
}

void add_dir_verbs(Arguments& arguments, Asked& asked) {
  for (const DirRow& row : dir_rows) {
    const auto choose = [&asked, run = row.run] {
      asked.chosen = [&asked, run] { return run(asked.dir); };
    };
    Arguments verb = arguments.verb(row.verb, row.summary, choose);
    verb.option("--dir", asked.dir, "folder of the cluster (default: $SLUICE_DEV_DIR)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments("sluice dev",
                      "Private clusters on this machine, for tests, benches and first steps");
  Asked asked;
  add_up(arguments, asked);
  add_faults(arguments, asked);
  add_dir_verbs(arguments, asked);
  arguments.manual(dev_text());
  arguments.parse(argc, argv);

  Result<void> done = asked.chosen();
  if (done) return 0;
  fmt::print(stderr, "sluice dev: error: {}\n", to_text(done.error()));
  return 1;
}
