// index_set_test.cpp: sets of array tasks.
#include <catch2/catch.hpp>

#include "common/model/index_set.h"

using namespace sluice;

TEST_CASE("what two sets have in common is found from the smaller one", "[index_set]") {
  const IndexSet odd{{{1, 9, 2}}};
  const IndexSet all{{{0, 2'147'483'647, 1}}};
  const IndexSet even{{{0, 2'147'483'646, 2}}};
  REQUIRE(to_text(odd.common_with(all)) == "1,3,5,7,9");
  REQUIRE(odd.shares_with(all));
  REQUIRE(odd.common_with(even).empty());
  REQUIRE_FALSE(odd.shares_with(even));
  REQUIRE_FALSE(IndexSet{}.shares_with(all));
}

TEST_CASE("a set takes in another", "[index_set]") {
  IndexSet set{{{1, 3, 1}}};
  set.insert(IndexSet{{{2, 6, 2}}});
  REQUIRE(to_text(set) == "1-4,6");
  REQUIRE(set.size() == 5);
}

TEST_CASE("ranges are valid when they can be walked through to their end", "[index_set]") {
  REQUIRE(IndexRange{3, 3, 1}.is_valid());
  REQUIRE(IndexRange{0, 9, 3}.is_valid());
  REQUIRE_FALSE(IndexRange{0, 9, 0}.is_valid());
  REQUIRE_FALSE(IndexRange{0, 9, 2}.is_valid());
  REQUIRE_FALSE(IndexRange{9, 0, 1}.is_valid());
  REQUIRE(IndexSet{{{2, 6, 2}, {3, 3, 1}}}.is_valid());
  REQUIRE_FALSE(IndexSet{{{3, 3, 1}, {2, 6, 2}}}.is_valid());
}
