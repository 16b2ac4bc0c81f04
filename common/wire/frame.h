// frame.h: the header in front of every message on a socket. Little endian, 16 bytes:
// magic "SLU1" | payload bytes (u32) | message type (u16) | reserved 0 (u16) | request number (u32).
// A reply carries its request's number. Limits are checked before a byte of payload is awaited.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace sluice {

constexpr std::size_t frame_header_bytes = 16;
// A submit carries script and environment in one frame; everything to agents is cut in chunks.
constexpr std::uint32_t frame_payload_bytes_max = 32U << 20;
// Of a peer that has not proved who it is.
constexpr std::uint32_t frame_payload_bytes_max_unproved = 4096;
// Scripts and environments larger than this do not travel inside a launch order.
constexpr std::uint32_t blob_inline_bytes_max = 64U << 10;
constexpr std::uint32_t blob_chunk_bytes = 256U << 10;

struct FrameHeader {
  std::uint32_t payload_bytes = 0;
  std::uint16_t type = 0;
  std::uint32_t request = 0;

  bool operator==(const FrameHeader&) const = default;
};

std::string to_bytes(const FrameHeader& header);
// `bytes` holds exactly frame_header_bytes. Errors: protocol_error (magic, reserved bits, size over
// `payload_bytes_max`); the connection must then be closed, the stream cannot be resynchronised.
Result<FrameHeader> parse_frame_header(std::string_view bytes, std::uint32_t payload_bytes_max);

}  // namespace sluice
