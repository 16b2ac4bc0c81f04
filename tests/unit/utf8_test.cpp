// utf8_test.cpp: any bytes become UTF-8, and what is UTF-8 stays.
#include "common/base/utf8.h"

#include <catch2/catch.hpp>

using namespace sluice;

TEST_CASE("well-formed text stays as it is", "[utf8]") {
  for (const char* text : {"", "plain", "J\xc3\xbcrgen", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    REQUIRE(to_valid_utf8(text) == text);
}

TEST_CASE("each byte that is not part of a sequence is replaced", "[utf8]") {
  const std::string gone = "\xef\xbf\xbd";
  REQUIRE(to_valid_utf8("a\xff z") == "a" + gone + " z");
  REQUIRE(to_valid_utf8("\xc3") == gone);                                   // cut off
  REQUIRE(to_valid_utf8("\xc0\xaf") == gone + gone);                        // overlong
  REQUIRE(to_valid_utf8("\xe0\x80\x80") == gone + gone + gone);             // overlong
  REQUIRE(to_valid_utf8("\xed\xa0\x80") == gone + gone + gone);             // a surrogate
  REQUIRE(to_valid_utf8("\xf4\x90\x80\x80") == gone + gone + gone + gone);  // beyond the last one
  REQUIRE(to_valid_utf8("\xe2\x82"
                        "x") == gone + gone + "x");
}
