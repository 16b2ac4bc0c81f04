// relays.cpp: streams are local connections by number.
#include "agent/node/relays.h"

#include <utility>

namespace sluice::agent {
namespace {

void refuse(Connection& connection, std::uint32_t request, ErrorCode code, std::string detail) {
  connection.send_message(request, ErrorReply{code, std::move(detail), {}});
}

}  // namespace

Relays::Relays(std::function<bool(const Relay&)> send,
               std::function<bool(std::uint32_t)> may_vouch)
    : send_(std::move(send)), may_vouch_(std::move(may_vouch)) {}

Result<void> Relays::listen(IoContext& io, const std::string& path) {
  ListenerHandlers handlers;
  handlers.on_connection = [this](ConnectionPtr connection) {
    on_connection(std::move(connection));
  };
  listener_ = TRY(listen_unix(io, path, std::move(handlers)));
  return {};
}

void Relays::on_connection(ConnectionPtr connection) {
  const std::uint32_t stream = next_stream_++;
  streams_[stream] = connection;
  ConnectionHandlers handlers;
  handlers.on_frame = [this, stream](const FrameHeader& header, std::string payload) {
    on_frame(stream, header, std::move(payload));
  };
  handlers.on_closed = [this, stream](const Error&) { on_closed(stream); };
  connection->start(std::move(handlers));
}

void Relays::on_frame(std::uint32_t stream, const FrameHeader& header, std::string payload) {
  const auto at = streams_.find(stream);
  if (at == streams_.end()) return;
  Connection& connection = *at->second;
  const PeerIdentity& peer = connection.peer();
  if (!may_vouch_(peer.uid))
    return refuse(connection, header.request, ErrorCode::access_denied,
                  "this compute node vouches only for users who have a job on it (uid " +
                      std::to_string(peer.uid) + " has none); use a submit host");
  Relay message;
  message.stream = stream;
  message.uid = peer.uid;
  message.gid = peer.gid;
  message.inner_type = header.type;
  message.inner_request = header.request;
  message.payload = std::move(payload);
  if (!send_(message))
    refuse(connection, header.request, ErrorCode::no_controller,
           "this host's agent has no connection to the controller");
}

void Relays::on_closed(std::uint32_t stream) {
  if (streams_.erase(stream) == 0) return;
  Relay message;
  message.stream = stream;
  message.closed = true;
  send_(message);
}

void Relays::on_relay(Relay message) {
  const auto at = streams_.find(message.stream);
  if (at == streams_.end()) return;
  if (message.closed) {
    const ConnectionPtr connection = at->second;
    streams_.erase(at);
    return connection->close_when_sent();
  }
  FrameHeader header;
  header.type = message.inner_type;
  header.request = message.inner_request;
  at->second->send(header, std::move(message.payload));
}

void Relays::on_disconnected() {
  for (auto& [stream, connection] : std::exchange(streams_, {})) connection->close_when_sent();
}

}  // namespace sluice::agent
