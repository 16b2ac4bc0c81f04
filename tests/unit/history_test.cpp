// history_test.cpp: every filter finds what it should, each through an index where one is meant.
#include <catch2/catch.hpp>
#include <set>

#include "daemon/store/history_sql.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/sqlite_store.h"
#include "tests/unit/store_support.h"

using namespace sluice;
using namespace sluice::store_test;

namespace {

WallTime at(std::int64_t seconds) { return wall_from_us(seconds * 1'000'000); }

JobRecord in_array(JobRecord job, std::uint32_t array, std::optional<std::uint32_t> task) {
  job.array = ArrayPlace{JobId{array}, task, {}};
  return job;
}

// 1 completed 100..200..300, 2 failed 100..400..500 on n2 after a run that died with its node,
// 3 running since 600, 4 pending since 700 (user 2000), 5 an array: 6 and 7 its tasks 1 and 2,
// tasks 3-9 wait in 5; 8 cancelled at 260 before it started, long retired.
StoreBatch example_history() {
  StoreBatch batch;
  JobSpec other = make_spec("other", 2000);
  other.account = "physics";
  other.qos = "high";
  other.wckey = "keyed";
  other.gid = 77;
  batch.specs = {stored(1, make_spec("first", 1000)), stored(2, other)};
  JobRecord failed = ended(started(make_job(2, 1, 100), 400, "n2"), 500, Outcome::failed);
  failed.run = RunNumber{1};
  JobRecord gpu = started(make_job(3, 1, 550), 600);
  gpu.partition = "gpu";
  JobRecord waiting = in_array(make_job(5, 2, 800), 5, std::nullopt);
  waiting.array->waiting.ranges = {{3, 9, 1}};
  for (const JobRecord& job :
       {ended(started(make_job(1, 1, 100), 200), 300), failed, gpu, make_job(4, 2, 700), waiting,
        in_array(started(make_job(6, 2, 800), 810), 5, 1),
        in_array(ended(started(make_job(7, 2, 800), 820), 830, Outcome::timeout), 5, 2),
        ended(make_job(8, 1, 250), 260, Outcome::cancelled)})
    batch.jobs.push_back(shared(job));
  RunRecord lost{{JobId{2}, RunNumber{0}}, failed.times, failed.allocation,
                 {Outcome::node_fail, {}, {}}, {}};
  lost.times.started = at(150);
  lost.times.ended = at(180);
  lost.allocation.shares[0].node = "n1";
  batch.runs = {lost};
  batch.retired = {JobId{1}, JobId{8}};
  return batch;
}

class History {
 public:
  History() : options_{.path = folder_.path() + "/state.db", .synchronous_full = false} {
    store_ = open_store(options_).value();
    if (const auto done = store_->commit(example_history()); !done.ok()) FAIL(to_text(done.error()));
    reader_ = open_history(options_).value();
  }
  // The runs that were over at that time or later, in any order.
  std::set<std::string> runs_since(std::int64_t seconds) {
    std::set<std::string> found;
    const Result<void> done =
        reader_->runs_since(at(seconds), [&](const JobRecord& job, const RunRecord* run) {
          const std::string id = std::to_string(job.id.value);
          found.insert(run ? id + "/" + std::to_string(run->id.run.value) : id);
        });
    if (!done.ok()) FAIL(to_text(done.error()));
    return found;
  }
  // "2/0 2 3": job 2's first run, job 2, job 3.
  std::string find(const JobFilter& filter, bool earlier_runs = false) {
    std::string found;
    const Result<void> done = reader_->query(filter, earlier_runs, [&](const HistoryRow& row) {
      if (!found.empty()) found += ' ';
      found += std::to_string(row.job->id.value);
      if (row.run) found += "/" + std::to_string(row.run->id.run.value);
      return true;
    });
    if (!done.ok()) FAIL(to_text(done.error()));
    return found;
  }
  std::string find_state(const std::string& state, std::int64_t since, std::int64_t until,
                         bool earlier_runs = false) {
    JobFilter filter;
    filter.states = {state};
    filter.since = at(since);
    filter.until = at(until);
    return find(filter, earlier_runs);
  }
  HistoryReader& reader() { return *reader_; }
  Store& store() { return *store_; }
  const StoreOptions& options() const { return options_; }

