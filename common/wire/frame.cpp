// frame.cpp: header bytes.
#include "common/wire/frame.h"

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr std::string_view magic = "SLU1";

void put_u16(std::string& out, std::uint16_t value) {
  out.push_back(static_cast<char>(value & 0xff));
  out.push_back(static_cast<char>(value >> 8));
}

void put_u32(std::string& out, std::uint32_t value) {
  put_u16(out, static_cast<std::uint16_t>(value & 0xffff));
  put_u16(out, static_cast<std::uint16_t>(value >> 16));
}

std::uint32_t get_u16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) |
         static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + 1])) << 8;
}

std::uint32_t get_u32(std::string_view bytes, std::size_t at) {
  return get_u16(bytes, at) | get_u16(bytes, at + 2) << 16;
}

}  // namespace

std::string to_bytes(const FrameHeader& header) {
  std::string out{magic};
  put_u32(out, header.payload_bytes);
  put_u16(out, header.type);
  put_u16(out, 0);
  put_u32(out, header.request);
  return out;
}

Result<FrameHeader> parse_frame_header(std::string_view bytes, std::uint32_t payload_bytes_max) {
  ASSERT(bytes.size() == frame_header_bytes);
  if (bytes.substr(0, magic.size()) != magic)
    return Error{ErrorCode::protocol_error, "not a Sluice frame"};
  FrameHeader header;
  header.payload_bytes = get_u32(bytes, 4);
  header.type = static_cast<std::uint16_t>(get_u16(bytes, 8));
  header.request = get_u32(bytes, 12);
  if (get_u16(bytes, 10) != 0) return Error{ErrorCode::protocol_error, "reserved bits are set"};
  if (header.payload_bytes > payload_bytes_max)
    return Error{ErrorCode::protocol_error, fmt::format("payload of {} bytes exceeds {}",
                                                        header.payload_bytes, payload_bytes_max)};
  return header;
}

}  // namespace sluice
