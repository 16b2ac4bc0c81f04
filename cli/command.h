// command.h: what every command of the multi-call program `sluice` is: a name and a function.
// A new command is one file with its run function, one declaration here and one row in
// commands.cpp.
#pragma once

#include <span>

namespace sluice {

// argv[0] is the name users see in messages ("sbatch", or "sluice submit"); the return value is the
// exit code. A run function prints its own errors and never throws.
using CommandFunction = int (*)(int argc, char** argv);

struct CommandRow {
  const char* verb;        // `sluice VERB`
  const char* slurm_name;  // link of that name in bin/; null: none
  CommandFunction run;
  const char* summary;     // one line of `sluice --help`
};

std::span<const CommandRow> commands();

int run_admin(int argc, char** argv);
int run_ping(int argc, char** argv);
int run_plan(int argc, char** argv);
int run_sbatch(int argc, char** argv);
int run_squeue(int argc, char** argv);
int run_sinfo(int argc, char** argv);
int run_scontrol(int argc, char** argv);
int run_sacct(int argc, char** argv);
int run_sacctmgr(int argc, char** argv);
int run_doctor(int argc, char** argv);
int run_report(int argc, char** argv);
int run_watch(int argc, char** argv);
int run_status(int argc, char** argv);
int run_why(int argc, char** argv);
int run_simulate(int argc, char** argv);
int run_scancel(int argc, char** argv);
int run_sdiag(int argc, char** argv);
int run_sprio(int argc, char** argv);
int run_sreport(int argc, char** argv);
int run_sshare(int argc, char** argv);

}  // namespace sluice
