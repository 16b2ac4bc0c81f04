// doctor.cpp: `sluice doctor`: looks for what is wrong on this machine and in the cluster, a line a check,
// with the remedy. Changes nothing. Needs no controller: that there is none is one of its findings.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "cli/accounts_of_machine.h"
#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/getent.h"
#include "cli/listing/options.h"
#include "cli/print.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/hostlist.h"

namespace sluice {
namespace {

enum class Verdict { good, not_here, doubtful, bad };
constexpr const char* verdict_words[] = {"ok", "-", "warning", "BAD"};

struct Finding {
  Verdict verdict = Verdict::good;
  std::string text;    // what was found, with its numbers
  std::string remedy;  // empty: nothing need be done
};

// What the checks look at, asked for once.
struct Patient {
  ClusterConfig config;
  Result<ConfigReply> controller;
  WallTime asked_at;
  Result<NodesReply> nodes;
  bool is_controller_host = false;  // its state is here
  bool is_node = false;             // an agent's socket is here
};

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

Finding check_controller(const Patient& patient) {
  if (patient.controller.ok())
    return {Verdict::good, fmt::format("cluster {} at {}, version {}",
                                       patient.controller->config.cluster_name,
                                       patient.controller->host, patient.controller->version), ""};
  return {Verdict::bad, to_text(patient.controller.error()),
          "start it (systemctl start sluiced) or look at its log; on other hosts start sluice-agent"};
}

Finding check_key(const Patient& patient) {
  const std::string& path = patient.config.paths.key_file;
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 && errno == EACCES)
    return {Verdict::not_here, fmt::format("{}: only root may look", path), ""};
  if (stat(path.c_str(), &found) != 0)
    return {patient.is_controller_host || patient.is_node ? Verdict::bad : Verdict::not_here,
            fmt::format("{}: {}", path, std::strerror(errno)),
            "copy the key file of the controller there, mode 0600, of root"};
  if ((found.st_mode & 077) != 0)
    return {Verdict::bad, fmt::format("{} has mode {:04o}: others may read it", path,
                                      found.st_mode & 07777),
            fmt::format("chmod 600 {}; then make a new key, this one may be known", path)};
  return {Verdict::good, path, ""};
}

Finding check_clock(const Patient& patient) {
  if (!patient.controller.ok()) return {Verdict::not_here, "no controller to compare with", ""};
  const auto skew = std::chrono::duration<double>(patient.controller->as_of - patient.asked_at).count();
  const std::string text = fmt::format("{:+.1f} s to the controller's clock", -skew);
  if (std::abs(skew) < 2) return {Verdict::good, text, ""};
  return {std::abs(skew) < 60 ? Verdict::doubtful : Verdict::bad, text,
          "let both machines follow the same time server (systemctl status systemd-timesyncd)"};
}

Finding check_users(const Patient& patient) {
  const std::string& name = patient.config.slurm_user;
  if (find_user(name)) return {Verdict::good, fmt::format("SlurmUser {} is known", name), ""};
  return {Verdict::bad, fmt::format("SlurmUser {} is no user of this machine", name),
          fmt::format("useradd --system {}, or write another SlurmUser", name)};
}

// Of a folder that a daemon writes to.
Finding check_folder(const std::string& path, std::uint64_t free_mb_min) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0)
    return {Verdict::bad, fmt::format("{}: {}", path, std::strerror(errno)),
            fmt::format("mkdir -p {}, of the user who runs the daemon", path)};
  struct statvfs space {};
  if (statvfs(path.c_str(), &space) != 0)
    return {Verdict::bad, fmt::format("{}: {}", path, std::strerror(errno)), "look at its file system"};
  const std::uint64_t free_mb = space.f_bavail * space.f_frsize >> 20;
  const std::uint64_t files_free = space.f_files == 0 ? UINT64_MAX : space.f_favail;
  const std::string text = fmt::format("{}: {} MB free", path, free_mb);
  if ((space.f_flag & ST_RDONLY) != 0)
    return {Verdict::bad, text + ", read-only", "mount it for writing"};
  if (free_mb >= free_mb_min && files_free > 10'000) return {Verdict::good, text, ""};
  return {free_mb * 4 < free_mb_min || files_free == 0 ? Verdict::bad : Verdict::doubtful,
          files_free > 10'000 ? text : fmt::format("{}, {} files free", text, files_free),
          "make room on this file system"};
}

Finding check_state(const Patient& patient) {
  if (!patient.is_controller_host) return {Verdict::not_here, "the state is on another machine", ""};
  return check_folder(patient.config.paths.state_dir, 1024);
}

Finding check_spool(const Patient& patient) {
  if (!patient.is_node) return {Verdict::not_here, "no agent serves here", ""};
  std::string folder = patient.config.paths.spool_dir;
  if (const std::size_t name = folder.find("%n"); name != std::string::npos)
    folder = folder.substr(0, folder.rfind('/', name));
  return check_folder(folder, 256);
}

