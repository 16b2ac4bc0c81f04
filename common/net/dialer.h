// dialer.h: connects to a listener of this folder: a node's agent to its controller, or any process
// to a Unix socket. Never blocks. Whoever dials decides when to dial again (retry_delay()).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/net/connection.h"
#include "common/net/io_fwd.h"
#include "common/net/listener.h"

namespace sluice {

using OnDialled = std::function<void(Result<ConnectionPtr>)>;

struct DialTarget {
  std::string host;  // name or numeric address
  std::uint16_t port = 0;
  std::string node;  // the name to speak for
};

// A dial that is under way; destroying it ends it, and `on_dialled` is then not called.
class Dial {
 public:
  virtual ~Dial() = default;
};
using DialPtr = std::unique_ptr<Dial>;

// Calls `on_dialled` once, from the loop: the connection proved and not started, or
//   no_controller          nobody listens there, or it does not answer within handshake_ms
//   authentication_failed  the keys differ; the text names both, their file and when it was loaded
//   protocol_error         it is no controller of Sluice
DialPtr dial_tls(IoContext& io, const DialTarget& target, KeyRingPtr keys, OnDialled on_dialled,
                 const ConnectionLimits& limits = {});
DialPtr dial_unix(IoContext& io, const std::string& path, OnDialled on_dialled,
                  const ConnectionLimits& limits = {});

// How long to wait before dial `attempt` (from 1): doubles from 100 ms to 5 s, with a part of
// `random` so that thousands of agents do not come back in the same moment.
std::chrono::milliseconds retry_delay(std::uint32_t attempt, std::uint64_t random);

}  // namespace sluice
