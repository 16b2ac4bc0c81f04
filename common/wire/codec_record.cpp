// codec_record.cpp: the codecs of this group, compiled once (message_codec.h).
#include "common/wire/message_codec.h"

namespace sluice {
template std::string to_bytes(const JobRecord&);
template Result<JobRecord> from_bytes(std::string_view);
template std::string to_bytes(const RunRecord&);
template Result<RunRecord> from_bytes(std::string_view);
template std::string to_bytes(const NodeRecord&);
template Result<NodeRecord> from_bytes(std::string_view);
}  // namespace sluice