Finding check_cgroups(const Patient&) {
  if (exists("/sys/fs/cgroup/cgroup.controllers"))
    return {Verdict::good, "version 2 at /sys/fs/cgroup", ""};
  std::string missing;
  for (const char* controller : {"memory", "pids"})
    if (!exists(fmt::format("/sys/fs/cgroup/{}/cgroup.procs", controller)))
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", controller);
  if (missing.empty()) return {Verdict::good, "version 1: memory and pids", ""};
  return {Verdict::doubtful, fmt::format("no hierarchy of {}: memory limits are not enforced here", missing),
          "mount the cgroup file systems (a machine that runs systemd has them)"};
}

// The first address of a host; the family is AF_UNSPEC where it has none.
sockaddr_storage address_of(const std::string& host, std::uint16_t port) {
  const auto line = getent("ahosts", host);
  const std::string text = line ? line->substr(0, line->find(' ')) : "";
  sockaddr_storage address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
  } else if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
  }
  return address;
}

Result<void> reach_tcp(const std::string& host, std::uint16_t port) {
  constexpr int wait_ms_max = 2000;
  const auto failed = [](const char* why) { return Error{ErrorCode::io_error, why}; };
  const sockaddr_storage address = address_of(host, port);
  if (address.ss_family == AF_UNSPEC) return failed("no host of this name is known");
  const UniqueFd line(socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!line) return failed(std::strerror(errno));
  if (connect(line.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return {};
  pollfd waited{line.get(), POLLOUT, 0};
  if (errno != EINPROGRESS) return failed(std::strerror(errno));
  if (poll(&waited, 1, wait_ms_max) != 1) return failed("no answer within 2 s");
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(line.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? Result<void>{} : failed(std::strerror(error));
}

// As a node would: from this machine to the controller's port.
Finding check_port(const Patient& patient) {
  const ClusterConfig& config = patient.config;
  const std::string place = fmt::format("{}:{}", config.controller_address, config.controller_port);
  const Result<void> reached = reach_tcp(config.controller_address, config.controller_port);
  if (reached.ok()) return {Verdict::good, fmt::format("{} accepts connections", place), ""};
  return {Verdict::bad, fmt::format("{}: {}", place, reached.error().detail),
          "open the port in the firewall, or correct SlurmctldHost=HOST(ADDRESS) and SluiceControllerPort"};
}

Finding check_nodes(const Patient& patient) {
  if (!patient.nodes.ok()) return {Verdict::not_here, "no controller to ask", ""};
  std::vector<std::string> away, drained;
  for (const NodeInfo& info : patient.nodes->nodes) {
    if (info.node.state != NodeState::up) away.push_back(info.node.name);
    else if (info.node.drain) drained.push_back(info.node.name);
  }
  const std::size_t all = patient.nodes->nodes.size();
  std::string text = fmt::format("{} of {} serve", all - away.size() - drained.size(), all);
  if (!away.empty()) text += fmt::format("; not heard of: {}", compress_hostlist(away));
  if (!drained.empty()) text += fmt::format("; drained: {}", compress_hostlist(drained));
  if (away.empty() && drained.empty()) return {Verdict::good, text, ""};
  return {away.empty() ? Verdict::doubtful : Verdict::bad, text,
          "sinfo -R says why; start sluice-agent there and read its log; scontrol update NodeName=... "
          "State=RESUME"};
}

struct Check {
  const char* name;
  Finding (*look)(const Patient&);
};
constexpr Check checks[] = {
    {"controller", check_controller}, {"key", check_key},     {"clock", check_clock},
    {"port", check_port},             {"users", check_users}, {"state", check_state},
    {"spool", check_spool},           {"cgroups", check_cgroups}, {"nodes", check_nodes},
};

Patient examine(ClusterConfig config) {
  Client client(config);
  const WallTime asked_at = read_clocks().wall;
  Result<ConfigReply> controller = client.call<ConfigReply>(QueryConfig{});
  const Error unasked{ErrorCode::no_controller, ""};
  Result<NodesReply> nodes =
      controller.ok() ? client.call<NodesReply>(QueryNodes{}) : Result<NodesReply>(unasked);
  const PathConfig paths = config.paths;
  return {std::move(config), std::move(controller), asked_at, std::move(nodes),
          exists(paths.controller_socket) || exists(paths.state_dir), exists(paths.agent_socket)};
}

struct NoOptions {};

}  // namespace

int run_doctor(int argc, char** argv) {
  NoOptions options;
  const CommandLine line = read_options<NoOptions>(argc, argv, {"sluice doctor"}, {}, options);
  if (line.exit_code) return *line.exit_code;
  Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  const Patient patient = examine(std::move(config).value());
  std::string out;
  bool is_well = true;
  for (const Check& check : checks) {
    const Finding finding = check.look(patient);
    is_well = is_well && finding.verdict != Verdict::bad;
    out += fmt::format("{:<10} {:<7} {}{}{}\n", check.name,
                       verdict_words[static_cast<std::size_t>(finding.verdict)], finding.text,
                       finding.remedy.empty() ? "" : ". Remedy: ", finding.remedy);
  }
  if (!print_result(out)) return 1;
  return is_well ? 0 : 1;
}

}  // namespace sluice
