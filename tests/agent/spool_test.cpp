// spool_test.cpp: folders of runs, used again.
#include "agent/exec/spool.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

using namespace sluice;
using namespace sluice::agent;

namespace {

struct SpoolBench {
  SpoolBench() {
    char path[] = "/tmp/sluice-spool-test.XXXXXX";
    REQUIRE(mkdtemp(path));
    folder = path;
    spool.emplace(Spool::open(folder).value());
  }
  ~SpoolBench() { std::filesystem::remove_all(folder); }

  static SpooledRun run_of(std::uint32_t job, std::uint32_t uid) {
    SpooledRun run;
    run.order.id = {JobId{job}, RunNumber{0}};
    run.user.uid = uid;
    run.user.gid = uid;
    run.change_user = geteuid() == 0;
    return run;
  }
  void write(std::uint32_t job, const std::string& text, std::uint32_t uid = geteuid()) {
    REQUIRE(spool->write(run_of(job, uid), text).ok());
  }
  std::string script_path(std::uint32_t job) const {
    return spool->run_folder({JobId{job}, RunNumber{0}}) + "/slurm_script";
  }
  void remove(std::uint32_t job) {
    spool->remove({JobId{job}, RunNumber{0}});
    REQUIRE_FALSE(std::filesystem::exists(script_path(job)));
  }
  struct stat script(std::uint32_t job) const {
    struct stat found {};
    REQUIRE(stat(script_path(job).c_str(), &found) == 0);
    return found;
  }

  std::string folder;
  std::optional<Spool> spool;
};

bool is_root() {
  if (geteuid() != 0) WARN("skipped: only root uses folders again");
  return geteuid() == 0;
}

}  // namespace

TEST_CASE("a run in a used folder has its own script, order and areas", "[spool]") {
  if (!is_root()) return;
  SpoolBench bench;
  bench.write(1, "#!/bin/sh\necho a longer script than the next\n");
  RunFile first = bench.spool->open_run({JobId{1}, RunNumber{0}}).value();
  REQUIRE(first.write_mark({77, 1, 78}).ok());
  REQUIRE(first.write_exit({.id = {JobId{1}, RunNumber{0}}}).ok());
  const auto inode = bench.script(1).st_ino;
  REQUIRE(chmod(bench.script_path(1).c_str(), 0666) == 0);
  bench.remove(1);
  bench.write(2, "#!/bin/sh\n");
  REQUIRE(bench.script(2).st_ino == inode);
  REQUIRE((bench.script(2).st_mode & 07777) == 0500);
  REQUIRE(read_file(bench.script_path(2)).value() == "#!/bin/sh\n");
  const RunFile second = bench.spool->open_run({JobId{2}, RunNumber{0}}).value();
  REQUIRE(second.order().value() == SpoolBench::run_of(2, 0));
  REQUIRE(second.mark().pid == 0);
  REQUIRE_FALSE(second.exit());
  REQUIRE(bench.spool->runs() == std::vector<RunId>{{JobId{2}, RunNumber{0}}});
}

TEST_CASE("the folder of a run is never used for another user's", "[spool]") {
  if (!is_root()) return;
  SpoolBench bench;
  bench.write(1, "a", 1001);
  const auto inode = bench.script(1).st_ino;
  bench.remove(1);
  bench.write(2, "b", 1002);
  REQUIRE(bench.script(2).st_ino != inode);
  REQUIRE(bench.script(2).st_uid == 1002);
  bench.write(3, "c", 1001);
  REQUIRE(bench.script(3).st_ino == inode);
}

TEST_CASE("a script with a second name is not used again", "[spool]") {
  if (!is_root()) return;
  SpoolBench bench;
  bench.write(1, "first");
  const std::string second_name = bench.folder + "/kept";
  REQUIRE(link(bench.script_path(1).c_str(), second_name.c_str()) == 0);
  bench.remove(1);
  bench.write(2, "second");
  REQUIRE(read_file(second_name).value() == "first");
}

TEST_CASE("free folders are few, and gone when the spool is opened again", "[spool]") {
  if (!is_root()) return;
  SpoolBench bench;
  const auto free_folders = [&] {
    const std::filesystem::directory_iterator all(bench.folder + "/free");
    return std::distance(begin(all), end(all));
  };
  for (std::uint32_t job = 1; job <= 300; ++job) bench.write(job, "x");
  for (std::uint32_t job = 1; job <= 300; ++job) bench.remove(job);
  REQUIRE(free_folders() == 128);
  bench.spool.reset();
  bench.spool.emplace(Spool::open(bench.folder).value());
  REQUIRE(free_folders() == 0);
}

TEST_CASE("a run that lies there already is not written over", "[spool]") {
  SpoolBench bench;
  bench.write(1, "first");
  REQUIRE_FALSE(bench.spool->write(SpoolBench::run_of(1, geteuid()), "second").ok());
  REQUIRE(read_file(bench.script_path(1)).value() == "first");
}
