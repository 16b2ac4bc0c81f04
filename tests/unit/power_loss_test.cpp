// power_loss_test.cpp: a commit that was answered survives loss of power; without synchronous=FULL
// the same test must see losses, or it would prove nothing.
#include <catch2/catch.hpp>

#include "daemon/store/id_floor.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/sqlite_store.h"
#include "tests/sim/fault_vfs.h"
#include "tests/unit/store_support.h"

using namespace sluice;
using namespace sluice::store_test;
using sim::FaultDisk;
using sim::FaultVfs;

namespace {

struct Verdict {
  bool is_open = false;      // the file could be opened at all
  bool is_complete = false;  // every answered batch is there, and no half of any
  std::string text;
};

// `before` is what was answered; `after` has the batch too that was under way when the power went.
Verdict judge_disk(const StoreOptions& options, const Model& before, const Model& after) {
  const Result<std::unique_ptr<Store>> store = open_store(options);
  if (!store.ok()) return {false, false, to_text(store.error())};
  const Result<LoadedState> state = (*store)->load_all();
  if (!state.ok()) return {false, false, to_text(state.error())};
  Result<sqlite::Connection> connection =
      sqlite::Connection::open({.path = options.path, .vfs = options.vfs});
  if (!connection.ok()) return {false, false, to_text(connection.error())};
  const Result<std::string> intact = connection->text("PRAGMA integrity_check(1)");
  if (!intact.ok() || *intact != "ok") return {false, false, intact.ok() ? *intact : "check"};
  return {true, before.equals(*state) || after.equals(*state), "state differs"};
}

// Few pages of log, so that losses meet checkpoints too.
StoreOptions options_on(const FaultVfs& vfs, bool synchronous_full = true) {
  return {.path = "/state.db",
          .vfs = vfs.name(),
          .synchronous_full = synchronous_full,
          .background_checkpoint = false,
          .checkpoint_pages = 30};
}

// Commits random batches on a fresh disk until the power goes in the middle of an operation.
Verdict lose_power_once(std::uint64_t seed, bool synchronous_full) {
  FaultDisk disk;
  const FaultVfs vfs("power" + std::to_string(seed), disk);
  const StoreOptions options = options_on(vfs, synchronous_full);
  std::mt19937_64 random(seed);
  BatchMaker maker(seed);
  Model before;
  Model after;
  {
    const auto store = open_store(options).value();
    disk.cut_power_at(1 + random() % 1500);
    while (true) {
      const StoreBatch batch = maker.next(before);
      after.apply(batch);
      if (!store->commit(batch).ok()) break;
      before.apply(batch);
    }
    disk.power_loss(random());
  }
  return judge_disk(options, before, after);
}

}  // namespace

TEST_CASE("every answered batch survives 500 losses of power", "[store][power]") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Verdict verdict = lose_power_once(seed, true);
    INFO("seed " << seed << ": " << verdict.text);
    REQUIRE(verdict.is_complete);
  }
}

TEST_CASE("without synchronous=FULL losses of power are seen", "[store][power]") {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    if (!lose_power_once(seed, false).is_complete) ++lost;
  REQUIRE(lost > 10);
}

TEST_CASE("losses of power one after another, on one disk", "[store][power]") {
  const std::uint64_t seed = std::random_device{}();
  INFO("seed " << seed);
  FaultDisk disk;
  const FaultVfs vfs("power-again", disk);
  const StoreOptions options = options_on(vfs);
  std::mt19937_64 random(seed);
  BatchMaker maker(seed);
  Model model;
  for (int round = 0; round < 40; ++round) {
    {
      const auto store = open_store(options).value();
      REQUIRE(model.equals(store->load_all().value()));
      for (std::size_t i = random() % 20; i > 0; --i) {
        const StoreBatch batch = maker.next(model);
        REQUIRE(store->commit(batch).ok());
        model.apply(batch);
      }
      disk.power_loss(random());
    }
  }
}

TEST_CASE("a file made during a loss of power is whole or not there", "[store][power]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    FaultDisk disk;
    const FaultVfs vfs("made" + std::to_string(seed), disk);
    const StoreOptions options = options_on(vfs);
    disk.cut_power_at(1 + seed % 60);
    const bool was_made = open_store(options).ok();
    disk.power_loss(seed);
    if (was_made) continue;
    const auto store = open_store(options);
    if (!store.ok()) FAIL(to_text(store.error()));
    REQUIRE((*store)->load_all()->jobs.empty());
  }
}

TEST_CASE("no id is given twice, whenever the power goes", "[store][power]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    FaultDisk disk;
    std::mt19937_64 random(seed);
    JobId given{0};
    for (int round = 0; round < 5; ++round) {
      const auto open = [&] { return IdFloor::open(make_durable_value(disk, "/id_floor"), JobId{}); };
      Result<IdFloor> floor = open();
      REQUIRE(floor.ok());
      disk.cut_power_at(1 + random() % 30);
      while (true) {
        const Result<IdBlock> block = floor->reserve_block(JobId{1}, 10);
        if (!block.ok()) break;
        REQUIRE(block->first > given);
        given = JobId{block->end.value - 1};
      }
      disk.power_loss(random());
    }
  }
}
