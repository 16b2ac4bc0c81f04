// purge_test.cpp: old jobs move into an archive with all that is theirs; nothing is in neither
// file, whenever it breaks off; what still matters stays.
#include <catch2/catch.hpp>

#include "common/wire/message_codec.h"
#include "daemon/core/state.h"
#include "daemon/store/backup.h"
#include "daemon/store/sqlite.h"
#include "tests/sim/fault_vfs.h"
#include "tests/unit/store_support.h"

using namespace sluice;
using namespace sluice::store_test;

namespace {

WallTime at(std::int64_t seconds) { return wall_from_us(seconds * 1'000'000); }

StoredBlob blob(const std::string& text) {
  return {"id of " + text, std::make_shared<const std::string>(text)};
}

StoredSpec spec_with(std::uint64_t id, const std::string& script) {
  JobSpec spec = make_spec("job" + std::to_string(id), 1000);
  spec.batch.script_id = blob(script).id;
  spec.batch.environment_id = blob("env").id;
  return stored(id, spec);
}

JobRecord finished(std::uint32_t id, std::uint64_t spec, std::int64_t ended_s) {
  return ended(started(make_job(id, spec, ended_s - 20), ended_s - 10), ended_s);
}

JobRecord task_of(std::uint32_t array, JobRecord job) {
  job.array = ArrayPlace{JobId{array}, 1, {}};
  return job;
}

// Ended before 1000: 1 (alone with its script), 2 (its spec is also that of 9, which waits), 3 (of
// an array that is not over), 4 (others wait for it), 5 (still in memory), 6. Later: 7. Not: 9. And
// 10, the newest. Job 1 ran twice. The events are in the order of their ids.
StoreBatch example() {
  StoreBatch batch;
  for (std::uint64_t id = 1; id <= 10; ++id)
    if (id != 8) batch.specs.push_back(spec_with(id, "script " + std::to_string(id)));
  for (const StoredSpec& spec : batch.specs)
    batch.blobs.push_back(blob("script " + std::to_string(spec.id.value)));
  batch.blobs.push_back(blob("env"));
  for (const JobRecord& job :
       {finished(1, 1, 100), finished(2, 2, 200), task_of(30, finished(3, 3, 300)),
        finished(4, 4, 400), finished(5, 5, 500), finished(6, 6, 600), finished(7, 7, 2000),
        make_job(9, 2), finished(10, 10, 700)})
    batch.jobs.push_back(shared(job));
  batch.retired = {JobId{1}, JobId{2}, JobId{3}, JobId{4}, JobId{6}, JobId{7}, JobId{10}};
  RunRecord lost;
  lost.id = {JobId{1}, RunNumber{0}};
  batch.runs = {lost};
  for (const auto& [s, job] :
       {std::pair{90, 1U}, {95, 0U}, {100, 1U}, {600, 6U}, {700, 9U}, {2000, 7U}})
    batch.audit.push_back({at(s), "seen", JobId{job}, job == 0 ? "n1" : "", 0, ""});
  return batch;
}

PurgeOrder order_of(const ScratchFolder& folder) {
  return {.archive = folder.path() + "/archive.db",
          .cluster = "test",
          .before = at(1000),
          .keep = {JobId{4}, JobId{30}}};
}

Result<PurgeSummary> run(Store& store, const PurgeOrder& order) {
  const std::unique_ptr<Purge> purge = store.begin_purge(order);
  while (TRY(purge->prepare())) TRY(purge->apply());
  return purge->summary();
}

PurgeSummary must_purge(Store& store, const PurgeOrder& order) {
  const Result<PurgeSummary> done = run(store, order);
  if (!done.ok()) FAIL(to_text(done.error()));
  return *done;
}

// The first column of all rows, divided by blanks.
std::string list(const sqlite::OpenOptions& file, const std::string& sql) {
  Result<sqlite::Connection> connection = sqlite::Connection::open(file);
  REQUIRE(connection.ok());
  const auto rows =
      connection->text("SELECT coalesce(group_concat(a, ' '), '') FROM (" + sql + ")");
  if (!rows.ok()) FAIL(to_text(rows.error()));
  return *rows;
}

std::string list(const std::string& path, const std::string& sql) {
  return list(sqlite::OpenOptions{.path = path}, sql);
}

constexpr const char* jobs_sql = "SELECT job_id AS a FROM job ORDER BY job_id";
constexpr const char* specs_sql = "SELECT spec_id AS a FROM spec ORDER BY spec_id";
constexpr const char* scripts_sql =
    "SELECT substr(blob_id, 7) AS a FROM blob WHERE blob_id <> 'id of env' ORDER BY "
    "length(blob_id), blob_id";
constexpr const char* events_sql = "SELECT at_us / 1000000 AS a FROM event ORDER BY event_id";

struct Scene {
  ScratchFolder folder;
  std::string state = folder.path() + "/state.db";
  PurgeOrder order = order_of(folder);
  std::unique_ptr<Store> store = must_open(fast_options(folder));
  LoadedState before;

