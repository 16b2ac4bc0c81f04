// cluster_key.cpp: reads key files with their owner and mode, derives secrets by HKDF.
#include "common/net/cluster_key.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/net/crypto.h"

namespace sluice {
namespace {

constexpr std::size_t key_characters_min = 32;
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t file_bytes_max = 64U << 10;
constexpr std::string_view node_prefix = "node:";

Error unusable(const std::string& path, std::string_view text) {
  return Error{ErrorCode::key_unusable, fmt::format("{}: {}", path, text)};
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') out.push_back(c);
  return out;
}

struct File {
  explicit File(const std::string& path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

Result<void> check_file(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return unusable(path, "is not a regular file");
  if (status.st_uid != 0 && status.st_uid != geteuid())
    return unusable(path, fmt::format("belongs to uid {}, must belong to uid {} or root: "
                                      "chown it", status.st_uid, geteuid()));
  // A controller that is not root reads root's file by its group, as it cannot change it then.
  const mode_t too_much = status.st_uid == 0 ? 037 : 077;
  if ((status.st_mode & too_much) != 0)
    return unusable(path, fmt::format("mode {:04o} lets others in: run chmod 600 {}",
                                      status.st_mode & 07777, path));
  return {};
}

Result<std::string> read_key_text(const std::string& path) {
  const File file{path};
  if (file.fd < 0 && errno == ENOENT)
    return unusable(path, fmt::format("there is no cluster key; copy it from another machine of the "
                                      "cluster, or make one: (umask 077; head -c 64 /dev/urandom | "
                                      "base64 > {})", path));
  if (file.fd < 0) return unusable(path, std::strerror(errno));
  struct stat status {};
  if (fstat(file.fd, &status) != 0) return unusable(path, std::strerror(errno));
  TRY(check_file(path, status));
  std::string text(file_bytes_max + 1, '\0');
  const ssize_t count = ::read(file.fd, text.data(), text.size());
  if (count < 0) return unusable(path, std::strerror(errno));
  if (static_cast<std::size_t>(count) > file_bytes_max) return unusable(path, "is too long");
  text.resize(static_cast<std::size_t>(count));
  return text;
}

// Changes when the file is replaced or rewritten.
std::string stamp_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "missing";
  return fmt::format("{}:{}:{}.{}:{}.{}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

std::string local_time(WallTime time) {
  const std::time_t seconds = to_seconds(time);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", parts);
}

}  // namespace

Result<ClusterKey> ClusterKey::read(const std::string& path, WallTime now) {
  return parse(TRY(read_key_text(path)), path, now);
}

Result<ClusterKey> ClusterKey::parse(std::string_view text, const std::string& path, WallTime now) {
  ClusterKey key;
  key.path_ = path;
  key.loaded_ = now;
  const std::string stripped = without_blanks(text);
  if (!stripped.starts_with(node_prefix)) {
    if (stripped.size() < key_characters_min)
      return unusable(path, fmt::format("is too short: {} characters, at least {} are needed",
                                        stripped.size(), key_characters_min));
    key.secret_ = stripped;
    key.fingerprint_ = crypto::to_hex(crypto::sha256(key.derive("id"))).substr(0, 8);
    return key;
  }
  const std::string_view rest = std::string_view{stripped}.substr(node_prefix.size());
  const std::size_t first = rest.find(':');
  const std::size_t second = rest.find(':', first == std::string_view::npos ? first : first + 1);
  if (second != std::string_view::npos) {
    key.only_node_ = rest.substr(0, first);
    key.fingerprint_ = rest.substr(first + 1, second - first - 1);
    key.secret_ = crypto::from_hex(rest.substr(second + 1));
  }
  if (key.only_node_.empty() || key.fingerprint_.size() != 8 || key.secret_.size() != secret_bytes)
    return unusable(path, "a node's key must read node:NAME:FINGERPRINT:HEX");
  return key;
}

std::string ClusterKey::description() const {
  return fmt::format("key {} of {}, loaded {}", fingerprint_, path_, local_time(loaded_));
}

std::string ClusterKey::derive(std::string_view info) const {
  return crypto::hkdf_sha256({.secret = secret_, .salt = "sluice1", .info = info}, secret_bytes);
}

std::optional<std::string> ClusterKey::node_secret(std::string_view node) const {
  if (only_node_.empty()) return derive(fmt::format("node:{}", node));
  if (node == only_node_) return secret_;
  return std::nullopt;
}

std::optional<std::string> ClusterKey::witness_secret() const {
  if (!only_node_.empty()) return std::nullopt;
  return derive("witness");
}

std::string ClusterKey::node_key_text(std::string_view node) const {
  ASSERT(only_node_.empty());
  return fmt::format("{}{}:{}:{}\n", node_prefix, node, fingerprint_,
                     crypto::to_hex(*node_secret(node)));
}

bool ClusterKey::is_same_key(const ClusterKey& other) const {
  return only_node_ == other.only_node_ && crypto::are_equal(secret_, other.secret_);
}

Result<KeyRing> KeyRing::load(const std::string& path, const Now& now) {
  const std::string stamp = stamp_of(path);
  KeyRing ring{TRY(ClusterKey::read(path, now.wall))};
  ring.path_ = path;
  ring.file_stamp_ = stamp;
  const std::string old_path = path + ".old";
  if (access(old_path.c_str(), F_OK) == 0) ring.old_file_ = TRY(ClusterKey::read(old_path, now.wall));
  return ring;
}

Result<void> KeyRing::reload(const Now& now) {
  ASSERT(!path_.empty());
  KeyRing fresh = TRY(load(path_, now));
  if (!fresh.current_.is_same_key(current_)) {
    fresh.before_ = std::move(current_);
    fresh.replaced_at_ = now.steady;
  } else {
    fresh.before_ = std::move(before_);
    fresh.replaced_at_ = replaced_at_;
  }
  *this = std::move(fresh);
  return {};
}

Result<bool> KeyRing::reload_if_changed(const Now& now) {
  if (stamp_of(path_) == file_stamp_) return false;
  TRY(reload(now));
  return true;
}

std::vector<const ClusterKey*> KeyRing::accepted(const Now& now) const {
  std::vector<const ClusterKey*> keys{&current_};
  if (before_ && now.steady < replaced_at_ + old_key_grace) keys.push_back(&*before_);
  if (old_file_) keys.push_back(&*old_file_);
  return keys;
}

const ClusterKey* KeyRing::find(std::string_view fingerprint, const Now& now) const {
  for (const ClusterKey* key : accepted(now))
    if (key->fingerprint() == fingerprint) return key;
  return nullptr;
}

std::string KeyRing::description(const Now& now) const {
  std::string out;
  for (const ClusterKey* key : accepted(now)) {
    if (!out.empty()) out += " and ";
    out += key->description();
  }
  return out;
}

}  // namespace sluice
