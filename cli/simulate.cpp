// simulate.cpp: `sluice simulate` is a program of its own, with core and planner in it.
#include <cstdio>

#include "cli/command.h"
#include "cli/verb_program.h"

namespace sluice {

// Its program names itself in its messages.
int run_simulate(int, char** argv) {
  execute_verb_program("simulate", argv);
  std::fputs("sluice simulate: error: the program sluice-simulate is not installed\n", stderr);
  return 1;
}

}  // namespace sluice