  Scene() {
    must_commit(*store, example());
    before = must_load(*store);
  }
  std::string refusal() {
    const Result<PurgeSummary> done = run(*store, order);
    REQUIRE_FALSE(done.ok());
    REQUIRE(list(state, jobs_sql) == "1 2 3 4 5 6 7 9 10");
    return to_text(done.error());
  }
};

}  // namespace

TEST_CASE("old jobs move into the archive with all that is theirs", "[store][purge]") {
  Scene scene;
  const PurgeSummary moved = must_purge(*scene.store, scene.order);
  REQUIRE(moved.jobs == 3);
  REQUIRE(moved.first_ended == at(100));
  REQUIRE(moved.last_ended == at(600));

  REQUIRE(list(scene.order.archive, jobs_sql) == "1 2 6");
  REQUIRE(list(scene.order.archive, specs_sql) == "1 2 6");
  REQUIRE(list(scene.order.archive, scripts_sql) == "script 1 script 2 script 6");
  REQUIRE(list(scene.order.archive, "SELECT bytes AS a FROM blob WHERE blob_id = 'id of env'") ==
          "env");
  REQUIRE(list(scene.order.archive, "SELECT job_id AS a FROM run") == "1");
  REQUIRE(list(scene.order.archive, "SELECT record AS a FROM job WHERE job_id = 1") ==
          to_bytes(finished(1, 1, 100)));

  REQUIRE(list(scene.state, jobs_sql) == "3 4 5 7 9 10");
  // Spec 9 was never a job's; 2 is that of job 9.
  REQUIRE(list(scene.state, specs_sql) == "2 3 4 5 7 10");
  REQUIRE(list(scene.state, scripts_sql) ==
          "script 2 script 3 script 4 script 5 script 7 script 10");
  REQUIRE(list(scene.state, "SELECT job_id AS a FROM run") == "");
  REQUIRE(mode_of(scene.order.archive) == 0600);

  const LoadedState after = must_load(*scene.store);
  REQUIRE(after.highest_job == scene.before.highest_job);
  REQUIRE(after.highest_spec == scene.before.highest_spec);
  REQUIRE(after.jobs.size() == scene.before.jobs.size());
}

TEST_CASE("the audit goes with its jobs, that of nodes by its age; the newest event stays",
          "[store][purge]") {
  Scene scene;
  REQUIRE(must_purge(*scene.store, scene.order).events == 4);
  REQUIRE(list(scene.order.archive, events_sql) == "90 95 100 600");
  REQUIRE(list(scene.state, events_sql) == "700 2000");
  scene.order.before = at(9000);
  scene.order.keep.clear();
  must_purge(*scene.store, scene.order);
  REQUIRE(list(scene.state, events_sql) == "700 2000");  // of job 9, which waits, and the newest
}

TEST_CASE("the same purge again moves nothing, a later one adds to the archive", "[store][purge]") {
  Scene scene;
  must_purge(*scene.store, scene.order);
  REQUIRE(must_purge(*scene.store, scene.order).jobs == 0);
  scene.order.before = at(9000);
  REQUIRE(must_purge(*scene.store, scene.order).jobs == 1);
  REQUIRE(list(scene.order.archive, jobs_sql) == "1 2 6 7");
}

