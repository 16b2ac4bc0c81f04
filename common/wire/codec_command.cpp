// codec_command.cpp: the codecs of this group, compiled once (message_codec.h).
#include "common/wire/message_codec.h"

namespace sluice {
template std::string to_bytes(const ErrorReply&);
template Result<ErrorReply> from_bytes(std::string_view);
template std::string to_bytes(const OkReply&);
template Result<OkReply> from_bytes(std::string_view);
template std::string to_bytes(const SubmitJob&);
template Result<SubmitJob> from_bytes(std::string_view);
template std::string to_bytes(const SubmitReply&);
template Result<SubmitReply> from_bytes(std::string_view);
template std::string to_bytes(const CancelJobs&);
template Result<CancelJobs> from_bytes(std::string_view);
template std::string to_bytes(const UpdateJobs&);
template Result<UpdateJobs> from_bytes(std::string_view);
template std::string to_bytes(const ActionReply&);
template Result<ActionReply> from_bytes(std::string_view);
template std::string to_bytes(const UpdateNodes&);
template Result<UpdateNodes> from_bytes(std::string_view);
template std::string to_bytes(const WaitJob&);
template Result<WaitJob> from_bytes(std::string_view);
template std::string to_bytes(const WaitReply&);
template Result<WaitReply> from_bytes(std::string_view);
template std::string to_bytes(const Ping&);
template Result<Ping> from_bytes(std::string_view);
template std::string to_bytes(const PingReply&);
template Result<PingReply> from_bytes(std::string_view);
template std::string to_bytes(const Reconfigure&);
template Result<Reconfigure> from_bytes(std::string_view);
template std::string to_bytes(const Shutdown&);
template Result<Shutdown> from_bytes(std::string_view);
template std::string to_bytes(const Backup&);
template Result<Backup> from_bytes(std::string_view);
template std::string to_bytes(const GetScript&);
template Result<GetScript> from_bytes(std::string_view);
template std::string to_bytes(const ScriptReply&);
template Result<ScriptReply> from_bytes(std::string_view);
template std::string to_bytes(const QueryWhy&);
template Result<QueryWhy> from_bytes(std::string_view);
template std::string to_bytes(const WhyReply&);
template Result<WhyReply> from_bytes(std::string_view);
template std::string to_bytes(const JobSpec&);
template Result<JobSpec> from_bytes(std::string_view);
}  // namespace sluice
