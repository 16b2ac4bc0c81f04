// age_test.cpp: how long ago, as people say it.
#include <catch2/catch.hpp>

#include "common/options/age.h"

using namespace sluice;

TEST_CASE("an age is a number and a unit", "[age]") {
  const std::pair<const char*, std::uint64_t> good[] = {
      {"12h", 43'200},         {"90d", 7'776'000},  {"1w", 604'800},
      {"6months", 15'552'000}, {"1y", 31'536'000},  {"1month", 2'592'000},
      {"2 years", 63'072'000}, {"24Hours", 86'400}, {"0d", 0},
  };
  for (const auto& [text, seconds] : good) {
    CAPTURE(text);
    const Result<std::uint64_t> age = parse_age(text);
    REQUIRE(age.ok());
    REQUIRE(*age == seconds);
  }
}

TEST_CASE("what is no age is refused with the nearest that is one", "[age]") {
  constexpr const char* example = "such as 1y, 6months, 90d or 12h";
  const std::pair<const char*, const char*> bad[] = {
      {"", example},
      {"year", example},
      {"-1d", example},
      {"1.5y", example},
      {"90", "did you mean 90d?"},
      {"6m", "did you mean 6months?"},
      {"90dys", "did you mean 90days?"},
      {"1yaer", "did you mean 1year?"},
      {"3fortnights", example},
      {"99999999999d", "'99999999999d' is too long ago: 1000000 at most"},
  };
  for (const auto& [text, wanted] : bad) {
    CAPTURE(text);
    const Result<std::uint64_t> age = parse_age(text);
    REQUIRE_FALSE(age.ok());
    REQUIRE(age.error().code == ErrorCode::invalid_time);
    CAPTURE(age.error().detail);
    REQUIRE(age.error().detail.ends_with(wanted));
  }
}