TEST_CASE("a purge that broke off after the copy leaves jobs in both, and goes on",
          "[store][purge]") {
  Scene scene;
  REQUIRE(scene.store->begin_purge(scene.order)->prepare().value());
  REQUIRE(list(scene.order.archive, jobs_sql) == "1 2 6");
  REQUIRE(list(scene.state, jobs_sql) == "1 2 3 4 5 6 7 9 10");
  REQUIRE(must_purge(*scene.store, scene.order).jobs == 3);
  REQUIRE(list(scene.order.archive, jobs_sql) == "1 2 6");
  REQUIRE(list(scene.state, jobs_sql) == "3 4 5 7 9 10");
}

TEST_CASE("what a broken off purge left without a job is found by the next", "[store][purge]") {
  Scene scene;
  {
    const auto purge = scene.store->begin_purge(scene.order);
    REQUIRE(purge->prepare().value());
    REQUIRE(purge->apply().ok());  // the jobs
  }
  REQUIRE(list(scene.state, scripts_sql).find("script 1 script 2") == 0);
  must_purge(*scene.store, scene.order);
  REQUIRE(list(scene.state, scripts_sql) ==
          "script 2 script 3 script 4 script 5 script 7 script 10");
}

TEST_CASE("a script that a submit names during a purge stays", "[store][purge]") {
  Scene scene;
  const auto purge = scene.store->begin_purge(scene.order);
  while (list(scene.state, specs_sql) != "2 3 4 5 7 10") {
    REQUIRE(purge->prepare().value());
    REQUIRE(purge->apply().ok());
  }
  REQUIRE(purge->prepare().value());  // scripts 1, 6 and 9 are to go
  StoreBatch batch;
  batch.specs = {spec_with(11, "script 1")};
  batch.blobs = {blob("script 1"), blob("env")};
  batch.jobs = {shared(make_job(11, 11))};
  must_commit(*scene.store, batch);
  REQUIRE(purge->apply().ok());
  REQUIRE_FALSE(purge->prepare().value());
  REQUIRE(list(scene.state, scripts_sql) ==
          "script 1 script 2 script 3 script 4 script 5 script 7 script 10");
}

TEST_CASE("a request that went with its last job is stored again while a reader still holds it",
          "[store][purge]") {
  Scene scene;
  State state(std::make_shared<const ClusterConfig>());
  state.set_highest_spec(SpecId{10});
  const StoredSpec held = state.intern(make_spec("again", 1000));
  StoreBatch batch = state.take_batch();
  batch.jobs = {shared(finished(11, held.id.value, 100))};
  batch.retired = {JobId{11}};
  must_commit(*scene.store, batch);
  must_commit(*scene.store,
              {.jobs = {shared(make_job(12, 10))}, .specs = {spec_with(12, "newest")}});
  must_purge(*scene.store, scene.order);
  REQUIRE(list(scene.state, "SELECT name AS a FROM spec WHERE name = 'again'") == "");

  const StoredSpec again = state.intern(make_spec("again", 1000));
  REQUIRE(again.id == held.id);
  batch = state.take_batch();
  batch.jobs = {shared(make_job(13, again.id.value))};
  must_commit(*scene.store, batch);
  REQUIRE(list(scene.state, "SELECT name AS a FROM spec WHERE name = 'again'") == "again");
}

