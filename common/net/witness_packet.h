// witness_packet.h: the datagrams of the witness protocol. Pure.
//
//   "SLW1" | kind u8 | nonce 16 | list u64 | silence_ms u64 | name length u8 | name | HMAC-SHA256 32
//
// Numbers are little endian; the HMAC covers all before it, with the cluster's witness secret. An
// answer carries the question's nonce and no name, so it is never longer than its question.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

constexpr std::size_t witness_nonce_bytes = 16;
constexpr std::size_t witness_packet_bytes_max = 4 + 1 + witness_nonce_bytes + 8 + 8 + 1 + 255 + 32;

enum class WitnessKind : std::uint8_t { question = 1, answer = 2 };

struct WitnessPacket {
  WitnessKind kind = WitnessKind::question;
  std::string nonce;             // witness_nonce_bytes
  std::uint64_t list = 0;        // number of the witness list that the sender knows
  std::uint64_t silence_ms = 0;  // answer: since the witness last answered the controller
  std::string from;              // question: the node that asks, 1 to 255 bytes

  bool operator==(const WitnessPacket&) const = default;
};

std::string seal_witness_packet(const WitnessPacket& packet, std::string_view secret);
// None when it is malformed or no secret fits. `secret_index` tells which one did.
struct OpenedWitnessPacket {
  WitnessPacket packet;
  std::size_t secret_index = 0;
};
std::optional<OpenedWitnessPacket> open_witness_packet(std::string_view bytes,
                                                       std::span<const std::string> secrets);

}  // namespace sluice
