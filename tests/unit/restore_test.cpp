// restore_test.cpp: a state file goes back to a backup: in one step, with the former one kept, the
// floor of ids never lower; and what is no good backup changes nothing.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "common/base/file.h"
#include "daemon/store/backup.h"
#include "daemon/store/id_floor.h"
#include "daemon/store/sqlite.h"
#include "tests/unit/store_support.h"

using namespace sluice;
using namespace sluice::store_test;

namespace {

// A state of two jobs, its floor at 101, and a backup that knows only the first.
struct Scene {
  ScratchFolder folder;
  RestorePlace place{folder.path() + "/state.db", folder.path() + "/id_floor"};
  std::string backup = folder.path() + "/backup.db";

  Scene() {
    const auto store = must_open(fast_options(folder));
    must_commit(*store, one_submit());
    REQUIRE(store->backup(backup).ok());
    StoreBatch more;
    more.jobs = {shared(make_job(2, 1))};
    must_commit(*store, more);
    REQUIRE(replace_file(place.id_floor, floor_to_text({JobId{101}, {}})).ok());
  }
  Restored must_restore() const {
    const Result<Restored> done = restore_backup(backup, place);
    if (!done.ok()) FAIL(to_text(done.error()));
    return *done;
  }
  std::size_t jobs_in(const std::string& path) const {
    return must_load(*must_open({.path = path})).jobs.size();
  }
  std::string floor() const { return content_of(place.id_floor); }
  void write(const std::string& path, const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  // The backup with other bytes.
  void change_backup(const std::function<void(std::string&)>& change) const {
    std::string bytes = content_of(backup);
    change(bytes);
    write(backup, bytes);
  }
  std::string refusal() const {
    const Result<Restored> done = restore_backup(backup, place);
    REQUIRE_FALSE(done.ok());
    return to_text(done.error());
  }
};

}  // namespace

TEST_CASE("a restored state is in place, the former one is kept", "[store]") {
  const Scene scene;
  SECTION("over a good file") {
    const Restored done = scene.must_restore();
    REQUIRE(done.state.jobs == 1);
    REQUIRE(done.state.jobs_not_ended == 1);
    REQUIRE(done.state.highest_job == JobId{1});
    REQUIRE(done.kept_as == scene.place.database + ".before-restore");
    REQUIRE(scene.jobs_in(scene.place.database) == 1);
    REQUIRE(scene.jobs_in(done.kept_as) == 2);
    REQUIRE(mode_of(scene.place.database) == 0600);
    // What an earlier restore set aside stays.
    REQUIRE(scene.must_restore().kept_as == scene.place.database + ".before-restore-2");
    REQUIRE(scene.jobs_in(done.kept_as) == 2);
  }
  SECTION("over a damaged one") {
    scene.write(scene.place.database, "damaged");
    REQUIRE(content_of(scene.must_restore().kept_as) == "damaged");
    REQUIRE(scene.jobs_in(scene.place.database) == 1);
  }
  SECTION("where there was none") {
    const RestorePlace fresh{scene.folder.path() + "/new.db", scene.folder.path() + "/new_floor"};
    const Result<Restored> done = restore_backup(scene.backup, fresh);
    REQUIRE(done.ok());
    REQUIRE(done->kept_as.empty());
    REQUIRE_FALSE(done->floor_was_known);
    REQUIRE(scene.jobs_in(fresh.database) == 1);
  }
}

TEST_CASE("a log never meets the file that took the place of its own", "[store]") {
  const Scene scene;
  std::string log;
  {
    const auto store = must_open(fast_options(scene.folder));
    StoreBatch more;
    more.jobs = {shared(make_job(3, 1))};
    must_commit(*store, more);
    log = content_of(scene.place.database + "-wal");
  }
  REQUIRE_FALSE(log.empty());
  // As a controller that was killed leaves it, with a file that cannot be read any more.
  scene.write(scene.place.database, "damaged");
  scene.write(scene.place.database + "-wal", log);
  const Restored done = scene.must_restore();
  REQUIRE_FALSE(std::filesystem::exists(scene.place.database + "-wal"));
  const bool is_same_log = content_of(done.kept_as + "-wal") == log;  // too long to be printed
  REQUIRE(is_same_log);
  REQUIRE(content_of(done.kept_as) == "damaged");
  REQUIRE(scene.jobs_in(scene.place.database) == 1);
}

TEST_CASE("ids that were given are not given again after a restore", "[store]") {
  const Scene scene;
  SECTION("the floor's file says more than the states") {
    const Restored done = scene.must_restore();
    REQUIRE(done.floor == JobId{101});
    REQUIRE(done.floor_was_known);
    REQUIRE(scene.floor() == floor_to_text({JobId{101}, {{JobId{2}, JobId{101}}}, true}));
  }
  SECTION("the file is lost: the former state says more than the backup") {
    std::filesystem::remove(scene.place.id_floor);
    const Restored done = scene.must_restore();
    REQUIRE(done.floor == JobId{3});
    REQUIRE_FALSE(done.floor_was_known);
    REQUIRE(scene.floor() == floor_to_text({JobId{3}, {{JobId{2}, JobId{3}}}, true}));
  }
  SECTION("the file is damaged: nothing is guessed, nothing changes") {
    scene.write(scene.place.id_floor, "17");
    REQUIRE(scene.refusal().find("not an id floor") != std::string::npos);
    REQUIRE(scene.jobs_in(scene.place.database) == 2);
    REQUIRE_FALSE(std::filesystem::exists(scene.place.database + ".restoring"));
  }
}

TEST_CASE("what is no good backup is told, and nothing changes", "[store]") {
  const Scene scene;
  const std::string floor = scene.floor();
  const auto refusal = [&](const std::function<void(std::string&)>& change) {
    scene.change_backup(change);
    return scene.refusal();
  };
  SECTION("no such file") {
    std::filesystem::remove(scene.backup);
    REQUIRE(scene.refusal().ends_with("/backup.db: there is no such file"));
  }
  SECTION("another kind of file") {
    REQUIRE(refusal([](std::string& bytes) {
              bytes = "dear diary";
            }).find("/backup.db: not a state of Sluice: it is no SQLite file") !=
            std::string::npos);
    REQUIRE(refusal([](std::string& bytes) { bytes.clear(); }).find("not a state of Sluice") !=
            std::string::npos);
  }
  SECTION("a database of another program") {
    std::filesystem::remove(scene.backup);
    REQUIRE(
        sqlite::Connection::open({.path = scene.backup})->run("CREATE TABLE thesis (page)").ok());
    REQUIRE(scene.refusal().find("is a database of another program") != std::string::npos);
  }
  SECTION("a newer schema") {
    REQUIRE(sqlite::Connection::open({.path = scene.backup})->run("PRAGMA user_version = 99").ok());
    REQUIRE(scene.refusal().find("has schema 99, this binary knows up to ") != std::string::npos);
  }
  SECTION("torn") {
    const std::size_t whole = content_of(scene.backup).size();
    REQUIRE(refusal([](std::string& bytes) { bytes.resize(bytes.size() - 100); })
                .find(fmt::format("torn: it has {} bytes of the {} that its head speaks of",
                                  whole - 100, whole)) != std::string::npos);
  }
  SECTION("damaged inside") {
    const auto damage = [](std::string& bytes) {
      std::fill(bytes.begin() + 4096, bytes.begin() + 12288, '\x55');
    };
    REQUIRE(refusal(damage).find("/backup.db: ") != std::string::npos);
  }
  SECTION("the state itself") {
    const Result<Restored> done = restore_backup(scene.place.database, scene.place);
    REQUIRE(done.error().code == ErrorCode::invalid_argument);
  }
  REQUIRE(scene.floor() == floor);
  REQUIRE(scene.jobs_in(scene.place.database) == 2);
  REQUIRE_FALSE(std::filesystem::exists(scene.place.database + ".before-restore"));
}

TEST_CASE("a state file is judged by its head before SQLite sees it", "[store]") {
  std::string head = std::string("SQLite format 3\0", 16) + std::string(84, '\0');
  head[16] = 0x10;  // pages of 4096 bytes
  head[31] = 5;     // five of them
  REQUIRE(check_head("f", head, 5 * 4096).ok());
  REQUIRE(check_head("f", head, 6 * 4096).ok());
  REQUIRE(check_head("f", head, 5 * 4096 - 1).error().code == ErrorCode::store_error);
  head[16] = 0;
  head[17] = 1;  // stands for 65536
  REQUIRE(check_head("f", head, 5 * 65536).ok());
  REQUIRE_FALSE(check_head("f", head, 5 * 65535).ok());
  REQUIRE(check_head("f", head.substr(0, 99), 99).error().code == ErrorCode::invalid_argument);
}
