// codec_agent.cpp: the codecs of this group, compiled once (message_codec.h).
#include "common/wire/message_codec.h"

namespace sluice {
template std::string to_bytes(const RegisterNode&);
template Result<RegisterNode> from_bytes(std::string_view);
template std::string to_bytes(const NodeAccepted&);
template Result<NodeAccepted> from_bytes(std::string_view);
template std::string to_bytes(const Heartbeat&);
template Result<Heartbeat> from_bytes(std::string_view);
template std::string to_bytes(const HeartbeatReply&);
template Result<HeartbeatReply> from_bytes(std::string_view);
template std::string to_bytes(const LaunchRun&);
template Result<LaunchRun> from_bytes(std::string_view);
template std::string to_bytes(const RunAccepted&);
template Result<RunAccepted> from_bytes(std::string_view);
template std::string to_bytes(const RunRefused&);
template Result<RunRefused> from_bytes(std::string_view);
template std::string to_bytes(const RunStarted&);
template Result<RunStarted> from_bytes(std::string_view);
template std::string to_bytes(const RunExited&);
template Result<RunExited> from_bytes(std::string_view);
template std::string to_bytes(const ExitCommitted&);
template Result<ExitCommitted> from_bytes(std::string_view);
template std::string to_bytes(const KillRun&);
template Result<KillRun> from_bytes(std::string_view);
template std::string to_bytes(const SignalRun&);
template Result<SignalRun> from_bytes(std::string_view);
template std::string to_bytes(const SetTimeLimit&);
template Result<SetTimeLimit> from_bytes(std::string_view);
template std::string to_bytes(const ReconfigureNode&);
template Result<ReconfigureNode> from_bytes(std::string_view);
template std::string to_bytes(const GetBlob&);
template Result<GetBlob> from_bytes(std::string_view);
template std::string to_bytes(const BlobChunk&);
template Result<BlobChunk> from_bytes(std::string_view);
template std::string to_bytes(const Relay&);
template Result<Relay> from_bytes(std::string_view);
template std::string to_bytes(const ExitRecord&);
template Result<ExitRecord> from_bytes(std::string_view);
template std::string to_bytes(const LaunchOrder&);
template Result<LaunchOrder> from_bytes(std::string_view);
}  // namespace sluice
