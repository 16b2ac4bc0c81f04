// peer.h: who is at the other end of a connection, and how that was proved.
#pragma once

#include <cstdint>
#include <string>

namespace sluice {

enum class PeerKind {
  local_user,  // Unix socket: the kernel's word
  node,        // TLS: holds the key of this node's name
  controller,  // TLS, dialled by us: holds the same key
};

struct PeerIdentity {
  PeerKind kind = PeerKind::local_user;
  std::uint32_t uid = 0;        // local_user
  std::uint32_t gid = 0;        // local_user
  std::int32_t pid = 0;         // local_user; 0: not in our pid namespace
  std::string node;             // node: its proved name
  std::string key_fingerprint;  // node, controller: the key that proved it
  std::string address;          // "HOST:PORT" of TCP, the socket's path of Unix

  bool operator==(const PeerIdentity&) const = default;
};

// For logs: "uid 1000 (pid 7)", "node n1 at 10.0.0.1:4711".
std::string to_text(const PeerIdentity& peer);

}  // namespace sluice
