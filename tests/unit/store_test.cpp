// store_test.cpp: what was committed is what is loaded; the state file is private, versioned, locked.
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "daemon/store/backup.h"
#include "daemon/store/migrations.h"
#include "daemon/store/sqlite_store.h"
#include "daemon/store/state_folder.h"
#include "tests/unit/store_support.h"

using namespace sluice;
using namespace sluice::store_test;

namespace {

std::int64_t number_in(const StoreOptions& options, std::string_view sql) {
  Result<sqlite::Connection> connection = sqlite::Connection::open({.path = options.path});
  REQUIRE(connection.ok());
  return connection->integer(sql).value();
}

}  // namespace

TEST_CASE("what was committed is what is loaded, over random batches and restarts", "[store]") {
  const std::uint64_t seed = std::random_device{}();
  INFO("seed " << seed);
  const ScratchFolder folder;
  BatchMaker maker(seed);
  Model model;
  for (int restart = 0; restart < 4; ++restart) {
    const auto store = must_open(fast_options(folder));
    REQUIRE(model.equals(must_load(*store)));
    for (int i = 0; i < 40; ++i) {
      const StoreBatch batch = maker.next(model);
      must_commit(*store, batch);
      model.apply(batch);
      if (i % 10 == 0) REQUIRE(model.equals(must_load(*store)));
    }
  }
  REQUIRE(model.live().size() > 10);
}

TEST_CASE("a batch that fails leaves nothing behind", "[store]") {
  const ScratchFolder folder;
  const auto store = must_open(fast_options(folder));
  StoreBatch batch = one_submit();
  batch.jobs.push_back(shared(make_job(2, 99)));  // of a spec nobody stored
  const Result<void> refused = store->commit(batch);
  REQUIRE_FALSE(refused.ok());
  REQUIRE(refused.error().code == ErrorCode::store_error);
  REQUIRE(must_load(*store).jobs.empty());
  must_commit(*store, one_submit());
  REQUIRE(must_load(*store).jobs.size() == 1);
}

TEST_CASE("the same content is stored once", "[store]") {
  const ScratchFolder folder;
  const auto store = must_open(fast_options(folder));
  StoreBatch batch = one_submit();
  const auto script = std::make_shared<const std::string>("#!/bin/sh\n\0x", 12);
  batch.blobs = {{"abc", script}, {"abc", script}, {"def", script}};
  must_commit(*store, batch);
  batch.blobs.resize(1);
  must_commit(*store, batch);
  REQUIRE(number_in(fast_options(folder), "SELECT count(*) FROM blob") == 2);
  const auto history = open_history(fast_options(folder)).value();
  REQUIRE(history->read_blob("abc").value() == *script);
  REQUIRE(history->read_blob("nope").error().code == ErrorCode::invalid_argument);
}

TEST_CASE("the highest ids count retired jobs too", "[store]") {
  const ScratchFolder folder;
  const auto store = must_open(fast_options(folder));
  StoreBatch batch = one_submit();
  batch.jobs.push_back(shared(make_job(900, 1)));
  must_commit(*store, batch);
  StoreBatch retire;
  retire.retired = {JobId{900}};
  must_commit(*store, retire);
  const LoadedState state = must_load(*store);
  REQUIRE(state.jobs.size() == 1);
  REQUIRE(state.highest_job == JobId{900});
}

TEST_CASE("a newer state file is refused untouched, with both numbers", "[store]") {
  const ScratchFolder folder;
  const StoreOptions options = fast_options(folder);
  must_commit(*must_open(options), one_submit());
  REQUIRE(sqlite::Connection::open({.path = options.path})->run("PRAGMA user_version = 77").ok());
  const std::string before = content_of(options.path);
  const Result<std::unique_ptr<Store>> refused = open_store(options);
  REQUIRE(refused.error().code == ErrorCode::store_newer);
  REQUIRE(refused.error().detail.find("schema 77") != std::string::npos);
  REQUIRE(refused.error().detail.find("up to 2") != std::string::npos);
  REQUIRE(content_of(options.path) == before);
}

TEST_CASE("a database of another program and a damaged file are refused", "[store]") {
  const ScratchFolder folder;
  const StoreOptions options = fast_options(folder);
  {
    Result<sqlite::Connection> other = sqlite::Connection::open({.path = options.path});
    REQUIRE(other->run("CREATE TABLE t (x)").ok());
  }
  REQUIRE(open_store(options).error().code == ErrorCode::store_error);
  std::ofstream(options.path, std::ios::trunc) << std::string(5000, 'x');
  REQUIRE(open_store(options).error().code == ErrorCode::store_error);
  REQUIRE(content_of(options.path) == std::string(5000, 'x'));
}

