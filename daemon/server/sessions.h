// sessions.h: the peers of the controller: connections of commands and agents, and commands behind an
// agent's relay. Frames are dispatched to daemon/rpc; a peer that breaks the protocol is closed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "common/net/connection.h"
#include "daemon/rpc/session.h"

namespace sluice {

class Sessions {
 public:
  explicit Sessions(Services& services) : services_(services) {}

  void accept(ConnectionPtr connection, std::uint32_t admin_uid);
  // nullptr: it went away.
  Session* find(std::uint64_t id);
  // The registered connection of a node; nullptr: none.
  Session* find_node(const std::string& name);
  void set_admin_hosts(std::vector<std::string> hosts) { admin_hosts_ = std::move(hosts); }
  // To every agent that was accepted.
  void send_to_agents(MessageType type, const std::string& payload);
  void close(std::uint64_t id);
  std::size_t count() const { return by_id_.size(); }

 private:
  class Direct;
  class Relayed;

  void on_frame(Direct& session, const FrameHeader& header, std::string payload);
  void on_relay(Direct& agent, const Relay& relay);
  bool may_vouch(const Session& agent, std::uint32_t uid) const;
  void on_closed(std::uint64_t id, const Error& error);
  void remove_relayed(std::uint64_t id);

  Services& services_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Session>> by_id_;
  std::uint64_t next_id_ = 1;
  std::uint32_t admin_uid_ = 0;
  std::vector<std::string> admin_hosts_;
};

}  // namespace sluice
