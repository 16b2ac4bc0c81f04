// constraint_test.cpp: the grammars of --constraint and --licenses.
#include <catch2/catch.hpp>

#include "common/model/constraint.h"
#include "common/model/licenses.h"

using namespace sluice;

namespace {

// The one choice of a constraint without brackets.
FeatureChoice only_choice(std::string_view text) {
  const auto choices = parse_constraint(text);
  REQUIRE(choices.ok());
  REQUIRE(choices->size() == 1);
  return choices->front();
}

bool meets(std::string_view text, const std::vector<std::string>& features) {
  return passes(only_choice(text).each, features);
}

}  // namespace

TEST_CASE("features are joined by and, by or, and grouped", "[constraint]") {
  REQUIRE(meets("a", {"b", "a"}));
  REQUIRE_FALSE(meets("a", {"b"}));
  REQUIRE(meets("a&b", {"a", "b"}));
  REQUIRE_FALSE(meets("a,b", {"a"}));
  REQUIRE(meets("a|b", {"b"}));
  REQUIRE_FALSE(meets("a|b", {"c"}));
  REQUIRE(meets("(a|b)&c", {"b", "c"}));
  REQUIRE_FALSE(meets("(a|b)&c", {"b"}));
  REQUIRE(meets("c&(a|(b&d))", {"b", "c", "d"}));
  REQUIRE_FALSE(meets("c&(a|(b&d))", {"b", "c"}));
  REQUIRE(passes({}, {}));
}

TEST_CASE("what stands further left is joined first, as in Slurm", "[constraint]") {
  REQUIRE_FALSE(meets("a|b&c", {"a"}));
  REQUIRE(meets("a|b&c", {"a", "c"}));
}

TEST_CASE("counted features ask for so many nodes and leave the others free", "[constraint]") {
  const FeatureChoice choice = only_choice("c&a*2&(a|b)*1");
  REQUIRE(choice.each == FeatureTest{"c"});
  REQUIRE(choice.counts.size() == 2);
  REQUIRE(choice.counts[0] == FeatureCount{{"a"}, 2});
  REQUIRE(choice.counts[1] == FeatureCount{{"a", "b", "|"}, 1});
  REQUIRE(nodes_counted(choice) == 3);
}

TEST_CASE("a bracket is a choice for all nodes at once, and brackets multiply", "[constraint]") {
  const auto choices = parse_constraint("x&[a|b&c|d*2]").value();
  REQUIRE(choices.size() == 3);
  REQUIRE(choices[0].each == FeatureTest{"x", "a", "&"});
  REQUIRE(choices[1].each == FeatureTest{"x", "b", "c", "&", "&"});
  REQUIRE(choices[2].each == FeatureTest{"x"});
  REQUIRE(choices[2].counts.front() == FeatureCount{{"d"}, 2});
  REQUIRE(parse_constraint("[a|b]&[c|d]")->size() == 4);
}

TEST_CASE("broken constraints are refused with the text, what was expected and where",
          "[constraint]") {
  REQUIRE(
      parse_constraint("a&").error() ==
      Error{ErrorCode::invalid_feature, "\"a&\": expected the name of a feature at character 3"});
  REQUIRE(parse_constraint("x'); DROP").error().detail ==
          "\"x'); DROP\": expected '&', ',' or '|' at character 2");
  std::string deep(40, '(');
  const std::string bad =
      GENERATE_COPY(as<std::string>{}, "", "&a", "a||b", "(a", "a)", "[a", "[a|]", "[[a]]", "a*0",
                    "a*", "a*x", "a*2|b*2", "a|[b]", "(a*2)", "a b", "()", "[]", "a,,b",
                    "a*4294967296", deep, "[a|b]&[a|b]&[a|b]&[a|b]&[a|b]&[a|b]&[a|b]");
  CAPTURE(bad);
  REQUIRE(parse_constraint(bad).error().code == ErrorCode::invalid_feature);
}

TEST_CASE("a constraint is shown as given, with & for the comma", "[constraint]") {
  REQUIRE(shown_constraint("(a|b),c*2") == "(a|b)&c*2");
}

TEST_CASE("licences: names with counts, added up by name", "[licenses]") {
  REQUIRE(parse_licenses("lica").value() == std::vector<LicenseCount>{{"lica", 1}});
  REQUIRE(parse_licenses("lica:2,licb:1,lica:3").value() ==
          std::vector<LicenseCount>{{"lica", 5}, {"licb", 1}});
  REQUIRE(parse_licenses("lica:0")->empty());
  REQUIRE(to_text({{"lica", 5}, {"licb", 1}}) == "lica:5,licb:1");
  const std::string bad = GENERATE("", "lica:2|licb:1", "lica:", "lica:x", ":2", "lica,,licb",
                                   "lica:-1", "lica:4294967296", "a:4294967295,a:1", "l a");
  CAPTURE(bad);
  REQUIRE(parse_licenses(bad).error().code == ErrorCode::invalid_license);
}

TEST_CASE("licences are taken and given back by name", "[licenses]") {
  std::vector<LicenseCount> used{{"lica", 2}};
  add_licenses(used, {{"licb", 1}, {"lica", 3}});
  REQUIRE(used == std::vector<LicenseCount>{{"lica", 5}, {"licb", 1}});
  subtract_licenses(used, {{"lica", 5}});
  REQUIRE(used == std::vector<LicenseCount>{{"licb", 1}});
  REQUIRE(count_of(used, "lica") == 0);
}
