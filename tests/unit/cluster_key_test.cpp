// cluster_key_test.cpp: key files, and what is derived from them.
#include "common/net/cluster_key.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include "common/base/clock.h"
#include "common/net/content_id.h"
#include "common/net/crypto.h"
#include "common/net/dialer.h"
#include "tests/unit/net_support.h"

using namespace sluice;
using namespace sluice::net_test;

constexpr uid_t nobody = 65534;

TEST_CASE("a key file that others may read, or that is too short or missing, is refused", "[net]") {
  const Folder folder;
  const WallTime now = read_clocks().wall;
  const auto detail = [&](const std::string& file) {
    const Result<ClusterKey> key = ClusterKey::read(file, now);
    if (key) return std::string{"accepted"};
    CHECK(key.error().code == ErrorCode::key_unusable);
    return key.error().detail;
  };
  CHECK(detail(folder.write_key("good", key_text('a'))) == "accepted");
  CHECK(detail(folder.write_key("read_only", key_text('a'), 0400)) == "accepted");
  CHECK(detail(folder.write_key("loose", key_text('a'), 0644)) ==
        folder.path + "/loose: mode 0644 lets others in: run chmod 600 " + folder.path + "/loose");
  CHECK(detail(folder.write_key("group", key_text('a'), 0620)).find("mode 0620") !=
        std::string::npos);
  const std::string of_group = folder.write_key("of_group", key_text('a'), 0640);
  if (geteuid() == 0) {
    CHECK(detail(of_group) == "accepted");  // root's, for the controller's user
    REQUIRE(chown(of_group.c_str(), nobody, nobody) == 0);
  }
  CHECK(detail(of_group).find(geteuid() == 0 ? "belongs to uid" : "mode 0640") !=
        std::string::npos);
  CHECK(detail(folder.write_key("short", "too short\n")) ==
        folder.path + "/short: is too short: 8 characters, at least 32 are needed");
  CHECK(detail(folder.path + "/none").find("there is no cluster key") != std::string::npos);
  CHECK(detail(folder.path).find("is not a regular file") != std::string::npos);
  CHECK(detail(folder.write_key("node", "node:n1:zz")).find("node:NAME:FINGERPRINT:HEX") !=
        std::string::npos);
}

TEST_CASE("a key broken over lines is one key, and texts never hold a secret", "[net]") {
  const WallTime now = read_clocks().wall;
  const Result<ClusterKey> one_line = ClusterKey::parse(std::string(60, 'k'), "f", now);
  const Result<ClusterKey> two_lines =
      ClusterKey::parse(std::string(40, 'k') + "\n" + std::string(20, 'k') + "\r\n", "f", now);
  REQUIRE(one_line);
  REQUIRE(two_lines);
  CHECK(one_line->is_same_key(*two_lines));
  CHECK(one_line->fingerprint().size() == 8);
  CHECK(one_line->description().find("kkkk") == std::string::npos);
  CHECK(one_line->node_secret("a") != one_line->node_secret("b"));
  CHECK(one_line->node_secret("a")->size() == 32);
  CHECK(one_line->witness_secret()->size() == 32);
}

TEST_CASE("hashes and derivations agree with published vectors", "[net]") {
  CHECK(content_id("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 5869, test case 1.
  CHECK(crypto::to_hex(crypto::hkdf_sha256({.secret = std::string(22, '\x0b'),
                                            .salt = crypto::from_hex("000102030405060708090a0b0c"),
                                            .info = crypto::from_hex("f0f1f2f3f4f5f6f7f8f9")},
                                           42)) ==
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
  // RFC 4231, test case 2.
  CHECK(crypto::to_hex(crypto::hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST_CASE("retries spread out and never wait longer than five seconds", "[net]") {
  CHECK(retry_delay(1, 0).count() == 50);
  CHECK(retry_delay(1, 50).count() == 100);
  CHECK(retry_delay(4, 0).count() == 400);
  CHECK(retry_delay(1000, 2500).count() == 5000);
}