 private:
  ScratchFolder folder_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<HistoryReader> reader_;
};

}  // namespace

TEST_CASE("history goes on behind an id", "[history]") {
  History history;
  REQUIRE(history.find({.after = JobId{5}}) == "6 7 8");
  REQUIRE(history.find({.after = JobId{1}}, true) == "2/0 2 3 4 5 6 7 8");
  REQUIRE(history.find({.after = JobId{8}}) == "");
}

TEST_CASE("history is filtered by workload key and group", "[history]") {
  History history;
  REQUIRE(history.find({.wckeys = {"keyed"}}) == "4 5 6 7");
  REQUIRE(history.find({.gids = {77}}) == "4 5 6 7");
  REQUIRE(history.find({.wckeys = {"key' OR '1'='1"}}) == "");
}

TEST_CASE("history is found by id, array and task", "[store][history]") {
  History history;
  JobFilter filter;
  REQUIRE(history.find(filter) == "1 2 3 4 5 6 7 8");
  filter.jobs = {{JobId{3}, {}}, {JobId{8}, {}}, {JobId{99}, {}}};
  REQUIRE(history.find(filter) == "3 8");
  filter.jobs = {{JobId{5}, {}}};
  REQUIRE(history.find(filter) == "5 6 7");
  filter.jobs = {{JobId{7}, {}}};
  REQUIRE(history.find(filter) == "7");
  filter.jobs = {{JobId{5}, {{{2, 2, 1}}}}};
  REQUIRE(history.find(filter) == "7");
  filter.jobs = {{JobId{5}, {{{2, 4, 2}}}}};
  REQUIRE(history.find(filter) == "5 7");  // task 4 waits in 5
  filter.jobs = {{JobId{3}, {{{1, 1, 1}}}}};
  REQUIRE(history.find(filter) == "");
}

TEST_CASE("history is found by names, partition, user and node", "[store][history]") {
  History history;
  const auto find = [&](auto set) {
    JobFilter filter;
    set(filter);
    return history.find(filter);
  };
  REQUIRE(find([](JobFilter& f) { f.names = {"other"}; }) == "4 5 6 7");
  REQUIRE(find([](JobFilter& f) { f.names = {"x'; DROP TABLE job; --"}; }) == "");
  REQUIRE(find([](JobFilter& f) { f.accounts = {"physics"}; f.uids = {2000, 3}; }) == "4 5 6 7");
  REQUIRE(find([](JobFilter& f) { f.qos = {"high"}; f.jobs = {{JobId{6}, {}}, {JobId{1}, {}}}; }) ==
          "6");
  REQUIRE(find([](JobFilter& f) { f.wckeys = {"keyed", "x"}; }) == "4 5 6 7");
  REQUIRE(find([](JobFilter& f) { f.partitions = {"gpu"}; }) == "3");
  REQUIRE(find([](JobFilter& f) { f.uids = {1000}; }) == "1 2 3 8");
  REQUIRE(find([](JobFilter& f) { f.nodes = {"n2", "n9"}; }) == "2");
  REQUIRE(find([](JobFilter& f) { f.states = {"FAILED", "PENDING"}; }) == "2 4 5");
  REQUIRE(find([](JobFilter& f) { f.states = {"RUNNING"}; }) == "3 6");
  REQUIRE(find([](JobFilter& f) { f.states = {"ALL"}; }) == "1 2 3 4 5 6 7 8");
}

TEST_CASE("a window of time finds what was known in it", "[store][history]") {
  History history;
  JobFilter filter;
  filter.since = at(500);
  REQUIRE(history.find(filter) == "2 3 4 5 6 7");
  filter.until = at(599);
  REQUIRE(history.find(filter) == "2 3");
  filter.uids = {2000};
  REQUIRE(history.find(filter) == "");
  filter.since.reset();
  filter.uids = {1000};
  filter.until = at(249);
  REQUIRE(history.find(filter) == "1 2");
}

