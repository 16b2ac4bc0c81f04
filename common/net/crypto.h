// crypto.h: the few functions of libcrypto that net uses, as functions of bytes. Internal to net.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::crypto {

std::string sha256(std::string_view bytes);                             // 32 bytes
std::string hmac_sha256(std::string_view key, std::string_view bytes);  // 32 bytes
// HKDF-SHA256 (RFC 5869), extract and expand.
struct HkdfInput {
  std::string_view secret;
  std::string_view salt;
  std::string_view info;
};
std::string hkdf_sha256(const HkdfInput& input, std::size_t bytes);
std::string random_bytes(std::size_t bytes);
// Takes the same time wherever the texts differ.
bool are_equal(std::string_view left, std::string_view right);

std::string to_hex(std::string_view bytes);
// Empty when `hex` is not an even number of hex digits.
std::string from_hex(std::string_view hex);

}  // namespace sluice::crypto
