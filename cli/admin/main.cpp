// main.cpp: sluice-admin-restore, which `sluice admin restore` executes: it needs SQLite, which no
// command should have to load.
#include <fmt/format.h>

#include <cstdio>

#include "cli/admin/restore.h"
#include "common/arguments/arguments.h"

int main(int argc, char** argv) {
  using namespace sluice;
  Arguments arguments(
      "sluice admin restore",
      "Puts a backup of `sluice admin backup` in the place of the controller's state");
  arguments.footer(
      "Stop sluiced first, and run this as its user on its host. The former state is kept beside "
      "the\n"
      "new one, under a name that is printed. Job ids go on above all that were ever given. Jobs "
      "that\n"
      "run are taken over from the nodes; one that started after the backup and has ended runs "
      "again.");
  std::string file;
  bool only_checks = false;
  arguments.flag("--check", only_checks, "only say whether FILE is good; sluiced may run");
  arguments.option("FILE", file, "the backup", {.is_required = true});
  arguments.parse(argc, argv);

  const Result<std::string> done = only_checks ? admin::check_backup(file) : admin::restore(file);
  if (done.ok()) return std::fputs(done->c_str(), stdout) < 0 ? 1 : 0;
  fmt::print(stderr, "sluice admin restore: error: {}\n", to_text(done.error()));
  return 1;
}
