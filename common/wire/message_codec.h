// message_codec.h: to_bytes() and from_bytes() of messages and records, compiled once. Whoever encodes
// or decodes one of them includes this, not codec.h: instantiating a codec costs seconds a file.
#pragma once

#include "common/wire/codec.h"
#include "common/wire/messages.h"
#include "common/wire/messages_agent.h"

// Every message and every record that is stored or spooled has its line here.
#define SLUICE_ENCODED_TYPES(X)                                                                   \
  X(ErrorReply) X(OkReply) X(SubmitJob) X(SubmitReply) X(CancelJobs) X(UpdateJobs) X(ActionReply) \
  X(UpdateNodes) X(WaitJob) X(WaitReply) X(QueryJobs) X(JobsReply) X(QueryNodes) X(NodesReply)    \
  X(QueryConfig) X(ConfigReply) X(QueryWhy) X(WhyReply) X(WatchEvents) X(EventsReply) X(GetScript) X(ScriptReply) X(Ping)       \
  X(PingReply) X(Reconfigure) X(Shutdown) X(Backup) X(RegisterNode) X(NodeAccepted) X(Heartbeat)  \
  X(HeartbeatReply) X(LaunchRun) X(RunAccepted) X(RunRefused) X(RunStarted) X(RunExited)          \
  X(ExitCommitted) X(KillRun) X(SignalRun) X(SetTimeLimit) X(ReconfigureNode) X(GetBlob) X(BlobChunk) X(Relay)       \
  X(JobRecord) X(JobSpec) X(RunRecord) X(NodeRecord) X(ExitRecord) X(LaunchOrder)                 \
  X(ClusterConfig) X(JobInfo)

namespace sluice {
#define SLUICE_DECLARE_CODEC(Type)                     \
  extern template std::string to_bytes(const Type&);   \
  extern template Result<Type> from_bytes(std::string_view);
SLUICE_ENCODED_TYPES(SLUICE_DECLARE_CODEC)
#undef SLUICE_DECLARE_CODEC
}  // namespace sluice
