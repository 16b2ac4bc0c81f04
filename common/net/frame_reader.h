// frame_reader.h: bytes as they arrive -> frames. Pure. Memory for a payload grows with its bytes,
// never from the length that a header claims.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "common/wire/frame.h"

namespace sluice {

class FrameReader {
 public:
  explicit FrameReader(std::uint32_t payload_bytes_max) : payload_bytes_max_(payload_bytes_max) {}

  // Calls take(header, payload) for every frame that `bytes` completes, until it returns false (the
  // rest of `bytes` is then dropped). Errors: protocol_error; the reader must not be used again.
  template <class Take>
  Result<void> feed(std::string_view bytes, Take&& take) {
    while (TRY(advance(bytes)))
      if (!take(header_, std::exchange(payload_, {}))) return {};
    return {};
  }

  // Some bytes of a frame are here, and some are missing.
  bool is_mid_frame() const { return has_header_ || !header_bytes_.empty(); }

 private:
  // Eats from `bytes`; true: header_ and payload_ are a whole frame.
  Result<bool> advance(std::string_view& bytes);

  std::uint32_t payload_bytes_max_;
  std::string header_bytes_;
  bool has_header_ = false;
  FrameHeader header_;
  std::string payload_;
};

}  // namespace sluice
