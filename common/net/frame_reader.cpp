// frame_reader.cpp: see frame_reader.h.
#include "common/net/frame_reader.h"

#include <algorithm>

namespace sluice {

Result<bool> FrameReader::advance(std::string_view& bytes) {
  if (!has_header_) {
    const std::size_t wanted = frame_header_bytes - header_bytes_.size();
    const std::string_view part = bytes.substr(0, wanted);
    bytes.remove_prefix(part.size());
    if (part.size() < wanted) {
      header_bytes_ += part;
      return false;
    }
    header_bytes_ += part;
    header_ = TRY(parse_frame_header(header_bytes_, payload_bytes_max_));
    header_bytes_.clear();
    has_header_ = true;
  }
  const std::string_view part = bytes.substr(0, header_.payload_bytes - payload_.size());
  payload_ += part;
  bytes.remove_prefix(part.size());
  if (payload_.size() < header_.payload_bytes) return false;
  has_header_ = false;
  return true;
}

}  // namespace sluice
