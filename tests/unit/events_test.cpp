// events_test.cpp: the change feed: nothing twice, nothing left out, and no token taken for
// another's.
#include "daemon/rpc/events.h"

#include <catch2/catch.hpp>

#include "daemon/store/sqlite_store.h"
#include "tests/unit/store_support.h"

using namespace sluice;
using namespace sluice::store_test;

namespace {

class Feed {
 public:
  Feed() {
    store_ = open_store(options_).value();
    reader_ = open_history(options_).value();
    StoreBatch batch;
    batch.specs = {stored(1, make_spec("first", 1000)), stored(2, make_spec("other", 2000))};
    batch.jobs = {shared(make_job(1, 1, 100)), shared(make_job(2, 2, 100))};
    commit(batch);
  }
  void commit(const StoreBatch& batch) {
    if (const auto done = store_->commit(batch); !done.ok()) FAIL(to_text(done.error()));
  }
  void happen(const char* kind, std::uint32_t job, const char* node = "") {
    StoreBatch batch;
    batch.audit = {{wall_from_us(++clock_us_), kind, JobId{job}, node, 0, ""}};
    commit(batch);
  }
  Result<EventsReply> ask(const WatchEvents& wanted) {
    ReadContext context{std::make_shared<const Snapshot>(), *reader_, {}};
    return read_events(context, wanted);
  }
  // "job_submitted:1 node_drained:0"
  std::string find(WatchEvents wanted) {
    const Result<EventsReply> reply = ask(wanted);
    if (!reply.ok()) FAIL(to_text(reply.error()));
    std::string found;
    for (const EventInfo& event : reply->events)
      found += (found.empty() ? "" : " ") + event.kind + ":" + std::to_string(event.job.value);
    return found;
  }

 private:
  ScratchFolder folder_;
  StoreOptions options_{.path = folder_.path() + "/state.db", .synchronous_full = false};
  std::unique_ptr<Store> store_;
  std::unique_ptr<HistoryReader> reader_;
  std::int64_t clock_us_ = 1'000'000;
};

}  // namespace

TEST_CASE("a feed goes on behind the token it is given", "[events]") {
  Feed feed;
  REQUIRE(feed.ask({})->token == "0.0");
  feed.happen("job_submitted", 1);
  feed.happen("node_drained", 0, "n1");
  const EventsReply first = *feed.ask({.token = "0"});
  REQUIRE(first.events.size() == 2);
  REQUIRE(first.events[0].job_name == "first");
  REQUIRE(first.events[0].job_state == "PENDING");
  REQUIRE(first.events[1].node == "n1");
  REQUIRE(feed.ask({.token = first.token})->events.empty());
  feed.happen("job_ended", 1);
  REQUIRE(feed.find({.token = first.token}) == "job_ended:1");
  REQUIRE(feed.find({.token = first.events[0].token}) == "node_drained:0 job_ended:1");
  REQUIRE(feed.ask({})->events.empty());
}

TEST_CASE("jobs, users and kinds choose; a node's event belongs to no job", "[events]") {
  Feed feed;
  feed.happen("job_submitted", 1);
  feed.happen("job_submitted", 2);
  feed.happen("node_drained", 0, "n1");
  feed.happen("job_ended", 2);
  REQUIRE(feed.find({.token = "0", .jobs = {{JobId{2}, {}}}}) == "job_submitted:2 job_ended:2");
  REQUIRE(feed.find({.token = "0", .uids = {1000}}) == "job_submitted:1");
  REQUIRE(feed.find({.token = "0", .kinds = {"job_ended", "node_drained"}}) ==
          "node_drained:0 job_ended:2");
}

TEST_CASE("a feed of many events comes in parts, and leaves none out", "[events]") {
  Feed feed;
  StoreBatch batch;
  for (int i = 0; i < 1200; ++i)
    batch.audit.push_back({wall_from_us(5'000'000 + i), "job_updated", JobId{1}, "", 0, ""});
  feed.commit(batch);
  std::size_t count = 0, parts = 0;
  for (std::string token = "0";; ++parts) {
    const EventsReply reply = *feed.ask({.token = token});
    if (reply.events.empty()) break;
    count += reply.events.size();
    token = reply.token;
  }
  REQUIRE(count == 1200);
  REQUIRE(parts > 1);
}

TEST_CASE("a token that names no event of this state is refused", "[events]") {
  Feed feed;
  feed.happen("job_submitted", 1);
  for (const char* token : {"1.7", "9.1000001", "word", "1.x", "-1", "1.1000001 "}) {
    INFO(token);
    REQUIRE(feed.ask({.token = token}).error().code == ErrorCode::invalid_argument);
  }
  REQUIRE(feed.ask({.token = "1.1000001"}).ok());
}
