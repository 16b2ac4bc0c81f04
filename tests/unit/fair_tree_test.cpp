// fair_tree_test.cpp: an example worked out independently, and what must hold for any tree.
#include "daemon/sched/fair_tree.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <catch2/catch.hpp>

using namespace sluice;

namespace {

struct Example {
  std::vector<ShareNode> nodes;
  std::vector<std::map<std::string, std::string>> rows;  // column to text
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream text(line + ",");
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

Example read_example() {
  std::ifstream file(SLUICE_SOURCE "/tests/data/fairshare/fair_tree.csv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> heads = cells_of(line);
  Example example;
  std::map<std::string, std::size_t> place;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[heads[i]] = cells[i];
    ShareNode node;
    if (row["parent"] != "root") node.parent = place.at(row["parent"]);
    node.is_user = row["is_user"] == "1";
    if (row["raw_shares"] != "parent")
      node.shares = static_cast<std::uint32_t>(std::stoul(row["raw_shares"]));
    node.usage = std::stod(row["raw_usage_own"]);
    place[row["name"]] = example.nodes.size();
    example.nodes.push_back(node);
    example.rows.push_back(row);
  }
  return example;
}

std::vector<ShareNode> random_tree(std::mt19937& random) {
  const auto pick = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  std::vector<ShareNode> nodes;
  const std::size_t size = 1 + pick(40);
  for (std::size_t i = 0; i < size; ++i) {
    ShareNode node;
    if (!nodes.empty() && pick(3) > 0)
      if (const std::size_t parent = pick(static_cast<std::uint32_t>(nodes.size()));
          !nodes[parent].is_user)
        node.parent = parent;
    node.is_user = pick(2) == 0;
    if (pick(8) > 0) node.shares = pick(4);
    node.usage = node.is_user ? 100.0 * static_cast<double>(pick(5)) : 0;
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

TEST_CASE("Fair Tree gives the factors of Slurm's example, ties told apart exactly",
          "[fair_tree]") {
  const Example example = read_example();
  REQUIRE(example.nodes.size() == 34);
  const std::vector<FairShare> found = fair_tree(example.nodes);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& row = example.rows[i];
    INFO(row.at("name"));
    const auto is_near = [&](double value, const char* column) {
      return row.at(column).empty() || Approx(value).margin(1e-6) == std::stod(row.at(column));
    };
    CHECK(found[i].usage == std::stod(row.at("raw_usage_total")));
    if (example.nodes[i].shares) {
      CHECK(is_near(found[i].norm_shares, "norm_shares"));
      CHECK(is_near(found[i].level, "level_fs"));
    }
    CHECK(is_near(found[i].effective_usage, "eff_usage"));
    if (example.nodes[i].is_user) CHECK(is_near(found[i].factor, "fairshare_exact"));
  }
}

TEST_CASE("any tree: every user has a factor, and more usage alone never helps", "[fair_tree]") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::vector<ShareNode> nodes = random_tree(random);
    const std::vector<FairShare> found = fair_tree(nodes);
    double best = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      REQUIRE((found[i].factor > 0) == nodes[i].is_user);
      REQUIRE(found[i].factor <= 1);
      best = std::max(best, found[i].factor);
    }
    const bool has_users =
        std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.is_user; });
    REQUIRE(best == (has_users ? 1.0 : 0.0));
    const std::size_t more = random() % nodes.size();
    if (!nodes[more].is_user) continue;
    nodes[more].usage += 1000;
    REQUIRE(fair_tree(nodes)[more].factor <= found[more].factor);
  }
}

TEST_CASE("what doubles cannot tell apart is compared as fractions", "[fair_tree]") {
  // 1/3 against 2/6 of siblings that used alike: a tie, though the accounts differ in size.
  const std::vector<ShareNode> tied = {{{}, true, 1, 3}, {{}, true, 2, 6}, {{}, true, 10, 31}};
  const std::vector<FairShare> found = fair_tree(tied);
  REQUIRE(found[0].factor == 1.0);
  REQUIRE(found[1].factor == 1.0);
  REQUIRE(found[2].factor == Approx(1.0 / 3));
  // Nearly a tie is none.
  const std::vector<ShareNode> near = {{{}, true, 1, 1e15}, {{}, true, 1, 1e15 + 1}};
  REQUIRE(fair_tree(near)[1].factor == 0.5);
}

TEST_CASE("a tie holds where the doubles of both levels differ", "[fair_tree]") {
  // 864742672030085 / 1 and 5188456032180510 / 6 are the same fraction, and differ as doubles of
  // their shares and usages divided.
  const std::vector<FairShare> found = fair_tree({{{}, true, 1, 864742672030085},
                                                  {{}, true, 6, 5188456032180510},
                                                  {{}, true, 4, 812381323017540}});
  REQUIRE(found[0].level != found[1].level);
  REQUIRE(found[0].factor == found[1].factor);
}