TEST_CASE("a migration that fails leaves the file as it was", "[store]") {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/m.db";
  const Migration good{1, "0001_good.sql", "CREATE TABLE a (x);"};
  const Migration bad{2, "0002_bad.sql", "CREATE TABLE b (x); INSERT INTO missing VALUES (1);"};
  const Migration fixed{2, "0002_fixed.sql", "CREATE TABLE b (x); INSERT INTO a VALUES (1);"};
  sqlite::Connection connection = sqlite::Connection::open({.path = path}).value();
  REQUIRE(migrate(connection, std::vector{good}).ok());
  const Result<void> refused = migrate(connection, std::vector{good, bad});
  REQUIRE(refused.error().detail.find("0002_bad.sql") != std::string::npos);
  REQUIRE(connection.integer("SELECT count(*) FROM sqlite_schema").value() == 1);
  REQUIRE(connection.integer("PRAGMA user_version").value() == 1);
  REQUIRE(migrate(connection, std::vector{good, fixed}).ok());
  REQUIRE(connection.integer("PRAGMA user_version").value() == 2);
}

TEST_CASE("migrations are numbered without gaps", "[store]") {
  int expected = 1;
  for (const Migration& migration : embedded_migrations()) REQUIRE(migration.number == expected++);
  REQUIRE(expected > 1);
}

TEST_CASE("state files are for their owner only", "[store]") {
  const ScratchFolder scratch;
  const std::string path = scratch.path() + "/a/b";
  const mode_t before = ::umask(0);
  const Result<StateFolder> folder = StateFolder::open(path);
  const auto store = must_open({.path = folder->database_path()});
  ::umask(before);
  must_commit(*store, one_submit());
  REQUIRE(mode_of(path) == 0700);
  for (const char* name : {"/state.db", "/state.db-wal", "/state.db-shm", "/lock"})
    REQUIRE(mode_of(path + name) == 0600);
}

TEST_CASE("a second controller is refused by name of the first", "[store]") {
  const ScratchFolder scratch;
  Result<StateFolder> first = StateFolder::open(scratch.path());
  REQUIRE(first.ok());
  const Result<StateFolder> second = StateFolder::open(scratch.path());
  REQUIRE(second.error().code == ErrorCode::locked);
  REQUIRE(second.error().detail.find("pid " + std::to_string(::getpid())) != std::string::npos);
  SECTION("also when the lock file was removed or opened and closed") {
    ::close(::open((scratch.path() + "/lock").c_str(), O_RDWR));
    REQUIRE_FALSE(StateFolder::open(scratch.path()).ok());
    ::unlink((scratch.path() + "/lock").c_str());
    REQUIRE_FALSE(StateFolder::open(scratch.path()).ok());
  }
  SECTION("also by another process; its end gives nothing away") {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(StateFolder::open(scratch.path()).ok() ? 1 : 0);
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    REQUIRE_FALSE(StateFolder::open(scratch.path()).ok());
  }
  SECTION("but not after the first has gone") {
    first = Error{};
    REQUIRE(StateFolder::open(scratch.path()).ok());
  }
}

TEST_CASE("a backup taken during commits is a whole state", "[store]") {
  const ScratchFolder folder;
  const StoreOptions options = fast_options(folder);
  const auto store = must_open(options);
  must_commit(*store, one_submit());
  const std::string copy = folder.path() + "/copy.db";
  REQUIRE(store->backup(copy).ok());
  REQUIRE(mode_of(copy) == 0600);
  REQUIRE(verify_state_file(copy).ok());
  StoreBatch more;
  more.jobs = {shared(make_job(2, 1))};
  must_commit(*store, more);
  REQUIRE(store->backup(options.path).error().code == ErrorCode::invalid_argument);
  REQUIRE(must_load(*must_open({.path = copy})).jobs.size() == 1);
  REQUIRE(must_load(*store).jobs.size() == 2);
}

TEST_CASE("the log does not grow for ever under constant commits", "[store]") {
  const ScratchFolder folder;
  StoreOptions options = fast_options(folder);
  options.checkpoint_pages = 500;  // more than the committing thread would copy itself
  const auto store = must_open(options);
  must_commit(*store, one_submit());
  std::uintmax_t log_bytes = 0;
  int commits_without_growth = 0;
  std::uint64_t commits = 0;
  // As many as would make the log grow by its whole allowance again, were it not begun anew.
  while (commits_without_growth < 200 && commits < 20'000) {
    StoreBatch batch;
    for (std::uint32_t id = 1; id <= 300; ++id) {
      JobRecord job = make_job(id, 1);
      job.priority = commits * 1000 + id;  // SQLite does not write a row that has not changed
      batch.jobs.push_back(shared(job));
    }
    must_commit(*store, batch);
    ++commits;
    const std::uintmax_t now_bytes = std::filesystem::file_size(options.path + "-wal");
    commits_without_growth = now_bytes > log_bytes ? 0 : commits_without_growth + 1;
    log_bytes = now_bytes;
  }
  REQUIRE(commits_without_growth == 200);
  REQUIRE(std::filesystem::file_size(options.path) > 40'000);
}
