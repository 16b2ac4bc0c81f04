// store_files_test.cpp: the small files beside the state file: id floor, ballast, whole values.
#include <catch2/catch.hpp>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "common/base/file.h"
#include "daemon/store/free_space.h"
#include "daemon/store/id_floor.h"
#include "daemon/store/sqlite_store.h"
#include "tests/unit/store_support.h"

using namespace sluice;
using namespace sluice::store_test;

namespace {

constexpr std::uint64_t mib = 1 << 20;

// A file system of its own, of few megabytes; only root can make one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    is_mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=24m") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  bool is_mounted() const { return is_mounted_; }
  bool has(const std::string& name) const {
    return ::access((folder_ + "/" + name).c_str(), F_OK) == 0;
  }
  // Leaves `left` bytes.
  void fill(std::uint64_t left) {
    std::ofstream file(folder_ + "/filler", std::ios::binary | std::ios::app);
    const std::string block(4096, 'f');
    while (std::filesystem::space(folder_).available > left && file) file << block << std::flush;
  }
  void empty() { ::unlink((folder_ + "/filler").c_str()); }

 private:
  std::string folder_;
  bool is_mounted_ = false;
};

JobRecordPtr running_job(std::uint32_t id) { return shared(started(make_job(id, 1), 10)); }

}  // namespace

TEST_CASE("blocks of ids begin at the highest of all that is known", "[store]") {
  REQUIRE(next_block(JobId{10}, JobId{1}, 5).value() == IdBlock{JobId{10}, JobId{15}});
  REQUIRE(next_block(JobId{10}, JobId{40}, 5).value() == IdBlock{JobId{40}, JobId{45}});
  REQUIRE(next_block(JobId{0}, JobId{0}, 0).value() == IdBlock{JobId{1}, JobId{2}});
  REQUIRE(next_block(JobId{job_id_end - 3}, JobId{1}, 5).value() ==
          IdBlock{JobId{job_id_end - 3}, JobId{job_id_end}});
  REQUIRE(next_block(JobId{job_id_end}, JobId{1}, 5).error().code == ErrorCode::limit_exceeded);
}

TEST_CASE("the floor outlives the process and a state file that was lost", "[store]") {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/id_floor";
  {
    IdFloor floor = IdFloor::open(make_durable_file(path), JobId{0}).value();
    REQUIRE(floor.reserve_block(JobId{1}, 100).value() == IdBlock{JobId{1}, JobId{101}});
    REQUIRE(floor.reserve_block(JobId{500}, 100).value() == IdBlock{JobId{500}, JobId{600}});
  }
  REQUIRE(IdFloor::open(make_durable_file(path), JobId{7})->floor() == JobId{600});
  REQUIRE(IdFloor::open(make_durable_file(path), JobId{700})->floor() == JobId{701});
}

TEST_CASE("the floor's file says which ids a restore left without a record", "[store]") {
  const FloorRecord record{JobId{600}, {{JobId{3}, JobId{10}}, {JobId{40}, JobId{600}}}};
  REQUIRE(floor_to_text(record) == "sluice id floor 1\n600\nunrecorded 3 10\nunrecorded 40 600\n");
  REQUIRE(floor_from_text(floor_to_text(record)).value() == record);

  const ScratchFolder folder;
  const std::string path = folder.path() + "/id_floor";
  REQUIRE(replace_file(path, floor_to_text(record)).ok());
  IdFloor floor = IdFloor::open(make_durable_file(path), JobId{0}).value();
  REQUIRE(floor.reserve_block(JobId{1}, 100).ok());
  REQUIRE(IdFloor::open(make_durable_file(path), JobId{0})->unrecorded() == record.unrecorded);

  FloorRecord restored = record;
  restored.is_restored = true;
  REQUIRE(floor_to_text(restored) ==
          "sluice id floor 1\n600\nrestored\nunrecorded 3 10\nunrecorded 40 600\n");
  REQUIRE(floor_from_text(floor_to_text(restored)).value() == restored);
  REQUIRE(replace_file(path, floor_to_text(restored)).ok());
  floor = IdFloor::open(make_durable_file(path), JobId{0}).value();
  REQUIRE(floor.reserve_block(JobId{1}, 100).ok());
  REQUIRE(IdFloor::open(make_durable_file(path), JobId{0})->is_restored());
  REQUIRE(floor.forget_restore().ok());
  REQUIRE_FALSE(IdFloor::open(make_durable_file(path), JobId{0})->is_restored());
}

TEST_CASE("a restore never lowers the floor, and what lies between is unrecorded", "[store]") {
  const FloorRecord known{JobId{101}, {}};
  REQUIRE(floor_after_restore(known, JobId{50}, JobId{20}) ==
          FloorRecord{JobId{101}, {{JobId{21}, JobId{101}}}, true});
  REQUIRE(floor_after_restore(known, std::nullopt, JobId{20}).floor == JobId{101});
  // Without a file of its own the highest job of both states is what is known.
  REQUIRE(floor_after_restore({}, JobId{50}, JobId{20}) ==
          FloorRecord{JobId{51}, {{JobId{21}, JobId{51}}}, true});
  REQUIRE(floor_after_restore({}, JobId{20}, JobId{50}) == FloorRecord{JobId{51}, {}, true});
  REQUIRE(floor_after_restore(known, JobId{20}, JobId{300}) == FloorRecord{JobId{301}, {}, true});
  // Later ones add to the earlier, and what touches is one.
  const FloorRecord twice{JobId{200}, {{JobId{21}, JobId{101}}, {JobId{120}, JobId{130}}}};
  REQUIRE(floor_after_restore(twice, JobId{199}, JobId{150}).unrecorded ==
          std::vector<IdBlock>{
              {JobId{21}, JobId{101}}, {JobId{120}, JobId{130}}, {JobId{151}, JobId{200}}});
  REQUIRE(floor_after_restore(twice, JobId{199}, JobId{100}).unrecorded ==
          std::vector<IdBlock>{{JobId{21}, JobId{200}}});
}

