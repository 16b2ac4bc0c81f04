// codec_listing.cpp: the codecs of this group, compiled once (message_codec.h).
#include "common/wire/message_codec.h"

namespace sluice {
template std::string to_bytes(const QueryJobs&);
template Result<QueryJobs> from_bytes(std::string_view);
template std::string to_bytes(const JobsReply&);
template Result<JobsReply> from_bytes(std::string_view);
template std::string to_bytes(const QueryNodes&);
template Result<QueryNodes> from_bytes(std::string_view);
template std::string to_bytes(const NodesReply&);
template Result<NodesReply> from_bytes(std::string_view);
template std::string to_bytes(const QueryConfig&);
template Result<QueryConfig> from_bytes(std::string_view);
template std::string to_bytes(const ConfigReply&);
template Result<ConfigReply> from_bytes(std::string_view);
template std::string to_bytes(const WatchEvents&);
template Result<WatchEvents> from_bytes(std::string_view);
template std::string to_bytes(const EventsReply&);
template Result<EventsReply> from_bytes(std::string_view);
template std::string to_bytes(const ClusterConfig&);
template Result<ClusterConfig> from_bytes(std::string_view);
template std::string to_bytes(const JobInfo&);
template Result<JobInfo> from_bytes(std::string_view);
}  // namespace sluice