TEST_CASE("what is no archive of this state is refused and not touched", "[store][purge]") {
  Scene scene;
  const std::string other = scene.folder.path() + "/other";
  const auto untouched = [&](const std::string& wanted) {
    const std::string before = content_of(scene.order.archive);
    const std::string refusal = scene.refusal();
    CAPTURE(refusal);
    REQUIRE(refusal.find(wanted) != std::string::npos);
    REQUIRE(content_of(scene.order.archive) == before);
  };
  scene.order.archive = other;
  SECTION("a text") {
    std::ofstream(other) << "dear diary";
    untouched("/other is there and is no archive of finished jobs; name a new file");
  }
  SECTION("another program's database") {
    REQUIRE(sqlite::Connection::open({.path = other})->run("CREATE TABLE thesis (page)").ok());
    untouched("/other is there and is no archive");
  }
  SECTION("the state itself, or a backup of it") {
    scene.order.archive = scene.state;
    REQUIRE(scene.refusal().find("/state.db is there and is no archive") != std::string::npos);
    scene.order.archive = other;
    REQUIRE(scene.store->backup(other).ok());
    untouched("/other is there and is no archive");
  }
  SECTION("a folder") {
    std::filesystem::create_directory(other);
    REQUIRE(scene.refusal().find("/other is there and is no archive") != std::string::npos);
  }
  SECTION("a file in no folder") {
    scene.order.archive = other + "/none/archive.db";
    REQUIRE(scene.refusal().find("No such file or directory") != std::string::npos);
  }
  SECTION("the archive of another cluster") {
    {
      Scene theirs;
      theirs.order.archive = other;
      theirs.order.cluster = "theirs";
      must_purge(*theirs.store, theirs.order);
    }
    untouched("/other is an archive of cluster theirs, this one is test; name a new file");
  }
  SECTION("the archive of another state of the same cluster") {
    {
      const ScratchFolder folder;
      const auto store = must_open(fast_options(folder));
      StoreBatch batch = example();
      batch.jobs[5] = shared(finished(6, 7, 601));
      must_commit(*store, batch);
      must_purge(*store, scene.order);
    }
    REQUIRE(
        scene.refusal().find("/other holds another job 6: it is the archive of another state") !=
        std::string::npos);
  }
}

TEST_CASE("an archive is no backup", "[store][purge]") {
  Scene scene;
  must_purge(*scene.store, scene.order);
  const Result<StateSummary> verdict = verify_state_file(scene.order.archive);
  REQUIRE_FALSE(verdict.ok());
  REQUIRE(
      verdict.error().detail.ends_with("/archive.db is an archive of finished jobs, not a state"));
}

TEST_CASE("new jobs use the room of those that went", "[store][purge]") {
  const ScratchFolder folder;
  const auto store = must_open(fast_options(folder));
  const auto fill = [&](std::uint32_t from) {
    StoreBatch batch;
    for (std::uint32_t id = from; id < from + 2000; ++id) {
      const std::string script = std::to_string(id) + std::string(300, '#');
      batch.specs.push_back(spec_with(id, script));
      batch.blobs.push_back(blob(script));
      batch.jobs.push_back(shared(finished(id, id, 100)));
      batch.retired.push_back(JobId{id});
    }
    must_commit(*store, batch);
    return std::stoll(
        list(folder.path() + "/state.db", "SELECT page_count AS a FROM pragma_page_count"));
  };
  const auto full = fill(1);
  PurgeOrder order = order_of(folder);
  order.keep.clear();
  const PurgeSummary moved = must_purge(*store, order);
  REQUIRE(moved.jobs == 1999);
  REQUIRE(static_cast<long long>(moved.bytes_freed) > full * 4096 * 8 / 10);
  REQUIRE(fill(2001) <= full + full / 20);
}

TEST_CASE("every job is in one of the files after 200 losses of power", "[store][power][purge]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    sim::FaultDisk disk;
    const sim::FaultVfs vfs("purge" + std::to_string(seed), disk);
    const StoreOptions options{.path = "/state.db",
                               .vfs = vfs.name(),
                               .background_checkpoint = false,
                               .checkpoint_pages = 5};
    const PurgeOrder order{
        .archive = "/archive.db", .cluster = "test", .before = at(1000), .keep = {}};
    std::mt19937_64 random(seed);
    bool is_over = false;
    {
      const auto store = must_open(options);
      must_commit(*store, example());
      disk.cut_power_at(1 + random() % 250);
      is_over = run(*store, order).ok();
      disk.power_loss(random());
    }
    const auto store = must_open(options);
    const auto in = [&](const std::string& path) {
      return list(sqlite::OpenOptions{.path = path, .vfs = vfs.name()}, jobs_sql);
    };
    if (!is_over) {
      const Result<PurgeSummary> again = run(*store, order);
      if (!again.ok()) FAIL(to_text(again.error()));
    }
    REQUIRE(in("/archive.db") == "1 2 3 4 6");
    REQUIRE(in("/state.db") == "5 7 9 10");
  }
}
