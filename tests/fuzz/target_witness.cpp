// target_witness.cpp: datagrams of the witness protocol: only what was sealed with a known secret
// is opened, and it comes back as it was.
#include <array>
#include <vector>

#include "common/net/crypto.h"
#include "common/net/witness_packet.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

const std::vector<std::string> secrets = {std::string(32, 'a'), std::string(32, 'b')};

void check_packet(Bytes& bytes) {
  WitnessPacket packet;
  packet.kind = bytes.coin() ? WitnessKind::question : WitnessKind::answer;
  packet.nonce = std::string(witness_nonce_bytes, static_cast<char>(bytes.byte()));
  packet.list = bytes.number();
  packet.silence_ms = bytes.number();
  if (packet.kind == WitnessKind::question) packet.from = "n" + bytes.text(200);
  const std::string sealed = seal_witness_packet(packet, secrets[1]);
  require(sealed.size() <= witness_packet_bytes_max, "a packet fits its datagram");
  const auto opened = open_witness_packet(sealed, secrets);
  require(opened && opened->packet == packet && opened->secret_index == 1,
          "a sealed packet is opened as it was, by its secret");
  std::string damaged = sealed;
  char& byte = damaged[bytes.below(damaged.size())];
  byte = static_cast<char>(byte ^ (1 + bytes.below(255)));
  require(!open_witness_packet(damaged, secrets), "a changed packet is not opened");
}

// Also behind a good seal the body is any bytes: another version may have made it.
void check_body(std::string_view body) {
  const std::string sealed = std::string(body) + crypto::hmac_sha256(secrets[0], body);
  const auto opened =
      in_proportion(sealed, 16, [&] { return open_witness_packet(sealed, secrets); });
  if (!opened) return;
  require(seal_witness_packet(opened->packet, secrets[0]) == sealed,
          "a packet is nothing but its bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(text_of(data, size));
  if (bytes.coin()) check_packet(bytes);
  else check_body(bytes.rest());
  (void)open_witness_packet(text_of(data, size), secrets);
  return 0;
}
