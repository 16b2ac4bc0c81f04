// main.cpp: sluiced, the controller. Reads as a recipe; every step is elsewhere.
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/service_manager.h"
#include "common/log/log.h"
#include "common/options/config_file.h"
#include "daemon/server/command_line.h"
#include "daemon/server/reactor.h"
#include "daemon/store/sqlite_store.h"
#include "daemon/store/state_folder.h"

namespace sluice {
namespace {

ConfigSource source_of(const CommandLine& line) {
  if (line.config_path.empty()) return find_config_source();
  return {line.config_path, ConfigOwner::sluice};
}

struct OpenedState {
  StateFolder folder;
  std::unique_ptr<BallastedSpace> space;
  ReactorParts parts;
};

Result<OpenedState> open_state(const ClusterConfig& config) {
  OpenedState state{TRY(StateFolder::open(config.paths.state_dir)), nullptr, {}};
  state.space = std::make_unique<BallastedSpace>(
      config.paths.state_dir, BallastPlan{.reserve_bytes = 16U << 20, .ballast_bytes = 8U << 20});
  StoreOptions options{.path = state.folder.database_path(), .space = state.space.get()};
  state.parts.store = TRY(open_store(options));
  state.parts.loop_history = TRY(open_history(options));
  state.parts.reader_history = TRY(open_history(options));
  state.parts.loaded = TRY(state.parts.store->load_all());
  state.parts.id_floor = std::make_unique<IdFloor>(TRY(IdFloor::open(
      make_durable_file(state.folder.id_floor_path()), state.parts.loaded.highest_job)));
  state.parts.loaded.unrecorded = state.parts.id_floor->unrecorded();
  state.parts.loaded.is_restored = state.parts.id_floor->is_restored();
  state.parts.space = state.space.get();
  return state;
}

// A key file for a machine that shall speak for this one node or login host only.
Result<void> print_node_key(const CommandLine& line) {
  const ClusterConfig config = TRY(read_config(source_of(line))).config;
  const ClusterKey key = TRY(KeyRing::load(config.paths.key_file, read_clocks())).current();
  if (!key.only_node().empty())
    return Error{ErrorCode::key_unusable, fmt::format("{} holds the key of {} alone",
                                                      config.paths.key_file, key.only_node())};
  std::fputs(key.node_key_text(line.node_key_of).c_str(), stdout);
  return {};
}

ListenerHandlers handlers_for(Reactor& reactor) {
  ListenerHandlers handlers;
  handlers.on_connection = [&reactor](ConnectionPtr connection) {
    reactor.accept(std::move(connection));
  };
  handlers.on_refused = [](const std::string& address, const Error& error) {
    log_warning("{} refused: {}", address, to_text(error));
  };
  handlers.on_refused_silently = [](std::size_t count) {
    log_warning("{} more peers were refused within a second", count);
  };
  return handlers;
}

Result<void> run(const CommandLine& line, const ServiceManager& service) {
  const ConfigSource source = source_of(line);
  ConfigFile file = TRY(read_config(source));
  open_log(file.config.paths.controller_log);
  for (const std::string& warning : file.warnings) log_warning("{}", warning);
  raise_descriptor_limit();
  OpenedState opened = TRY(open_state(file.config));
  opened.parts.config = std::make_shared<const ClusterConfig>(file.config);
  opened.parts.keys =
      std::make_shared<KeyRing>(TRY(KeyRing::load(file.config.paths.key_file, read_clocks())));
  opened.parts.admin_uid = look_up_uid(file.config.slurm_user).value_or(0);
  opened.parts.read_config = [source]() -> Result<ClusterConfig> {
    return TRY(read_config(source)).config;
  };
  const KeyRingPtr keys = opened.parts.keys;
  IoContext io(1);
  Reactor reactor(io, std::move(opened.parts));
  reactor.recover();
  const ListenerPtr local =
      TRY(listen_unix(io, file.config.paths.controller_socket, handlers_for(reactor)));
  const ListenerPtr remote =
      TRY(listen_tls(io, {file.config.controller_address, file.config.controller_port}, keys,
                     handlers_for(reactor)));
  reactor.serve_metrics();
  boost::asio::signal_set stop(io, SIGTERM, SIGINT);
  stop.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    service.stopping();
    reactor.finish();
  });
  boost::asio::signal_set reload(io, SIGHUP);
  std::function<void(const boost::system::error_code&, int)> on_reload =
      [&](const boost::system::error_code& error, int) {
        if (error) return;
        service.reloading();
        if (auto done = reactor.reconfigure({}); !done)
          log_error("reconfigure: {}; the old configuration stays", to_text(done.error()));
        service.ready();
        reload.async_wait(on_reload);
      };
  reload.async_wait(on_reload);
  if (!line.pid_file.empty())
    if (auto written = replace_file(line.pid_file, std::to_string(getpid()) + "\n"); !written)
      return written;
  log_info("sluiced {} serves cluster {} on {} and port {}; {}", SLUICE_VERSION,
           file.config.cluster_name, file.config.paths.controller_socket, remote->port(),
           keys->description(read_clocks()));
  service.ready();
  io.run();
  reactor.finish();
  log_info("ended");
  return {};
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  const sluice::CommandLine line = sluice::parse_command_line(argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  const auto service = sluice::ServiceManager::from_environment();
  const bool wants_key = !line.node_key_of.empty();
  if (auto done = wants_key ? sluice::print_node_key(line) : sluice::run(line, service); !done) {
    sluice::log_critical("{}", sluice::to_text(done.error()));
    std::fprintf(stderr, "sluiced: fatal: %s\n", sluice::to_text(done.error()).c_str());
    return 1;
  }
  return 0;
}
