// sessions.cpp: one object a peer.
#include "daemon/server/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/log/log.h"
#include "daemon/rpc/message_table.h"

namespace sluice {

class Sessions::Direct : public Session {
 public:
  Direct(std::uint64_t id, ConnectionPtr connection) : id_(id), connection_(std::move(connection)) {}

  std::uint64_t id() const override { return id_; }
  void send(std::uint32_t request, MessageType type, std::string payload) override {
    FrameHeader header;
    header.type = static_cast<std::uint16_t>(type);
    header.request = request;
    const Priority priority = type == MessageType::blob_chunk ? Priority::bulk : Priority::urgent;
    connection_->send(header, std::move(payload), priority);
  }
  void close() override { connection_->close_when_sent(); }
  Connection& connection() { return *connection_; }

  std::map<std::uint32_t, std::uint64_t> streams;  // relayed commands: stream -> session

 private:
  std::uint64_t id_;
  ConnectionPtr connection_;
};

// Answers go through the agent; the session ends with the agent's connection.
class Sessions::Relayed : public Session {
 public:
  Relayed(std::uint64_t id, std::weak_ptr<Session> agent, std::uint32_t stream)
      : id_(id), agent_(std::move(agent)), stream_(stream) {}

  std::uint64_t id() const override { return id_; }
  void send(std::uint32_t request, MessageType type, std::string payload) override {
    Relay relay;
    relay.stream = stream_;
    relay.inner_type = static_cast<std::uint16_t>(type);
    relay.inner_request = request;
    relay.payload = std::move(payload);
    if (auto agent = agent_.lock()) agent->answer(0, relay);
  }
  void close() override {
    Relay relay;
    relay.stream = stream_;
    relay.closed = true;
    if (auto agent = agent_.lock()) agent->answer(0, relay);
  }

 private:
  std::uint64_t id_;
  std::weak_ptr<Session> agent_;
  std::uint32_t stream_;
};

void Sessions::accept(ConnectionPtr connection, std::uint32_t admin_uid) {
  admin_uid_ = admin_uid;
  const std::uint64_t id = next_id_++;
  auto session = std::make_shared<Direct>(id, connection);
  const PeerIdentity& peer = connection->peer();
  session->address = peer.address;
  if (peer.kind == PeerKind::node) session->node = peer.node;
  else
    session->caller = {peer.uid, peer.gid, peer.uid == 0 || peer.uid == admin_uid};
  by_id_[id] = session;
  ConnectionHandlers handlers;
  handlers.on_frame = [this, id](const FrameHeader& header, std::string payload) {
    if (auto at = by_id_.find(id); at != by_id_.end()) {
      const std::shared_ptr<Session> kept = at->second;  // a handler may close it
      on_frame(static_cast<Direct&>(*kept), header, std::move(payload));
    }
  };
  handlers.on_closed = [this, id](const Error& error) { on_closed(id, error); };
  connection->start(std::move(handlers));
}

Session* Sessions::find(std::uint64_t id) {
  auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : at->second.get();
}

Session* Sessions::find_node(const std::string& name) {
  const NodeEntry* node = services_.state().find_node(name);
  return node && node->connection != 0 ? find(node->connection) : nullptr;
}

void Sessions::send_to_agents(MessageType type, const std::string& payload) {
  std::vector<std::shared_ptr<Session>> agents;  // a copy: who cannot be sent to may be closed
  for (const auto& [id, session] : by_id_)
    if (session->registered) agents.push_back(session);
  for (const std::shared_ptr<Session>& agent : agents) agent->send(0, type, payload);
}

void Sessions::close(std::uint64_t id) {
  if (Session* session = find(id)) session->close();
  on_closed(id, Error{ErrorCode::io_error, "closed by the controller"});
}

void Sessions::on_frame(Direct& session, const FrameHeader& header, std::string payload) {
  if (header.type == static_cast<std::uint16_t>(MessageType::relay) && session.registered) {
    const Result<Relay> relay = from_bytes<Relay>(payload);
    if (relay) return on_relay(session, *relay);
  }
  Call call{session, header.request, services_};
  const Result<void> handled = dispatch(call, header.type, payload);
  if (handled) return;
  log_warning("{}: {}: connection closed", session.address, to_text(handled.error()));
  call.refuse(handled.error());
  session.close();
  on_closed(session.id(), handled.error());
}

// A login host speaks for all its users, a node only for those who have a run there (and for root,
// who is nobody special there).
bool Sessions::may_vouch(const Session& agent, std::uint32_t uid) const {
  if (agent.login || uid == 0) return true;
  const State& state = services_.state();
  const auto runs = state.runs_on_node.find(agent.node);
  return runs != state.runs_on_node.end() &&
         std::any_of(runs->second.begin(), runs->second.end(),
                     [&](JobId job) { return state.spec(job).uid == uid; });
}

// The agent read uid and gid from the kernel. Root on that host could speak for any uid, so there a
// vouched root or SlurmUser is an administrator only on AdminHosts.
void Sessions::on_relay(Direct& agent, const Relay& relay) {
  auto at = agent.streams.find(relay.stream);
  if (relay.closed) {
    if (at != agent.streams.end()) {
      remove_relayed(at->second);
      agent.streams.erase(at);
    }
    return;
  }
  if (at == agent.streams.end()) {
    const std::uint64_t id = next_id_++;
    by_id_[id] = std::make_shared<Relayed>(id, by_id_.at(agent.id()), relay.stream);
    at = agent.streams.emplace(relay.stream, id).first;
  }
  const std::shared_ptr<Session> session = by_id_.at(at->second);
  const bool admin_host =
      std::find(admin_hosts_.begin(), admin_hosts_.end(), agent.node) != admin_hosts_.end();
  session->caller = {relay.uid, relay.gid, admin_host && (relay.uid == 0 || relay.uid == admin_uid_)};
  session->address = agent.node;
  Call call{*session, relay.inner_request, services_};
  if (!may_vouch(agent, relay.uid))
    return call.refuse(
        {ErrorCode::access_denied,
         fmt::format("node {} vouches only for users who have a job on it (uid {} has "
                     "none)",
                     agent.node, relay.uid)});
  const Result<void> handled = dispatch(call, relay.inner_type, relay.payload);
  if (!handled) call.refuse(handled.error());
}

void Sessions::remove_relayed(std::uint64_t id) {
  by_id_.erase(id);
  services_.feed(ClientGone{id});
}

void Sessions::on_closed(std::uint64_t id, const Error&) {
  auto at = by_id_.find(id);
  if (at == by_id_.end()) return;
  const std::shared_ptr<Session> session = at->second;
  by_id_.erase(at);
  if (auto* direct = dynamic_cast<Direct*>(session.get()))
    for (const auto& [stream, relayed] : direct->streams) remove_relayed(relayed);
  if (session->node.empty()) services_.feed(ClientGone{id});
  else
    services_.feed(NodeDisconnected{session->node, id});
}

}  // namespace sluice
