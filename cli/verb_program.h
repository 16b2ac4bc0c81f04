// verb_program.h: verbs that are programs of their own, because they need more libraries than a
// command may load (SQLite, OpenSSL, hwloc, the planner).
#pragma once

#include <string>

namespace sluice {

// Becomes the program `sluice-NAME` that lies beside this one or in its libexec folder. Returns
// only when there is none.
void execute_verb_program(const std::string& name, char** argv);

}  // namespace sluice
