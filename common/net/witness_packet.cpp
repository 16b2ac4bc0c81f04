// witness_packet.cpp: see witness_packet.h.
#include "common/net/witness_packet.h"

#include "common/base/assert.h"
#include "common/net/crypto.h"

namespace sluice {
namespace {

constexpr std::string_view magic = "SLW1";
constexpr std::size_t mac_bytes = 32;

void put_u64(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint64_t get_u64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Takes `size` bytes from the front; the caller has checked that they are there.
std::string_view take(std::string_view& bytes, std::size_t size) {
  const std::string_view front = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return front;
}

// Of a body whose HMAC was right.
std::optional<WitnessPacket> parse_body(std::string_view body) {
  constexpr std::size_t fixed_bytes = magic.size() + 1 + witness_nonce_bytes + 8 + 8 + 1;
  if (body.size() < fixed_bytes || take(body, magic.size()) != magic) return std::nullopt;
  WitnessPacket packet;
  const auto kind = static_cast<std::uint8_t>(take(body, 1)[0]);
  if (kind != 1 && kind != 2) return std::nullopt;
  packet.kind = static_cast<WitnessKind>(kind);
  packet.nonce = take(body, witness_nonce_bytes);
  packet.list = get_u64(take(body, 8));
  packet.silence_ms = get_u64(take(body, 8));
  const auto name_bytes = static_cast<unsigned char>(take(body, 1)[0]);
  if (body.size() != name_bytes) return std::nullopt;
  if ((packet.kind == WitnessKind::question) == body.empty()) return std::nullopt;
  packet.from = body;
  return packet;
}

}  // namespace

std::string seal_witness_packet(const WitnessPacket& packet, std::string_view secret) {
  ASSERT(packet.nonce.size() == witness_nonce_bytes && packet.from.size() <= 255);
  std::string out{magic};
  out.push_back(static_cast<char>(packet.kind));
  out += packet.nonce;
  put_u64(out, packet.list);
  put_u64(out, packet.silence_ms);
  out.push_back(static_cast<char>(packet.from.size()));
  out += packet.from;
  return out + crypto::hmac_sha256(secret, out);
}

std::optional<OpenedWitnessPacket> open_witness_packet(std::string_view bytes,
                                                       std::span<const std::string> secrets) {
  if (bytes.size() <= mac_bytes || bytes.size() > witness_packet_bytes_max) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - mac_bytes);
  const std::string_view mac = bytes.substr(body.size());
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    if (!crypto::are_equal(mac, crypto::hmac_sha256(secrets[i], body))) continue;
    std::optional<WitnessPacket> packet = parse_body(body);
    if (!packet) return std::nullopt;
    return OpenedWitnessPacket{*std::move(packet), i};
  }
  return std::nullopt;
}

}  // namespace sluice