TEST_CASE("in a window a state means: was in it then", "[store][history]") {
  History history;
  REQUIRE(history.find_state("RUNNING", 250, 260) == "1");
  REQUIRE(history.find_state("RUNNING", 900, 900) == "3 6");
  REQUIRE(history.find_state("PENDING", 110, 120) == "1 2");
  REQUIRE(history.find_state("PENDING", 255, 256) == "2 8");
  REQUIRE(history.find_state("COMPLETED", 0, 299) == "");
  REQUIRE(history.find_state("COMPLETED", 0, 300) == "1");
  REQUIRE(history.find_state("TIMEOUT", 830, 900) == "7");
}

TEST_CASE("earlier runs come before their job and are judged by their own end", "[store][history]") {
  History history;
  JobFilter filter;
  filter.jobs = {{JobId{2}, {}}, {JobId{3}, {}}};
  REQUIRE(history.find(filter) == "2 3");
  REQUIRE(history.find(filter, true) == "2/0 2 3");
  filter.nodes = {"n2"};
  REQUIRE(history.find(filter, true) == "2");
  REQUIRE(history.find_state("NODE_FAIL", 100, 200, true) == "2/0");
  REQUIRE(history.find_state("NODE_FAIL", 200, 300, true) == "");
}

TEST_CASE("a reader stops when told, reads one job, and sees later commits", "[store][history]") {
  History history;
  int taken = 0;
  const auto take_two = [&](const HistoryRow&) { return ++taken < 2; };
  REQUIRE(history.reader().query({}, false, take_two).ok());
  REQUIRE(taken == 2);
  const HistoryRow row = history.reader().find_job(JobId{7}).value().value();
  REQUIRE(row.job->end->outcome == Outcome::timeout);
  REQUIRE(row.spec->account == "physics");
  REQUIRE_FALSE(history.reader().find_job(JobId{99}).value().has_value());
  StoreBatch more;
  more.jobs = {shared(make_job(99, 1))};
  REQUIRE(history.store().commit(more).ok());
  REQUIRE(history.reader().find_job(JobId{99}).value().has_value());
}

TEST_CASE("selective filters never scan all jobs", "[store][history]") {
  const History history;
  std::vector<JobFilter> filters(6);
  filters[0].jobs = {{JobId{3}, {}}, {JobId{5}, {{{2, 4, 1}}}}};
  filters[1].since = at(500);
  filters[2].since = at(500);
  filters[2].uids = {1000};
  filters[2].states = {"FAILED", "RUNNING", "PENDING"};
  filters[3].names = {"other"};
  filters[4].uids = {1000};
  filters[4].accounts = {"physics"};
  filters[5].states = {"RUNNING", "PENDING"};
  sqlite::Connection connection =
      sqlite::Connection::open({.path = history.options().path}).value();
  for (const JobFilter& filter : filters) {
    sqlite::Statement plan =
        connection.prepare("EXPLAIN QUERY PLAN " + job_history_sql(filter).text).value();
    while (plan.step().value()) {
      const std::string step(plan.bytes(3));
      INFO(job_history_sql(filter).text << "\n" << step);
      REQUIRE(step.find("SCAN job") == std::string::npos);
      REQUIRE(step.find("SCAN spec") == std::string::npos);
    }
  }
}

TEST_CASE("runs that are over are found by their end, earlier runs too", "[history]") {
  History history;
  REQUIRE(history.runs_since(0) == std::set<std::string>{"1", "2", "2/0", "7", "8"});
  REQUIRE(history.runs_since(300) == std::set<std::string>{"1", "2", "7"});
  REQUIRE(history.runs_since(180).contains("2/0"));
  REQUIRE_FALSE(history.runs_since(181).contains("2/0"));
  REQUIRE(history.runs_since(831).empty());
}
