// admin.cpp: `sluice admin`: work on the controller's state that only administrators may do.
#include <climits>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/verb_program.h"

namespace sluice {
namespace {

constexpr const char* usage =
    "Usage: sluice admin backup FILE\n"
    "       sluice admin restore [--check] FILE\n"
    "\n"
    "  backup FILE    write a verified copy of the controller's state, while it runs, to FILE on "
    "the\n"
    "                 controller's host\n"
    "  restore FILE   put such a copy in the place of the state; sluiced must not run. The former\n"
    "                 state is kept. Job ids go on above all that were ever given.\n"
    "  restore --check FILE\n"
    "                 only say whether FILE is good\n";

// The controller's working directory is not the caller's.
std::string absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  char folder[PATH_MAX];
  return getcwd(folder, sizeof folder) ? fmt::format("{}/{}", folder, path) : path;
}

int back_up(const char* name, const std::string& path) {
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(name, config.error()), 1;
  Client client(*config);
  const Result<OkReply> reply = client.call<OkReply>(Backup{absolute(path)});
  if (!reply.ok()) return print_error(name, reply.error()), exit_code_of(reply.error());
  return print_result(fmt::format("state copied to {} and verified\n", absolute(path))) ? 0 : 1;
}

// Its program names itself in its messages.
int restore(char** argv) {
  execute_verb_program("admin-restore", argv);
  std::fputs("sluice admin restore: error: the program sluice-admin-restore is not installed\n",
             stderr);
  return 1;
}

}  // namespace

int run_admin(int argc, char** argv) {
  if (argc >= 2 && std::strcmp(argv[1], "restore") == 0) return restore(argv + 1);
  if (argc == 3 && std::strcmp(argv[1], "backup") == 0) return back_up(argv[0], argv[2]);
  const bool help = argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0);
  std::fputs(usage, help ? stdout : stderr);
  return help ? 0 : 1;
}

}  // namespace sluice