TEST_CASE("a damaged floor is an error, never a guess", "[store]") {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/id_floor";
  for (const char* text :
       {"", "17", "sluice id floor 1\n17", "sluice id floor 1\n17x\n",
        "sluice id floor 1\n4294967295\n", "sluice id floor 1\n17\nunrecorded 3\n",
        "sluice id floor 1\n17\nlost 3 4\n", "sluice id floor 1\n17\n\n"}) {
    std::ofstream(path, std::ios::trunc) << text;
    REQUIRE(IdFloor::open(make_durable_file(path), JobId{0}).error().code == ErrorCode::io_error);
  }
}

TEST_CASE("a value is replaced as a whole or an error says why", "[store]") {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/value";
  REQUIRE(read_file(path, 10).value() == std::nullopt);
  REQUIRE(replace_file(path, "one").ok());
  REQUIRE(replace_file(path, std::string("tw\0", 3)).ok());
  REQUIRE(read_file(path, 10).value() == std::string("tw\0", 3));
  REQUIRE(read_file(path, 2).error().code == ErrorCode::limit_exceeded);
  const Result<void> refused = replace_file(folder.path() + "/none/value", "x");
  REQUIRE(refused.error().detail.find("/none/value") != std::string::npos);
  REQUIRE(folder_of("/a/b") == "/a");
  REQUIRE(folder_of("/a") == "/");
  REQUIRE(folder_of("a") == ".");
}

TEST_CASE("space is judged against reserve and ballast", "[store]") {
  const BallastPlan plan{.reserve_bytes = 100, .ballast_bytes = 10};
  REQUIRE(judge_space(150, true, plan).usable_bytes == 50);
  REQUIRE(judge_space(150, true, plan).step == BallastStep::keep);
  REQUIRE(judge_space(100, true, plan).usable_bytes == 0);
  REQUIRE(judge_space(100, true, plan).step == BallastStep::give_back);
  // Without the ballast there is nothing to use until there is room to make it again.
  REQUIRE(judge_space(119, false, plan).usable_bytes == 0);
  REQUIRE(judge_space(119, false, plan).step == BallastStep::keep);
  REQUIRE(judge_space(120, false, plan).step == BallastStep::make);
  REQUIRE(judge_space(120, false, plan).usable_bytes == 20);
}

TEST_CASE("on a full disk new work is refused and running work still ends", "[store]") {
  const ScratchFolder folder;
  SmallDisk disk(folder.path());
  if (!disk.is_mounted()) {
    WARN("skipped: a full disk (needs root to mount a small tmpfs)");
    return;
  }
  BallastedSpace space(folder.path(), {.reserve_bytes = 2 * mib, .ballast_bytes = 6 * mib});
  REQUIRE(space.usable_bytes() > 10 * mib);
  REQUIRE(disk.has("ballast"));
  const auto store = open_store({.path = folder.path() + "/state.db", .space = &space}).value();
  StoreBatch batch;
  batch.specs = {stored(1, make_spec("first", 1000))};
  for (std::uint32_t id = 1; id <= 200; ++id) batch.jobs.push_back(running_job(id));
  REQUIRE(store->commit(batch).ok());

  SECTION("seen before a commit") {
    disk.fill(mib);
    REQUIRE(store->free_bytes() == 0);
    REQUIRE_FALSE(disk.has("ballast"));
    REQUIRE(store->free_bytes() == 0);
  }
  SECTION("seen only by a commit") {
    disk.fill(0);
    REQUIRE(disk.has("ballast"));
  }
  StoreBatch ends;
  for (std::uint32_t id = 1; id <= 200; ++id) ends.jobs.push_back(shared(ended(*running_job(id), 20)));
  for (int i = 0; i < 5; ++i) REQUIRE(store->commit(ends).ok());
  REQUIRE_FALSE(disk.has("ballast"));
  REQUIRE(store->free_bytes() == 0);

  disk.empty();
  REQUIRE(store->free_bytes() > 0);
  REQUIRE(disk.has("ballast"));
}

TEST_CASE("a commit that finds no room at all leaves the state as it was", "[store]") {
  const ScratchFolder folder;
  SmallDisk disk(folder.path());
  if (!disk.is_mounted()) {
    WARN("skipped: a commit without room (needs root to mount a small tmpfs)");
    return;
  }
  const StoreOptions options{.path = folder.path() + "/state.db"};
  StoreBatch batch;
  batch.specs = {stored(1, make_spec("first", 1000))};
  {
    const auto store = open_store(options).value();
    REQUIRE(store->commit(batch).ok());
    disk.fill(0);
    batch.blobs = {{"big", std::make_shared<const std::string>(std::string(2 * mib, 'x'))}};
    batch.jobs = {running_job(1)};
    REQUIRE(store->commit(batch).error().code == ErrorCode::store_full);
    disk.empty();
    REQUIRE(store->load_all()->jobs.empty());
    REQUIRE(store->commit(batch).ok());
  }
  REQUIRE(open_store(options).value()->load_all()->jobs.size() == 1);
}
