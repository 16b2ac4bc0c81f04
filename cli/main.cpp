// main.cpp: finds which command is meant, by the name the program was called by or by its first
// argument, and runs it. Some verbs are programs of their own, which this one executes as git does.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/verb_program.h"

using namespace sluice;

namespace {

constexpr CommandRow commands[] = {
    {"submit", "sbatch", run_sbatch, "submit a batch script"},
    {"admin", nullptr, run_admin, "back up and restore the controller's state"},
    {"squeue", "squeue", run_squeue, "the queue of jobs"},
    {"sinfo", "sinfo", run_sinfo, "partitions and nodes"},
    {"scontrol", "scontrol", run_scontrol, "look at and change jobs, nodes and the controller"},
    {"sacct", "sacct", run_sacct, "jobs of the past and what they used"},
    {"status", nullptr, run_status, "the cluster and your jobs; also `sluice` alone"},
    {"why", nullptr, run_why, "why a job waits, or how it ended"},
    {"cancel", "scancel", run_scancel, "end or signal jobs"},
    {"ping", nullptr, run_ping, "ask whether the controller is there"},
};

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

const CommandRow* command_of_link(std::string_view name) {
  for (const CommandRow& row : commands)
    if (row.slurm_name && name == row.slurm_name) return &row;
  return nullptr;
}

const CommandRow* command_of_verb(std::string_view name) {
  for (const CommandRow& row : commands)
    if (name == row.verb) return &row;
  return nullptr;
}

void print_help(std::FILE* out) {
  std::fputs("Usage: sluice VERB [OPTIONS...]\n\nVerbs:\n", out);
  for (const CommandRow& row : commands) {
    std::fprintf(out, "  %-10s %s", row.verb, row.summary);
    if (row.slurm_name) std::fprintf(out, " (%s)", row.slurm_name);
    std::fputc('\n', out);
  }
  std::fputs("\n`sluice VERB --help` says more. Other verbs are programs named sluice-VERB.\n", out);
}

// Makes one link a Slurm name beside the program; the build and the packages call it.
int make_links(const std::string& folder) {
  for (const CommandRow& row : commands) {
    if (!row.slurm_name) continue;
    const std::string link = folder + "/" + row.slurm_name;
    unlink(link.c_str());
    if (symlink("sluice", link.c_str()) != 0) {
      std::perror(link.c_str());
      return 1;
    }
  }
  return 0;
}

int run_verb(int argc, char** argv) {
  const std::string verb = argv[1];
  if (verb == "--help" || verb == "-h" || verb == "help") return print_help(stdout), 0;
  if (verb == "--links" && argc == 3) return make_links(argv[2]);
  if (const CommandRow* row = command_of_verb(verb)) {
    std::string shown = "sluice " + verb;
    argv[1] = shown.data();
    return row->run(argc - 1, argv + 1);
  }
  if (verb.find('/') == std::string::npos) execute_verb_program(verb, argv + 1);
  std::fprintf(stderr, "sluice: error: no verb '%s'; `sluice --help` lists them\n", verb.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 0) return 1;
  const std::string_view name = base_name(argv[0]);
  if (const CommandRow* row = command_of_link(name)) {
    std::string shown{name};
    argv[0] = shown.data();
    return row->run(argc, argv);
  }
  if (argc == 1) return run_status(argc, argv);
  return run_verb(argc, argv);
}
