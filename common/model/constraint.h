// constraint.h: what --constraint asks of the nodes of a job, "(a|b)&c", "a*2&b*1",
// "[rack1|rack2]".
//
// The text becomes choices, one of which the nodes must meet together: a bracket is a choice for
// all nodes of the job at once, a count asks for so many nodes at least. Without brackets there is
// one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/describe.h"
#include "common/base/result.h"

namespace sluice {

// A question to one node's features, in postfix: names, "&" and "|". Empty: every node will do.
using FeatureTest = std::vector<std::string>;

bool passes(const FeatureTest& test, const std::vector<std::string>& features);

struct FeatureCount {
  FeatureTest test;
  std::uint32_t nodes = 1;  // of the job's nodes, so many at least pass

  bool operator==(const FeatureCount&) const = default;
};
BOOST_DESCRIBE_STRUCT(FeatureCount, (), (test, nodes))

struct FeatureChoice {
  FeatureTest each;  // every node of the job passes
  std::vector<FeatureCount> counts;

  bool operator==(const FeatureChoice&) const = default;
};
BOOST_DESCRIBE_STRUCT(FeatureChoice, (), (each, counts))

// Nodes that the counts of a choice ask for, taken apart from each other.
std::uint32_t nodes_counted(const FeatureChoice& choice);

// '&' and ',' mean and, '|' or, and both bind alike to their left, as Slurm has it; NAME*COUNT and
// (...)*COUNT count nodes. In brackets '|' divides the choices. Memory taken is in proportion to
// the text. Errors: invalid_feature, whose detail quotes the text and says what was expected where.
Result<std::vector<FeatureChoice>> parse_constraint(std::string_view text);

// As Slurm shows it: as given, with '&' for ','.
std::string shown_constraint(std::string_view text);

}  // namespace sluice
