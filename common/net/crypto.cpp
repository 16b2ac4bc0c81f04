// crypto.cpp: calls OpenSSL 3's EVP interface. A failure of it is a broken installation: ASSERT.
#include "common/net/crypto.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <memory>

#include "common/base/assert.h"
#include "common/net/content_id.h"

namespace sluice {
namespace crypto {
namespace {

constexpr std::size_t digest_bytes = 32;

unsigned char* data_of(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }
const unsigned char* data_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

OSSL_PARAM octets(const char* name, std::string_view bytes) {
  // The parameter is only read; OpenSSL's type has no const.
  return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(bytes.data()), bytes.size());
}

int digit_of(char hex) {
  if (hex >= '0' && hex <= '9') return hex - '0';
  if (hex >= 'a' && hex <= 'f') return hex - 'a' + 10;
  if (hex >= 'A' && hex <= 'F') return hex - 'A' + 10;
  return -1;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::string digest(digest_bytes, '\0');
  ASSERT(EVP_Digest(bytes.data(), bytes.size(), data_of(digest), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string digest(digest_bytes, '\0');
  ASSERT(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data_of(bytes), bytes.size(),
              data_of(digest), nullptr) != nullptr);
  return digest;
}

std::string hkdf_sha256(const HkdfInput& input, std::size_t bytes) {
  const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kdf{
      EVP_KDF_fetch(nullptr, "HKDF", nullptr), EVP_KDF_free};
  ASSERT(kdf != nullptr);
  const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context{
      EVP_KDF_CTX_new(kdf.get()), EVP_KDF_CTX_free};
  ASSERT(context != nullptr);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
      octets(OSSL_KDF_PARAM_KEY, input.secret),
      octets(OSSL_KDF_PARAM_SALT, input.salt),
      octets(OSSL_KDF_PARAM_INFO, input.info),
      OSSL_PARAM_construct_end(),
  };
  std::string out(bytes, '\0');
  ASSERT(EVP_KDF_derive(context.get(), data_of(out), out.size(), parameters) == 1);
  return out;
}

std::string random_bytes(std::size_t bytes) {
  std::string out(bytes, '\0');
  ASSERT(RAND_bytes(data_of(out), static_cast<int>(bytes)) == 1);
  return out;
}

bool are_equal(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    out.push_back(digits[value >> 4]);
    out.push_back(digits[value & 15]);
  }
  return out;
}

std::string from_hex(std::string_view hex) {
  std::string out;
  if (hex.size() % 2 != 0) return {};
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit_of(hex[i]);
    const int low = digit_of(hex[i + 1]);
    if (high < 0 || low < 0) return {};
    out.push_back(static_cast<char>(high << 4 | low));
  }
  return out;
}

}  // namespace crypto

std::string content_id(std::string_view bytes) { return crypto::to_hex(crypto::sha256(bytes)); }

}  // namespace sluice
