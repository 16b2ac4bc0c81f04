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

namespace sluice {
namespace {

constexpr const char* usage =
    "Usage: sluice admin backup FILE\n"
    "\n"
    "  backup FILE   write a verified copy of the controller's state, while it runs, to FILE on the\n"
    "                controller's host. To restore: stop sluiced, copy FILE over STATE/state.db,\n"
    "                remove STATE/state.db-wal and STATE/state.db-shm, start sluiced. Keep\n"
    "                STATE/id_floor: it is what keeps job ids from being given twice.\n";

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

}  // namespace

int run_admin(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "backup") == 0) return back_up(argv[0], argv[2]);
  const bool help = argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0);
  std::fputs(usage, help ? stdout : stderr);
  return help ? 0 : 1;
}

}  // namespace sluice
