// hostlist_test.cpp: lists as Slurm 22.05 expands and shortens them, and the way back.
#include <catch2/catch.hpp>

#include <random>

#include "common/base/hostlist.h"

using namespace sluice;

namespace {
using Names = std::vector<std::string>;

Names expanded(std::string_view text) {
  const Result<Names> names = expand_hostlist(text);
  INFO(text);
  REQUIRE(names.ok());
  return *names;
}

Error refused(std::string_view text) {
  const Result<Names> names = expand_hostlist(text);
  INFO(text);
  REQUIRE(!names.ok());
  return names.error();
}
}  // namespace

TEST_CASE("a hostlist expands in the order written", "[listing]") {
  REQUIRE(expanded("n[1-3,5],m1") == Names{"n1", "n2", "n3", "n5", "m1"});
  REQUIRE(expanded("n[1,1,2]") == Names{"n1", "n1", "n2"});
  REQUIRE(expanded("n[01-03]") == Names{"n01", "n02", "n03"});
  REQUIRE(expanded("n[9-11]") == Names{"n9", "n10", "n11"});
  REQUIRE(expanded("n[098-101]") == Names{"n098", "n099", "n100", "n101"});
  REQUIRE(expanded("n[01-02]x[1-2]") == Names{"n01x1", "n01x2", "n02x1", "n02x2"});
  REQUIRE(expanded("None assigned") == Names{"None", "assigned"});
  REQUIRE(expanded(",a,,b,") == Names{"a", "b"});
  REQUIRE(expanded("").empty());
}

TEST_CASE("a broken hostlist is refused with what is wrong", "[listing]") {
  REQUIRE(refused("n[3-1]") == Error{ErrorCode::invalid_hostlist, "n[3-1]: range 3-1 falls"});
  REQUIRE(refused("a,n[1-2").detail == "n[1-2: '[' is not closed");
  REQUIRE(refused("n[1-10:3]").detail == "n[1-10:3]: \"10:3\" is not a number");
  REQUIRE(refused("a[1-3]b").detail == "a[1-3]b: \"b\" after the bracket");
  REQUIRE(refused("n1]").detail == "n1]: ']' without '['");
  REQUIRE(refused("n[]").code == ErrorCode::invalid_hostlist);
  REQUIRE(refused("n[1,]").code == ErrorCode::invalid_hostlist);
  REQUIRE(refused("n[1-2-3]").code == ErrorCode::invalid_hostlist);
  REQUIRE(refused("n[[1]]").code == ErrorCode::invalid_hostlist);
  REQUIRE(refused("n[1111111111111111111111]").code == ErrorCode::invalid_hostlist);
}

TEST_CASE("a hostlist of too many names is refused before it takes memory", "[listing]") {
  REQUIRE(expanded("n[1-1000000]").size() == 1'000'000);
  REQUIRE(refused("n[1-1000001]").code == ErrorCode::limit_exceeded);
  REQUIRE(refused("n[0-999999999999999999]").code == ErrorCode::limit_exceeded);
  REQUIRE(refused("n[1-1000]x[1-1000]y[1-1000]z[1-1000]").code == ErrorCode::limit_exceeded);
  REQUIRE(refused("n[1-999999],m[1-2]").code == ErrorCode::limit_exceeded);
  REQUIRE(refused(std::string(1000, 'x') + "[1-1000000]").code == ErrorCode::limit_exceeded);
}

TEST_CASE("names are shortened by Slurm's rules of order", "[listing]") {
  const auto compressed = [](Names names) { return compress_hostlist(names); };
  REQUIRE(compressed({"n1", "n2", "n3", "n5", "m1", "m3"}) == "n[1-3,5],m[1,3]");
  REQUIRE(compressed({"n01", "n2", "n03", "n002"}) == "n[01,2,03,002]");
  REQUIRE(compressed({"n1", "n1", "n2"}) == "n[1,1-2]");
  REQUIRE(compressed({"n3"}) == "n3");
  REQUIRE(compressed({"a", "n8", "n9", "n10", "b"}) == "a,n[8-10],b");
  REQUIRE(compressed({"n098", "n099", "n100"}) == "n[098-100]");
  REQUIRE(compressed({"n5", "n1", "n2"}) == "n[5,1-2]");
  REQUIRE(compressed({"n01x1", "n01x2"}) == "n01x[1-2]");
  REQUIRE(compressed({}) == "");
  REQUIRE(compress_hostlist_sorted({"n5", "n10", "n1", "n2", "a"}) == "a,n[1-2,5,10]");
}

TEST_CASE("random names survive compress and expand", "[listing]") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  static const Names prefixes = {"n", "node-", "n0", "rack1x", ""};
  for (int round = 0; round < 2000; ++round) {
    Names names;
    const unsigned count = below(30);
    for (unsigned i = 0; i < count; ++i) {
      std::string digits;
      while (below(4) == 0) digits += '0';
      digits += std::to_string(below(12) + (below(4) == 0 ? 95U : 0U));
      names.push_back(below(8) == 0 ? "login" : prefixes[below(5)] + digits);
    }
    const std::string text = compress_hostlist(names);
    INFO(text);
    REQUIRE(expanded(text) == names);
  }
}
