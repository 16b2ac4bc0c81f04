// node_messages.cpp: what agents say. A node speaks only for itself: its name is the one its key proved.
#include <algorithm>

#include <fmt/format.h>

#include "common/wire/frame.h"
#include "daemon/rpc/handlers.h"

namespace sluice::rpc {

void register_node(Call& call, RegisterNode& message) {
  Session& session = call.session;
  if (message.name != session.node) {
    call.refuse({ErrorCode::authentication_failed,
                 fmt::format("the key proves node {}, not {}", session.node, message.name)});
    return session.close();
  }
  message.identity.address = session.address.substr(0, session.address.rfind(':'));
  session.registered = true;  // a refusal closes the connection
  call.services.feed(NodeRegistered{session.id(), call.request, std::move(message)});
}

void heartbeat(Call& call, Heartbeat& message) {
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
