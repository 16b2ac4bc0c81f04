// cluster_key.h: the secret that all machines of a cluster share, and what is derived from it.
//
// The key file is readable by its owner alone (root or the daemon's user); one of root's may be
// readable by its group too, that of a controller that is not root. Its text, blanks and line
// ends left out, is the key: at least 32 characters, for example of
//   head -c 64 /dev/urandom | base64
// A machine that shall speak for one node only holds "node:NAME:FINGERPRINT:HEX" instead
// (node_key_text()). During a rotation a second key is accepted: that of FILE.old as long as this
// file exists, and after a reload the key before it for old_key_grace. Nothing secret is ever part
// of a text or log line; keys are named by their fingerprint.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace sluice {

constexpr Duration old_key_grace = std::chrono::hours{1};

class ClusterKey {
 public:
  // Errors: key_unusable with the path and what to do about it.
  static Result<ClusterKey> read(const std::string& path, WallTime now);
  // Of a text that is not in a file; `path` is for messages.
  static Result<ClusterKey> parse(std::string_view text, const std::string& path, WallTime now);

  // 8 hex digits of a hash over something derived: tells keys apart, gives nothing away.
  const std::string& fingerprint() const { return fingerprint_; }
  // Set when only the key of this one node is held.
  const std::string& only_node() const { return only_node_; }
  // "key 1a2b3c4d of /etc/sluice/cluster.key, loaded 2026-11-30T08:00:00"
  std::string description() const;

  // The pre-shared key of a node's connection, 32 bytes; none for another node than only_node().
  std::optional<std::string> node_secret(std::string_view node) const;
  // 32 bytes; none where only one node's key is held (the controller sends it in node_accepted).
  std::optional<std::string> witness_secret() const;
  // The text of a key file that serves this node alone. Requires the whole key.
  std::string node_key_text(std::string_view node) const;

  bool is_same_key(const ClusterKey& other) const;

 private:
  std::string derive(std::string_view info) const;

  std::string secret_;  // the whole key, or the secret of only_node_
  std::string only_node_;
  std::string fingerprint_;
  std::string path_;
  WallTime loaded_;
};

// The keys a process accepts now.
class KeyRing {
 public:
  // Reads `path` and, if it is there, `path`.old. Errors: key_unusable.
  static Result<KeyRing> load(const std::string& path, const Now& now);
  explicit KeyRing(ClusterKey key) : current_(std::move(key)) {}

  // Reads the files again. A changed key takes over, the one before it stays accepted for
  // old_key_grace. On error (key_unusable) the ring is unchanged.
  Result<void> reload(const Now& now);
  // Like reload(), if the file is another one than that read last; says whether it was.
  Result<bool> reload_if_changed(const Now& now);

  const ClusterKey& current() const { return current_; }
  // Current key first. Keys whose grace is over are left out.
  std::vector<const ClusterKey*> accepted(const Now& now) const;
  // The accepted key of this fingerprint, or null.
  const ClusterKey* find(std::string_view fingerprint, const Now& now) const;
  // description() of all accepted keys, for refusals.
  std::string description(const Now& now) const;

 private:
  ClusterKey current_;
  std::optional<ClusterKey> before_;  // replaced at replaced_at_
  SteadyTime replaced_at_;
  std::optional<ClusterKey> old_file_;
  std::string path_;
  std::string file_stamp_;            // inode and times of the file read last
};

}  // namespace sluice
