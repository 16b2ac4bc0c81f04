// up.cpp: makes the folder, the key and the configuration, starts the daemons, waits for the nodes.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/dev/verbs.h"
#include "common/options/config_file.h"

namespace sluice::dev {
namespace {

namespace fs = std::filesystem;

Error cannot(const std::string& path) {
  return Error{ErrorCode::io_error, fmt::format("{}: {}", path, std::strerror(errno))};
}

Result<std::string> make_temporary_folder() {
  // Another user's jobs must reach a cluster of root, so it cannot be in root's runtime folder.
  const char* runtime = geteuid() == 0 ? nullptr : std::getenv("XDG_RUNTIME_DIR");
  std::string path = (runtime && *runtime ? std::string(runtime) : "/tmp") + "/sluice-dev.XXXXXX";
  if (!mkdtemp(path.data())) return cannot(path);
  return path;
}

// An existing folder is taken when it is empty or holds a stopped cluster, whose state is kept.
Result<void> take_folder(const std::string& dir) {
  std::error_code failed;
  fs::create_directories(dir, failed);
  if (!fs::is_directory(dir)) return cannot(dir);
  if (!is_cluster_folder(dir) && !fs::is_empty(dir, failed))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{}: holds other files; name an empty or new folder", dir)};
  if (!is_cluster_folder(dir)) return {};
  Cluster earlier = TRY(load_cluster(dir));
  for (const std::string& daemon : earlier.daemons())
    if (running_daemon(earlier, daemon))
      return Error{ErrorCode::locked,
                   fmt::format("{}: its {} runs; `sluice dev down --dir {}` ends it", dir, daemon, dir)};
  return {};
}

Result<Cluster> plan_cluster(const UpRequest& request) {
  Cluster cluster;
  cluster.temporary = request.dir.empty();
  cluster.dir = full_path(cluster.temporary ? TRY(make_temporary_folder()) : request.dir);
  cluster.simulated = request.simulated;
  const std::string longest = cluster.socket(controller_name);
  if (longest.size() > socket_path_bytes_max)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{}: too long for a socket's path ({} bytes, at most {})", longest,
                             longest.size(), socket_path_bytes_max)};
  return cluster;
}

struct Folder {
  std::string path;
  mode_t mode;
};

Result<void> make_folder(const Folder& folder) {
  if (mkdir(folder.path.c_str(), folder.mode) != 0 && errno != EEXIST) return cannot(folder.path);
  if (chmod(folder.path.c_str(), folder.mode) != 0) return cannot(folder.path);
  return {};
}

// 0755 for what users must reach, 0700 for what only the daemons may read.
Result<void> make_folders(const Cluster& cluster) {
  for (const char* open_to_users : {"", "/run", "/log"})
    TRY(make_folder({cluster.dir + open_to_users, 0755}));
  return make_folder({cluster.state_dir(), 0700});
}

// 32 random bytes in hexadecimal digits, readable by the owner alone.
Result<void> make_key(const std::string& path) {
  unsigned char bytes[32];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return cannot(path);
  std::string text;
  for (unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  text += "\n";
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 && errno == EEXIST) return {};
  if (fd < 0) return cannot(path);
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  if (!written) return cannot(path);
  return {};
}

Result<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return cannot(path);
  return {};
}

// In single quotes, so that a shell takes it as it is.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void print_exports(const Cluster& cluster) {
  fmt::print("export PATH={}:\"$PATH\"\n", shell_quoted(program_dir()));
  // A colon at its end stands for the pages of the system.
  if (const std::string pages = program_dir() + "/../share/man"; fs::is_directory(pages))
    fmt::print("export MANPATH={}:\"${{MANPATH:-}}\"\n",
               shell_quoted(fs::canonical(pages).string()));
  fmt::print("export SLUICE_CONF={}\n", shell_quoted(cluster.config_file()));
  fmt::print("export SLUICE_DEV_DIR={}\n", shell_quoted(cluster.dir));
}

// Learns the nodes by reading the finished configuration as the daemons will.
Result<void> take_nodes(Cluster& cluster, const ConfigFile& file) {
  if (cluster.simulated > 0) {
    cluster.simulated = static_cast<unsigned>(file.config.nodes.size());
    return {};
  }
  for (const NodeConfig& node : file.config.nodes) {
    TRY(make_folder({cluster.spool_dir(node.name), 0755}));
    cluster.nodes.push_back(node.name);
  }
  return {};
}

Result<void> write_files(const UpRequest& request, Cluster& cluster) {
  const std::string configuration = TRY(make_configuration(request, cluster));
  TRY(make_folders(cluster));
  TRY(make_key(cluster.key_file()));
  TRY(write_text(cluster.config_file(), configuration));
  const ConfigFile as_read = TRY(read_config_file(cluster.config_file()));
  TRY(take_nodes(cluster, as_read));
  return save_cluster(cluster);
}

Result<void> start_all(const Cluster& cluster, unsigned wait_s) {
  for (const std::string& daemon : cluster.daemons()) TRY(start(cluster, daemon));
  return wait_until_usable(cluster, std::chrono::seconds{wait_s});
}

}  // namespace

Result<void> up(const UpRequest& request) {
  if (!request.dir.empty()) TRY(take_folder(request.dir));
  Cluster cluster = TRY(plan_cluster(request));
  if (Result<void> written = write_files(request, cluster); !written) {
    std::error_code ignored;
    if (cluster.temporary) fs::remove_all(cluster.dir, ignored);
    return written;
  }
  if (Result<void> started = start_all(cluster, request.wait_s); !started) {
    // The first error is the one to tell: it carries the ends of the logs.
    static_cast<void>(down(cluster.dir).ok());
    return started;
  }
  print_exports(cluster);
  return {};
}

}  // namespace sluice::dev
