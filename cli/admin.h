// admin.h: what `sluice admin` can do: a row a verb. One that needs SQLite is a program of its own.
#pragma once

#include <span>
#include <vector>

#include "cli/listing/options.h"

namespace sluice {

struct AdminVerb {
  const char* name;
  int (*run)(int argc, char** argv);       // argv[0] is "sluice admin VERB"
  std::vector<ManualOption> (*options)();  // for completion
};

std::span<const AdminVerb> admin_verbs();

// Moves what ended long ago into an archive.
int run_admin_purge(int argc, char** argv);
std::vector<ManualOption> purge_options();

}  // namespace sluice
