// sim_controller_messages.cpp: sessions, and what daemon/rpc makes of messages.
#include <algorithm>

#include "common/wire/frame.h"
#include "daemon/rpc/known_ends.h"
#include "tests/sim/sim_controller.h"

namespace sluice::sim {

void SimController::accept(const ConnectionRef& connection, const std::string& node,
                           std::uint32_t uid, OnFrame on_frame, Task on_accepted) {
  if (!process_.lives()) return stage_.network.close(connection, 1);
  process_.receive([=, this] {
    connection->ends[1].on_closed = [this, id = connection->id] {
      process_.receive([this, id] { on_closed(id); });
    };
    sessions_[connection->id] = Session{connection, node, Caller{uid, uid, uid == 0}, on_frame};
    stage_.network.send(connection, 1, on_accepted);
  });
}

void SimController::on_closed(std::uint64_t connection) {
  const auto session = sessions_.find(connection);
  if (session == sessions_.end()) return;
  const std::string node = session->second.node;
  sessions_.erase(session);
  if (node.empty()) feed(ClientGone{connection});
  else
    feed(NodeDisconnected{node, connection});
}

void SimController::close(std::uint64_t connection) {
  const auto session = sessions_.find(connection);
  if (session == sessions_.end()) return;
  stage_.network.close(session->second.connection, 1);
  on_closed(connection);
}

// --- agents ------------------------------------------------------------------------------------

void SimController::from_node(std::uint64_t connection, agent::MessageToController message) {
  process_.receive([this, connection, message = std::move(message)]() mutable {
    on_message(connection, message);
  });
}

void SimController::on_message(std::uint64_t connection, agent::MessageToController& message) {
  const auto at = sessions_.find(connection);
  if (at == sessions_.end() || dying_) return;
  const std::string node = at->second.node;
  if (auto* hello = std::get_if<RegisterNode>(&message)) {
    hello->identity.address = node;
    at->second.registered = true;
    return feed(NodeRegistered{connection, 1, std::move(*hello)});
  }
  if (!at->second.registered) return;
  if (auto* beat = std::get_if<Heartbeat>(&message)) feed(NodeAnswered{node, connection, *beat});
  if (auto* accepted = std::get_if<RunAccepted>(&message)) feed(RunAcceptedByNode{node, *accepted});
  if (auto* refused = std::get_if<RunRefused>(&message)) feed(RunRefusedByNode{node, *refused});
  if (auto* started = std::get_if<RunStarted>(&message)) feed(RunStartedOnNode{node, *started});
  if (auto* exited = std::get_if<RunExited>(&message)) feed(RunExitedOnNode{node, *exited});
  if (auto* wanted = std::get_if<GetBlob>(&message)) send_chunk(connection, *wanted);
}

void SimController::send_chunk(std::uint64_t connection, const GetBlob& wanted) {
  const auto blob = content(wanted.content_id);
  if (!blob) return;
  BlobChunk chunk;
  chunk.content_id = wanted.content_id;
  chunk.offset = wanted.offset;
  chunk.total = blob->size();
  chunk.bytes = blob->substr(wanted.offset, blob_chunk_bytes);
  send(connection, 0, BlobChunk::type, to_bytes(chunk));
}

std::shared_ptr<const std::string> SimController::content(const std::string& id) {
  const auto blob = find_blob(id);
  if (blob) return *blob;
  if (!disk_.is_off()) throw Violation{"content is missing: " + to_text(blob.error())};
  die_without_power();
  return nullptr;
}

Result<std::shared_ptr<const std::string>> SimController::find_blob(const std::string& id) {
  if (const auto known = blobs_.find(id); known != blobs_.end()) return known->second;
  auto bytes = std::make_shared<const std::string>(TRY(history_->read_blob(id)));
  blobs_[id] = bytes;
  return std::shared_ptr<const std::string>(bytes);
}

// --- commands ----------------------------------------------------------------------------------

void SimController::from_client(std::uint64_t connection, ClientRequest request) {
  process_.receive([this, connection, request = std::move(request)]() mutable {
    on_request(connection, request);
  });
}

void SimController::on_request(std::uint64_t connection, ClientRequest& request) {
  const auto at = sessions_.find(connection);
  if (at == sessions_.end() || dying_) return;
  const RequestRef from{connection, 1};
  const Caller caller = at->second.caller;
  if (auto* submit = std::get_if<SubmitJob>(&request)) on_submit(from, caller, *submit);
  if (auto* cancel = std::get_if<CancelJobs>(&request)) feed(JobsCancelled{from, caller, *cancel});
  if (auto* update = std::get_if<UpdateJobs>(&request)) feed(JobsUpdated{from, caller, *update});
  if (auto* nodes = std::get_if<UpdateNodes>(&request)) feed(NodesUpdated{from, caller, *nodes});
  if (auto* wait = std::get_if<WaitJob>(&request)) feed(JobAwaited{from, *wait});
}

void SimController::on_submit(const RequestRef& from, const Caller& caller, SubmitJob& request) {
  JobSubmitted event;
  event.from = from;
  event.caller = caller;
  event.script = {"script of " + request.key,
                  std::make_shared<const std::string>(std::move(request.script))};
  event.environment = {"empty", std::make_shared<const std::string>()};
  request.spec.uid = caller.uid;
  request.spec.gid = caller.gid;
  request.spec.batch.script_id = event.script.id;
  request.spec.batch.environment_id = event.environment.id;
  const JobFilter past = jobs_to_look_up(core_->state, request.spec.start.dependency);
  if (!past.jobs.empty()) event.history = known_ends(*history_, past);
  event.request = std::move(request);
  blobs_[event.script.id] = event.script.bytes;
  blobs_[event.environment.id] = event.environment.bytes;
  feed(std::move(event));
}

}  // namespace sluice::sim
