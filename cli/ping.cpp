// ping.cpp: `sluice ping`: is there a controller, and which one.
#include <fmt/format.h>

#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/print.h"

namespace sluice {

int run_ping(int, char** argv) {
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  Client client(*config);
  const Result<PingReply> reply = client.call<PingReply>(Ping{});
  if (!reply.ok()) return print_error(argv[0], reply.error()), exit_code_of(reply.error());
  const std::string text = fmt::format("{} at {} (pid {}, version {}) is UP\n", reply->cluster,
                                       reply->host, reply->pid, reply->version);
  return print_result(text) ? 0 : 1;
}

}  // namespace sluice
