// node.h: what a node has (NodeShape), what its agent last said (NodeVitals), and what the controller
// knows of it (NodeRecord).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/model/lifecycle.h"
#include "common/model/request.h"

namespace sluice {

struct NodeShape {
  std::uint32_t cpus = 1;
  std::uint32_t sockets = 1;
  std::uint32_t cores_per_socket = 1;
  std::uint32_t threads_per_core = 1;
  std::uint64_t mem_mb = 1;
  std::uint64_t tmp_disk_mb = 0;
  std::vector<GresCount> gres;

  bool operator==(const NodeShape&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeShape, (),
                      (cpus, sockets, cores_per_socket, threads_per_core, mem_mb, tmp_disk_mb,
                       gres))

struct NodeVitals {
  std::uint32_t cpu_load_hundredths = 0;  // one-minute load average x 100
  std::uint64_t free_mem_mb = 0;
  WallTime measured;

  bool operator==(const NodeVitals&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeVitals, (), (cpu_load_hundredths, free_mem_mb, measured))

// What an agent says about itself when it registers.
struct NodeIdentity {
  std::string host;      // kernel's host name
  std::string address;   // as the controller saw the connection
  std::string boot_id;
  std::string network;   // its network namespace; with boot_id: who reaches its abstract sockets
  std::string spool_id;  // random, made once for a spool folder: tells a restart from an impostor
  std::string version;
  std::string os;
  std::string arch;
  WallTime booted;
  WallTime agent_started;

  bool operator==(const NodeIdentity&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeIdentity, (),
                      (host, address, boot_id, network, spool_id, version, os, arch, booted,
                       agent_started))

struct NodeRecord {
  std::string name;
  NodeState state = NodeState::unknown;
  bool drain = false;
  std::string reason;                  // of drain or down
  std::uint32_t reason_uid = 0;
  std::optional<WallTime> reason_at;
  NodeShape shape;                     // configured, or as registered where nothing is configured
  bool pretended = false;              // declares more than the machine has
  std::vector<std::string> features;
  std::uint32_t weight = 1;
  NodeIdentity identity;               // of the last registration
  std::vector<JobId> faulted_jobs;     // different jobs that failed in a row by this node's blame
  WallTime last_busy;

  bool operator==(const NodeRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeRecord, (),
                      (name, state, drain, reason, reason_uid, reason_at, shape, pretended,
                       features, weight, identity, faulted_jobs, last_busy))

using NodeRecordPtr = std::shared_ptr<const NodeRecord>;

}  // namespace sluice
