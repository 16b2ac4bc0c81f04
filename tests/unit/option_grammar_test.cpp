// option_grammar_test.cpp: the grammars of option values, good and bad examples of the contract.
#include <catch2/catch.hpp>

#include "common/options/grammar.h"

using namespace sluice;

TEST_CASE("time limits are whole minutes, seconds round up", "[options]") {
  const auto [text, minutes] = GENERATE(table<std::string, std::uint32_t>(
      {{"90", 90},        {"1:30", 2},          {"0:01", 1},      {"1:2:59", 63},
       {"1-2", 1560},     {"25:00:00", 1500},   {"1:60", 2},      {"100000", 100000},
       {"1-", 1440},      {"1-2:30", 1590},     {"1-2:30:01", 1591}, {"00:05:00", 5},
       {"0:5:0", 5},      {"0-25:00", 1500},    {"5", 5}}));
  CAPTURE(text);
  REQUIRE(parse_time_limit(text).value() == TimeLimit{.unlimited = false, .minutes = minutes});
}

TEST_CASE("zero and the words mean no time limit", "[options]") {
  const std::string text = GENERATE("0", "0:00", "-1", "UNLIMITED", "infinite", "Unlimited", "0-0");
  CAPTURE(text);
  REQUIRE(parse_time_limit(text).value().unlimited);
}

TEST_CASE("bad time limits are refused, quoted and explained", "[options]") {
  const std::string text = GENERATE("1.5", "1h", "5m", "1d", " 5", "5 ", "", "1:2:3:4", "1-2:3:4:5",
                                    "-5", "--1", "1:", ":1", "1-2-3", "99999999999999",
                                    "99999999999999999999999", "4294967295", "+5", "0x10");
  CAPTURE(text);
  const Result<TimeLimit> limit = parse_time_limit(text);
  REQUIRE_FALSE(limit.ok());
  REQUIRE(limit.error().code == ErrorCode::invalid_time);
  REQUIRE(limit.error().detail.find("\"" + text + "\"") == 0);
}

TEST_CASE("memory is MB unless a unit follows, rounded up", "[options]") {
  const auto [text, mb] = GENERATE(table<std::string, std::uint64_t>(
      {{"100", 100}, {"100M", 100}, {"4G", 4096}, {"4g", 4096}, {"4GB", 4096}, {"512mb", 512},
       {"100K", 1}, {"1500K", 2}, {"1024K", 1}, {"1T", 1 << 20}, {"0", 0}, {"477M", 477}}));
  CAPTURE(text);
  REQUIRE(parse_memory_mb(text).value() == mb);
}

TEST_CASE("bad memory sizes are refused and quoted", "[options]") {
  const std::string text = GENERATE("1.5G", "10MiB", "1P", "10B", "-1", "", "G", "B", "1 G", "+1G",
                                    "18446744073709551615T", "99999999999999999999");
  CAPTURE(text);
  const Result<std::uint64_t> memory = parse_memory_mb(text);
  REQUIRE_FALSE(memory.ok());
  REQUIRE(memory.error().code == ErrorCode::invalid_memory);
  REQUIRE(memory.error().detail.find("\"" + text + "\"") == 0);
}
