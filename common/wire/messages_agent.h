// messages_agent.h: what agents and the controller say to each other. Included by messages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/model/job.h"
#include "common/model/node.h"
#include "common/model/run.h"
#include "common/wire/message_type.h"

namespace sluice {

struct RegisterNode {
  static constexpr MessageType type = MessageType::register_node;
  std::string name;
  NodeIdentity identity;
  NodeShape shape;                     // as found on the machine
  bool pretended = false;
  bool login = false;                  // a submit host: it relays commands and has nothing else
  std::vector<RunReport> runs;         // every run in the spool
  NodeVitals vitals;

  bool operator==(const RegisterNode&) const = default;
};
BOOST_DESCRIBE_STRUCT(RegisterNode, (), (name, identity, shape, pretended, login, runs, vitals))

// A voter of the fencing rule; the list is the same for all nodes and numbered.
struct Witness {
  std::string node;
  std::string address;
  std::uint16_t port = 0;              // UDP

  bool operator==(const Witness&) const = default;
};
BOOST_DESCRIBE_STRUCT(Witness, (), (node, address, port))

struct NodeAccepted {
  static constexpr MessageType type = MessageType::node_accepted;
  TimeoutConfig timeouts;
  std::string cluster;
  std::uint64_t witness_list = 0;      // its number
  std::vector<Witness> witnesses;
  std::string witness_key;             // secret, 32 bytes
  bool leases = false;                 // false: one node, nothing is fenced

  bool operator==(const NodeAccepted&) const = default;
};
BOOST_DESCRIBE_STRUCT(NodeAccepted, (),
                      (timeouts, cluster, witness_list, witnesses, witness_key, leases))

// `echo` is the nonce of the last heartbeat_reply: an answer is a round trip.
struct Heartbeat {
  static constexpr MessageType type = MessageType::heartbeat;
  std::uint64_t echo = 0;
  NodeVitals vitals;

  bool operator==(const Heartbeat&) const = default;
};
BOOST_DESCRIBE_STRUCT(Heartbeat, (), (echo, vitals))

// Prolongs the node's lease by lease_s from the moment the heartbeat was SENT.
struct HeartbeatReply {
  static constexpr MessageType type = MessageType::heartbeat_reply;
  std::uint64_t nonce = 0;

  bool operator==(const HeartbeatReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(HeartbeatReply, (), (nonce))

struct LaunchRun {
  static constexpr MessageType type = MessageType::launch_run;
  LaunchOrder order;

  bool operator==(const LaunchRun&) const = default;
};
BOOST_DESCRIBE_STRUCT(LaunchRun, (), (order))

// The order lies in the agent's spool.
struct RunAccepted {
  static constexpr MessageType type = MessageType::run_accepted;
  RunId id;

  bool operator==(const RunAccepted&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunAccepted, (), (id))

// The order was not taken and never will be: nothing of it is on the node.
struct RunRefused {
  static constexpr MessageType type = MessageType::run_refused;
  RunId id;
  ErrorCode code = ErrorCode::internal;
  std::string detail;
  bool node_fault = true;

  bool operator==(const RunRefused&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunRefused, (), (id, code, detail, node_fault))

struct RunStarted {
  static constexpr MessageType type = MessageType::run_started;
  RunId id;
  WallTime started_wall;

  bool operator==(const RunStarted&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunStarted, (), (id, started_wall))

struct RunExited {
  static constexpr MessageType type = MessageType::run_exited;
  ExitRecord record;

  bool operator==(const RunExited&) const = default;
};
BOOST_DESCRIBE_STRUCT(RunExited, (), (record))

// The exit record is committed; the agent may forget the run.
struct ExitCommitted {
  static constexpr MessageType type = MessageType::exit_committed;
  RunId id;

  bool operator==(const ExitCommitted&) const = default;
};
BOOST_DESCRIBE_STRUCT(ExitCommitted, (), (id))

// The cause and the seconds left into the run's notice file (SLUICE_NOTICE_FILE), SIGTERM (with
// SIGCONT), kill_wait_s by the node's clock, SIGKILL of everything; the exit record will carry
// `cause`. `user_signal`: a job that asked for one by --signal gets that in place of SIGTERM.
// Of a run the agent does not know it answers run_exited with cause supervisor_lost.
struct KillRun {
  static constexpr MessageType type = MessageType::kill_run;
  RunId id;
  Cause cause;
  std::uint32_t kill_wait_s = 30;
  bool user_signal = false;

  bool operator==(const KillRun&) const = default;
};
BOOST_DESCRIBE_STRUCT(KillRun, (), (id, cause, kill_wait_s, user_signal))

struct SignalRun {
  static constexpr MessageType type = MessageType::signal_run;
  RunId id;
  std::uint32_t signal = 0;
  SignalReach reach = SignalReach::children;

  bool operator==(const SignalRun&) const = default;
};
BOOST_DESCRIBE_STRUCT(SignalRun, (), (id, signal, reach))

// The time limit of a run that was ordered, from its start on; none: unlimited. The last one holds.
// Idempotent: a node that was away is told again when its registration reports another.
struct SetTimeLimit {
  static constexpr MessageType type = MessageType::set_time_limit;
  RunId id;
  std::optional<std::uint32_t> time_limit_s;

  bool operator==(const SetTimeLimit&) const = default;
};
BOOST_DESCRIBE_STRUCT(SetTimeLimit, (), (id, time_limit_s))

// The agent reads its configuration and keys again, and registers anew on the same connection.
struct ReconfigureNode {
  static constexpr MessageType type = MessageType::reconfigure_node;

  bool operator==(const ReconfigureNode&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReconfigureNode, (), ())

struct GetBlob {
  static constexpr MessageType type = MessageType::get_blob;
  std::string content_id;
  std::uint64_t offset = 0;

  bool operator==(const GetBlob&) const = default;
};
BOOST_DESCRIBE_STRUCT(GetBlob, (), (content_id, offset))

struct BlobChunk {
  static constexpr MessageType type = MessageType::blob_chunk;
  std::string content_id;
  std::uint64_t offset = 0;
  std::uint64_t total = 0;
  std::string bytes;

  bool operator==(const BlobChunk&) const = default;
};
BOOST_DESCRIBE_STRUCT(BlobChunk, (), (content_id, offset, total, bytes))

// A frame of a command on the agent's host, with the credentials the agent read from the kernel.
// Both directions; `stream` numbers the command's connection at that agent.
struct Relay {
  static constexpr MessageType type = MessageType::relay;
  std::uint32_t stream = 0;
  bool closed = false;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint16_t inner_type = 0;
  std::uint32_t inner_request = 0;
  std::string payload;

  bool operator==(const Relay&) const = default;
};
BOOST_DESCRIBE_STRUCT(Relay, (),
                      (stream, closed, uid, gid, inner_type, inner_request, payload))

}  // namespace sluice
