// node_messages.cpp: what agents say. A node speaks only for itself: its name is the one its key proved.
#include <algorithm>

#include <fmt/format.h>

#include "common/wire/frame.h"
#include "daemon/rpc/handlers.h"

namespace sluice::rpc {

namespace {

bool is_login_host(const Services& services, const std::string& name) {
  const std::vector<std::string>& hosts = services.state().config->login_hosts;
  return std::find(hosts.begin(), hosts.end(), name) != hosts.end();
}

Result<void> check_kind(const Services& services, const RegisterNode& message) {
  const bool listed = is_login_host(services, message.name);
  if (message.login && !listed)
    return Error{ErrorCode::invalid_node,
                 fmt::format("{} is no login host; add it to SluiceLoginHosts", message.name)};
  if (!message.login && listed)
    return Error{ErrorCode::invalid_node,
                 fmt::format("{} is a login host (SluiceLoginHosts); start its agent with --login",
                             message.name)};
  return {};
}

// It holds nothing, so nothing of it is state: it is known as long as its connection lasts.
// Nobody's witness, it gets no witness key.
void accept_login_host(Call& call) {
  const ClusterConfig& config = *call.services.state().config;
  call.session.registered = true;
  call.session.login = true;
  NodeAccepted accepted;
  accepted.timeouts = config.timeouts;
  accepted.cluster = config.cluster_name;
  call.answer(accepted);
}

}  // namespace

void register_node(Call& call, RegisterNode& message) {
  Session& session = call.session;
  if (message.name != session.node) {
    call.refuse({ErrorCode::authentication_failed,
                 fmt::format("the key proves node {}, not {}", session.node, message.name)});
    return session.close();
  }
  if (auto kind = check_kind(call.services, message); !kind) {
    call.refuse(kind.error());
    return session.close();
  }
  if (message.login) return accept_login_host(call);
  message.identity.address = session.address.substr(0, session.address.rfind(':'));
  session.registered = true;  // a refusal closes the connection
  call.services.feed(NodeRegistered{session.id(), call.request, std::move(message)});
}

void heartbeat(Call& call, Heartbeat& message) {
  if (call.session.login) return call.answer(HeartbeatReply{});
  call.services.feed(NodeAnswered{call.session.node, call.session.id(), message});
}

void run_accepted(Call& call, RunAccepted& message) {
  call.services.feed(RunAcceptedByNode{call.session.node, message});
}

void run_refused(Call& call, RunRefused& message) {
  call.services.feed(RunRefusedByNode{call.session.node, std::move(message)});
}

void run_started(Call& call, RunStarted& message) {
  call.services.feed(RunStartedOnNode{call.session.node, message});
}

void run_exited(Call& call, RunExited& message) {
  message.record.node = call.session.node;
  call.services.feed(RunExitedOnNode{call.session.node, std::move(message)});
}

void get_blob(Call& call, GetBlob& message) {
  auto blob = call.services.find_blob(message.content_id);
  if (!blob) return call.refuse(blob.error());
  const std::string& bytes = **blob;
  if (message.offset > bytes.size())
    return call.refuse({ErrorCode::invalid_argument,
                        fmt::format("offset {} is behind the end ({} bytes)", message.offset,
                                    bytes.size())});
  BlobChunk chunk;
  chunk.content_id = message.content_id;
  chunk.offset = message.offset;
  chunk.total = bytes.size();
  chunk.bytes = bytes.substr(message.offset, blob_chunk_bytes);
  call.answer(chunk);
}

}  // namespace sluice::rpc
