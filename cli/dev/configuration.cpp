// configuration.cpp: writes slurm.conf's lines, asks the machine for its size and for free ports.
#include "cli/dev/configuration.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include "common/options/config_text.h"
#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice::dev {
namespace {

// A port of the loopback device that is free for TCP and UDP. The sockets are kept open until the
// configuration is complete, so that no port is found twice.
class FreePorts {
 public:
  FreePorts() = default;
  FreePorts(const FreePorts&) = delete;
  FreePorts& operator=(const FreePorts&) = delete;
  ~FreePorts() {
    for (int socket : sockets_) close(socket);
  }

  Result<std::uint16_t> next() {
    constexpr int tries_max = 20;
    for (int i = 0; i < tries_max; ++i) {
      std::uint16_t port = bind_to(SOCK_STREAM, 0);
      if (port != 0 && bind_to(SOCK_DGRAM, port) == port) return port;
    }
    return Error{ErrorCode::io_error,
                 fmt::format("no free port on 127.0.0.1: {}", std::strerror(errno))};
  }

 private:
  // 0: could not.
  std::uint16_t bind_to(int type, std::uint16_t port) {
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    sockets_.push_back(fd);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(fd, generic, size) != 0 || getsockname(fd, generic, &size) != 0) return 0;
    return ntohs(address.sin_port);
  }

  std::vector<int> sockets_;
};

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  std::string full = name;
  return full.substr(0, full.find('.'));
}

std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry ? entry->pw_name : std::to_string(geteuid());
}

// Nine tenths of the machine's memory, so that jobs which use all they may leave room to the rest.
std::uint64_t machine_mem_mb() {
  const std::uint64_t pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const std::uint64_t page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return pages * page_bytes / (1024 * 1024) * 9 / 10;
}

Result<std::string> node_attributes(const UpRequest& request) {
  const unsigned cpus = request.cpus ? request.cpus : std::thread::hardware_concurrency();
  std::uint64_t mem_mb = machine_mem_mb() / (request.simulated ? 1 : request.nodes);
  if (!request.mem.empty()) mem_mb = TRY(parse_memory_mb(request.mem));
  std::string text = fmt::format("NodeAddr=127.0.0.1 CPUs={} RealMemory={}", cpus, mem_mb);
  if (!request.gpus.empty()) text += " Gres=gpu:" + request.gpus;
  return text + " State=UNKNOWN";
}

struct ControllerPorts {
  std::uint16_t commands = 0;
  std::uint16_t witness = 0;
  std::uint16_t metrics = 0;
};

std::string general_lines(const Cluster& cluster, const ControllerPorts& ports) {
  std::string text = "# A private cluster of `sluice dev up`. Lines at the end win.\n";
  auto line = [&text](const char* key, const auto& value) {
    text += fmt::format("{}={}\n", key, value);
  };
  line("ClusterName", "dev");
  line("SlurmctldHost", host_name() + "(127.0.0.1)");
  line("SlurmctldPort", ports.commands);
  line("SlurmdPort", ports.witness);
  line("SluiceMetricsAddr", fmt::format("127.0.0.1:{}", ports.metrics));
  line("SlurmUser", user_name());
  line("SluiceControllerSocket", cluster.socket(controller_name));
  line("SluiceAgentSocket", cluster.socket("%n"));
  line("SluiceKeyFile", cluster.key_file());
  line("StateSaveLocation", cluster.state_dir());
  line("SlurmdSpoolDir", cluster.spool_dir("%n"));
  line("SlurmctldLogFile", cluster.log_file(controller_name));
  line("SlurmdLogFile", cluster.log_file("%n"));
  line("MaxArraySize", 1000001);
  line("MaxJobCount", 2000000);
  line("MinJobAge", 300);
  line("SlurmdTimeout", 30);
  line("KillWait", 30);
  if (geteuid() == 0) line("DisableRootJobs", "NO");
  return text;
}

struct ExtraLines {
  std::string text;
  bool has_nodes = false;
  bool has_partitions = false;
};

Result<ExtraLines> read_extra_lines(const std::string& path) {
  if (path.empty()) return ExtraLines{};
  ExtraLines extra;
  for (const ConfigLine& line : TRY(read_config_lines(path))) {
    extra.has_nodes |= equals_ignoring_case(line[0].key, "NodeName");
    extra.has_partitions |= equals_ignoring_case(line[0].key, "PartitionName");
  }
  extra.text = fmt::format("Include {}\n", std::filesystem::absolute(path).string());
  return extra;
}

Result<std::string> node_lines(const UpRequest& request, FreePorts& ports) {
  const std::string attributes = TRY(node_attributes(request));
  std::string text = request.gpus.empty() ? "" : "GresTypes=gpu\n";
  if (request.simulated > 0)
    return text + fmt::format("NodeName=n[1-{}] {}\n", request.simulated, attributes);
  for (unsigned i = 1; i <= request.nodes; ++i)
    text += fmt::format("NodeName=n{} NodeHostname={} Port={} {}\n", i, host_name(),
                        TRY(ports.next()), attributes);
  return text;
}

}  // namespace

Result<std::string> make_configuration(const UpRequest& request, const Cluster& cluster) {
  FreePorts ports;
  const ControllerPorts of_controller{TRY(ports.next()), TRY(ports.next()), TRY(ports.next())};
  std::string text = general_lines(cluster, of_controller);

  const ExtraLines extra = TRY(read_extra_lines(request.extra_config));
  if (!extra.has_nodes) text += TRY(node_lines(request, ports));
  if (!extra.has_partitions)
    text += "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
  return text + extra.text;
}

}  // namespace sluice::dev
