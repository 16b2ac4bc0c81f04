// admin.cpp: `sluice admin`: work on the controller's state that only administrators may do.
#include <climits>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/admin.h"
#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/verb_program.h"

namespace sluice {
namespace {

constexpr const char* usage =
    "Usage: sluice admin backup FILE\n"
    "       sluice admin purge --older AGE --to FILE\n"
    "       sluice admin restore [--check] FILE\n"
    "\n"
    "  backup FILE    write a verified copy of the controller's state, while it runs, to FILE on "
    "the\n"
    "                 controller's host\n"
    "  purge          move jobs that ended longer than AGE ago (1y, 6months, 90d, 36h) into the "
    "archive\n"
    "                 FILE on the controller's host; `sluice admin purge --help` says more\n"
    "  restore FILE   put such a copy in the place of the state; sluiced must not run. The former\n"
    "                 state is kept. Job ids go on above all that were ever given.\n"
    "  restore --check FILE\n"
    "                 only say whether FILE is good\n";

int show_usage(FILE* file) {
  std::fputs(usage, file);
  return file == stdout ? 0 : 1;
}

// The controller's working directory is not the caller's.
std::string absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  char folder[PATH_MAX];
  return getcwd(folder, sizeof folder) ? fmt::format("{}/{}", folder, path) : path;
}

int back_up(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') return show_usage(stderr);
  const std::string path = absolute(argv[1]);
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  Client client(*config);
  const Result<OkReply> reply = client.call<OkReply>(Backup{path});
  if (!reply.ok()) return print_error(argv[0], reply.error()), exit_code_of(reply.error());
  return print_result(fmt::format("state copied to {} and verified\n", path)) ? 0 : 1;
}

// Its program names itself in its messages.
int restore(int, char** argv) {
  execute_verb_program("admin-restore", argv);
  std::fputs("sluice admin restore: error: the program sluice-admin-restore is not installed\n",
             stderr);
  return 1;
}

std::vector<ManualOption> no_options() { return {}; }
std::vector<ManualOption> restore_options() {
  return {{"check", 0, ArgumentKind::none, "", "", "only say whether FILE is good", true}};
}

constexpr AdminVerb verbs[] = {
    {"backup", back_up, no_options},
    {"purge", run_admin_purge, purge_options},
    {"restore", restore, restore_options},
};

}  // namespace

std::span<const AdminVerb> admin_verbs() { return verbs; }

int run_admin(int argc, char** argv) {
  const std::string_view word = argc >= 2 ? argv[1] : "";
  for (const AdminVerb& verb : verbs) {
    if (word != verb.name) continue;
    std::string name = fmt::format("{} {}", argv[0], word);
    argv[1] = name.data();
    return verb.run(argc - 1, argv + 1);
  }
  return show_usage(argc == 2 && (word == "--help" || word == "-h") ? stdout : stderr);
}

}  // namespace sluice
