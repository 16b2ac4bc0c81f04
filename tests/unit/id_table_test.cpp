// id_table_test.cpp: the table agrees with std::map, and copies never see later changes.
#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

#include "common/base/id_set.h"
#include "common/base/id_table.h"

using sluice::IdTable;

namespace {
std::map<std::uint32_t, int> contents(const IdTable<int>& table, std::uint32_t first = 0) {
  std::map<std::uint32_t, int> all;
  table.for_each(
      [&](std::uint32_t id, int value) {
        all[id] = value;
        return true;
      },
      first);
  return all;
}
}  // namespace

TEST_CASE("a table agrees with a map, and a copy keeps what it saw", "[id_table]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  std::mt19937 generator(seed);
  auto random = [&](std::uint32_t end) { return static_cast<std::uint32_t>(generator() % end); };
  IdTable<int> table;
  std::map<std::uint32_t, int> model;
  std::vector<std::pair<IdTable<int>, std::map<std::uint32_t, int>>> copies;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint32_t id = random(3) == 0 ? random(0x7fffffff) : random(3000);
    const int value = static_cast<int>(random(1000));
    switch (random(4)) {
      case 0: table.erase(id); model.erase(id); break;
      case 1:
        if (model.count(id)) table.edit(id) = model[id] = value;
        break;
      default: table.put(id, value); model[id] = value;
    }
    if (step % 2000 == 0) copies.emplace_back(table, model);
  }
  REQUIRE(contents(table) == model);
  REQUIRE(table.size() == model.size());
  for (const auto& [copy, then] : copies) REQUIRE(contents(copy) == then);
  const auto tail = contents(table, 1500);
  REQUIRE(tail == std::map<std::uint32_t, int>(model.lower_bound(1500), model.end()));
}

TEST_CASE("a set of ids agrees with std::set, and a copy keeps what it saw", "[id_table]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  std::mt19937 generator(seed);
  const auto contents_of = [](const sluice::IdSet& ids, std::uint32_t first) {
    std::vector<std::uint32_t> all;
    ids.for_each(
        [&](std::uint32_t id) {
          all.push_back(id);
          return all.size() < 20;
        },
        first);
    return all;
  };
  sluice::IdSet ids;
  std::set<std::uint32_t> model;
  for (int i = 0; i < 3000; ++i) {
    const auto id = static_cast<std::uint32_t>(generator() % 200 + (generator() % 3) * 1'000'000);
    const sluice::IdSet before = ids;
    const bool was_in = model.contains(id);
    if (was_in) ids.erase(id), model.erase(id);
    else ids.insert(id), model.insert(id);
    REQUIRE(before.contains(id) == was_in);
    REQUIRE(ids.contains(id) != was_in);
    REQUIRE(ids.empty() == model.empty());
    std::vector<std::uint32_t> wanted;
    for (auto at = model.lower_bound(id); at != model.end() && wanted.size() < 20; ++at)
      wanted.push_back(*at);
    REQUIRE(contents_of(ids, id) == wanted);
  }
}
