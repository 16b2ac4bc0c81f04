// sluice_agent.cpp: sluice-agent: the agent of one node.
#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "agent/exec/file.h"
#include "agent/inventory/inventory.h"
#include "agent/programs/command_line.h"
#include "agent/node/node_agent.h"
#include "common/base/clock.h"
#include "common/base/service_manager.h"
#include "common/log/log.h"
#include "common/options/config_file.h"
#include "common/options/config_io.h"

namespace sluice::agent {
namespace {

// Processes and threads of one run: enough for any honest job, and an end to a fork bomb.
constexpr std::uint32_t pids_max_of_run = 8192;

Result<ClusterConfig> read_configuration(const CommandLine& line) {
  ConfigFile file = line.config_file.empty() ? TRY(find_and_read_config())
                                             : TRY(read_config_file(line.config_file));
  for (const std::string& warning : file.warnings) log_warning(warning);
  return std::move(file.config);
}

std::string with_node_name(std::string path, const std::string& node) {
  for (std::size_t at = path.find("%n"); at != std::string::npos; at = path.find("%n", at))
    path.replace(at, 2, node);
  return path;
}

const NodeConfig* find_node(const ClusterConfig& config, const std::string& name) {
  for (const NodeConfig& node : config.nodes)
    if (node.name == name) return &node;
  return nullptr;
}

// What stays the same as long as the agent lives.
struct Beginning {
  std::string node;
  std::string spool_id;
  bool login = false;
  WallTime started;
};

Self describe_self(const ClusterConfig& config, const Beginning& beginning) {
  const Now now = read_clocks();
  Self self;
  self.node = beginning.node;
  self.login = beginning.login;
  self.identity.host = kernel_host_name();
  self.identity.boot_id = read_boot_id();
  self.identity.spool_id = beginning.spool_id;
  self.identity.version = SLUICE_VERSION;
  self.identity.os = operating_system();
  self.identity.arch = architecture();
  self.identity.booted = now.wall - now.steady.time_since_epoch();
  self.identity.agent_started = beginning.started;
  if (self.login) return self;
  self.shape = take_inventory();
  const NodeConfig* declared = find_node(config, self.node);
  self.pretended = declared && is_pretended(*declared, self.shape);
  if (self.pretended)
    log_warning("the configuration declares more than this machine has: the node is pretended");
  return self;
}

std::string program_beside(const std::string& name) {
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  return (self.parent_path() / name).string();
}

// Where the caller looks, also when the log goes to a file.
int terminal_fd = STDERR_FILENO;

void say_fatal(const Error& error) {
  const std::string line = "sluice-agent: fatal: " + to_text(error) + "\n";
  (void)write_all(STDERR_FILENO, line);
  if (terminal_fd != STDERR_FILENO) (void)write_all(terminal_fd, line);
}

// The shepherds' last words go to the same file.
Result<void> log_to(const std::string& path) {
  if (path.empty()) return {};
  const File file{open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640)};
  if (terminal_fd == STDERR_FILENO) terminal_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (!file || dup2(file.fd(), STDERR_FILENO) < 0) return system_error("log to", path);
  return {};
}

// The agent is the last to go when memory runs out; jobs are set back to normal by their shepherds.
void ask_to_be_spared() {
  if (geteuid() == 0) (void)write_kernel_file("/proc/self/oom_score_adj", "-900").ok();
}

// A node without runs leaves nothing behind in the kernel; the next agent makes its groups again.
Result<void> end_orderly(const Spool& spool, const CgroupRoot& cgroups) {
  const bool has_runs = !spool.runs().empty();
  log_info(has_runs ? "stopped; jobs go on under their shepherds" : "stopped");
  return has_runs ? Result<void>{} : remove_node_cgroup(cgroups.node);
}

// The first time and again: the log is opened anew, as after its rotation.
Result<ClusterConfig> read_and_log(const CommandLine& line, const std::string& name) {
  ClusterConfig config = TRY(read_configuration(line));
  TRY(log_to(with_node_name(config.paths.agent_log, name)));
  return config;
}

Result<void> run(const CommandLine& line, const ServiceManager& service) {
  const std::string name = line.name.empty() ? read_short_host_name() : line.name;
  const ClusterConfig config = TRY(read_and_log(line, name));
  const std::string spool_dir = line.spool.empty() ? config.paths.spool_dir : line.spool;
  Spool spool = TRY(Spool::open(with_node_name(spool_dir, name)));
  LeasePage lease = TRY(LeasePage::open(spool.lease_path()));
  if (!line.pid_file.empty()) std::ofstream(line.pid_file) << getpid() << "\n";
  ask_to_be_spared();

  NodeSetup setup;
  const Beginning beginning{name, spool.id(), line.login, read_clocks().wall};
  setup.settings = {config, describe_self(config, beginning)};
  setup.read_again = [&line, beginning]() -> Result<NodeSettings> {
    ClusterConfig again = TRY(read_and_log(line, beginning.node));
    Self self = describe_self(again, beginning);
    return NodeSettings{std::move(again), std::move(self)};
  };
  setup.key_file = config.paths.key_file;
  setup.agent_socket = with_node_name(config.paths.agent_socket, name);
  const NodeConfig* declared = find_node(config, name);
  setup.witness_port = declared && declared->port != 0 ? declared->port : config.agent_port;
  setup.login = line.login;
  setup.executor = {
      name,
      setup.settings.self.identity.host,
      setup.settings.self.identity.boot_id,
      program_beside("sluice-shepherd"),
      line.login ? CgroupRoot{}
                 : prepare_cgroup_root(cgroup_name_of(name, spool.id()), line.cgroup),
      pids_max_of_run};
  const CgroupRoot cgroups = setup.executor.cgroups;
  if (!cgroups.why.empty()) log_warning("memory limits are not enforced: " + cgroups.why);

  boost::asio::io_context io{1};
  NodeAgent agent{io, spool, lease, std::move(setup)};
  TRY(agent.start());
  boost::asio::signal_set stop{io, SIGTERM, SIGINT};
  stop.async_wait([&](const boost::system::error_code&, int) {
    service.stopping();
    io.stop();
  });
  boost::asio::signal_set reload{io, SIGHUP};
  std::function<void(const boost::system::error_code&, int)> on_reload =
      [&](const boost::system::error_code& failed, int) {
        if (failed) return;
        service.reloading();
        agent.reconfigure();
        service.ready();
        reload.async_wait(on_reload);
      };
  reload.async_wait(on_reload);
  service.ready();
  io.run();
  return end_orderly(spool, cgroups);
}

}  // namespace
}  // namespace sluice::agent

int main(int argc, char** argv) {
  using namespace sluice::agent;
  const CommandLine line = parse_command_line(argc, argv);
  sluice::open_error_log(line.name.empty() ? "sluice-agent" : line.name);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  const auto outcome = run(line, sluice::ServiceManager::from_environment());
  if (outcome.ok()) return 0;
  say_fatal(outcome.error());
  return 1;
}
