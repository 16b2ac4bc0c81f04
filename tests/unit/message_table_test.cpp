// message_table_test.cpp: who may send what, before any handler sees it.
#include <catch2/catch.hpp>
#include <map>

#include "daemon/rpc/handlers.h"
#include "daemon/rpc/message_table.h"

using namespace sluice;

namespace {

class RecordedSession : public Session {
 public:
  std::uint64_t id() const override { return 1; }
  void send(std::uint32_t, MessageType type, std::string payload) override {
    sent = type;
    bytes = std::move(payload);
  }
  void close() override {}

  std::optional<MessageType> sent;
  std::string bytes;
};

// Only the state may be asked for: whatever else a handler wants, it was reached by mistake.
class StateOnly : public Services {
 public:
  explicit StateOnly(const ClusterConfig& config) : state_(std::make_shared<const ClusterConfig>(config)) {}
  const State& state() const override { return state_; }
  void count_request(const char*) override {}
  void count_refusal() override {}

  void feed(Event) override { FAIL("feed"); }
  void foresee(const RequestRef&, ReadTask) override {}
  void read(const RequestRef&, ReadTask) override { FAIL("read"); }
  void watch(const RequestRef&, WatchEvents) override { FAIL("watch"); }
  void with_user_names(std::uint32_t, std::uint32_t,
                       std::function<void(std::string, std::string)>) override {
    FAIL("with_user_names");
  }
  HistoryReader& history() override { return unused<HistoryReader&>(); }
  void with_history(std::function<void(HistoryReader&)>, std::function<void()>) override {
    FAIL("with_history");
  }
  bool store_is_full() override { return unused<bool>(); }
  void keep_blob(const StoredBlob&) override { FAIL("keep_blob"); }
  Result<std::shared_ptr<const std::string>> find_blob(const std::string&) override {
    return unused<Result<std::shared_ptr<const std::string>>>();
  }
  Result<void> reconfigure(std::optional<RequestRef>) override { return unused<Result<void>>(); }
  void backup(const RequestRef&, const std::string&) override { FAIL("backup"); }
  void purge(const RequestRef&, const PurgeJobs& wanted) override { purged = wanted; }
  StatisticsReply statistics() override { return {}; }
  void reset_statistics() override { ++resets; }
  void shut_down() override { FAIL("shut_down"); }
  std::string content_id(std::string_view) override { return unused<std::string>(); }
  WallTime now_wall() const override { return {}; }

  std::optional<PurgeJobs> purged;
  int resets = 0;

 private:
  template <class T>
  static T unused() {
    FAIL("not for this test");
    std::abort();
  }
  State state_;
};

// Answers reads at once, of a snapshot without history.
class Reads : public StateOnly {
 public:
  explicit Reads(std::shared_ptr<const Snapshot> snapshot)
      : StateOnly(ClusterConfig{}), snapshot_(std::move(snapshot)) {}
  void foresee(const RequestRef&, ReadTask) override {}
  void read(const RequestRef&, ReadTask task) override {
    NoHistory none;
    ReadContext context{snapshot_, none, {}};
    task(context, [&](MessageType, std::string payload) { frames.push_back(std::move(payload)); });
  }

  std::vector<std::string> frames;

 private:
  struct NoHistory : HistoryReader {
    Result<void> query(const JobFilter&, bool,
                       const std::function<bool(const HistoryRow&)>&) override {
      return {};
    }
    Result<std::optional<HistoryRow>> find_job(JobId) override {
      return std::optional<HistoryRow>{};
    }
    Result<void> runs_since(
        WallTime, const std::function<void(const JobRecord&, const RunRecord*)>&) override {
      return {};
    }
    Result<std::string> read_blob(const std::string&) override { return std::string{}; }
    Result<void> events_after(std::int64_t, const std::function<bool(const StoredEvent&)>&) override {
      return {};
    }
    Result<std::optional<StoredEvent>> find_event(std::int64_t) override { return newest_event(); }
    Result<std::optional<StoredEvent>> newest_event() override {
      return std::optional<StoredEvent>{};
    }
  };
  std::shared_ptr<const Snapshot> snapshot_;
};

std::shared_ptr<const Snapshot> snapshot_of_jobs(const std::vector<std::uint32_t>& ids) {
  const State empty(std::make_shared<const ClusterConfig>());
  auto snapshot = std::make_shared<Snapshot>(empty.snapshot());
  for (const std::uint32_t id : ids) {
    JobEntry entry;
    entry.record.id = JobId{id};
    JobSpec spec;
    spec.uid = 1000 + id % 2;
    entry.spec = std::make_shared<const JobSpec>(spec);
    if (!snapshot->jobs_of_user.find(spec.uid)) snapshot->jobs_of_user.put(spec.uid, {});
    snapshot->jobs_of_user.edit(spec.uid).insert(id);
    snapshot->jobs.put(id, std::move(entry));
  }
  return snapshot;
}

JobsReply page_of(const std::shared_ptr<const Snapshot>& snapshot, QueryJobs query) {
  Reads services(snapshot);
  RecordedSession session;
  Call call{session, 1, services};
  rpc::query_jobs(call, query);
  REQUIRE(services.frames.size() == 1);
  const Result<JobsReply> reply = from_bytes<JobsReply>(services.frames.front());
  REQUIRE(reply.ok());
  return *reply;
}

std::vector<std::uint32_t> ids_of(const JobsReply& reply) {
  std::vector<std::uint32_t> ids;
  for (const JobInfo& job : reply.jobs) ids.push_back(job.id.value);
  return ids;
}

ClusterConfig config_of_head() {
  ClusterConfig config;
  config.controller_host = "head";
  return config;
}

// What dispatch() says of a message of a size, from a peer.
Result<void> sent_by(RecordedSession& session, const MessageRow& row, std::size_t bytes) {
  StateOnly services(config_of_head());
  Call call{session, 1, services};
  return dispatch(call, static_cast<std::uint16_t>(row.type), std::string(bytes, '\0'));
}

std::vector<const MessageRow*> all_rows() {
  std::vector<const MessageRow*> rows;
  for (std::uint32_t type = 0; type <= 0xffff; ++type)
    if (const MessageRow* row = find_message(static_cast<std::uint16_t>(type))) rows.push_back(row);
  return rows;
}

}  // namespace

TEST_CASE("a listing in pages goes on behind the last row", "[rpc]") {
  const auto snapshot = snapshot_of_jobs({3, 5, 8, 9, 12});
  QueryJobs query;
  REQUIRE(ids_of(page_of(snapshot, query)) == std::vector<std::uint32_t>{3, 5, 8, 9, 12});
  query.rows_max = 2;
  std::vector<std::vector<std::uint32_t>> pages;
  while (true) {
    const JobsReply page = page_of(snapshot, query);
    pages.push_back(ids_of(page));
    if (!page.next) break;
    query.filter.after = *page.next;
  }
  REQUIRE(pages == std::vector<std::vector<std::uint32_t>>{{3, 5}, {8, 9}, {12}});
}

TEST_CASE("pages of one user's jobs hold these alone", "[rpc]") {
  const auto snapshot = snapshot_of_jobs({3, 4, 5, 8, 9, 12, 13});
  QueryJobs query;
  query.filter.uids = {1001};
  query.rows_max = 2;
  const JobsReply first = page_of(snapshot, query);
  REQUIRE(ids_of(first) == std::vector<std::uint32_t>{3, 5});
  query.filter.after = *first.next;
  REQUIRE(ids_of(page_of(snapshot, query)) == std::vector<std::uint32_t>{9, 13});
  query.filter.after = {};
  query.filter.uids = {7};
  REQUIRE(ids_of(page_of(snapshot, query)).empty());
  query.filter.uids = {1001, 1000};
  REQUIRE(ids_of(page_of(snapshot, query)) == std::vector<std::uint32_t>{3, 4});
}

TEST_CASE("a page of named jobs says which are unknown", "[rpc]") {
  const auto snapshot = snapshot_of_jobs({3, 5, 8});
  QueryJobs query;
  query.rows_max = 1;
  query.filter.jobs = {{JobId{8}, {}}, {JobId{7}, {}}, {JobId{3}, {}}};
  const JobsReply first = page_of(snapshot, query);
  REQUIRE(ids_of(first) == std::vector<std::uint32_t>{3});
  REQUIRE(first.unknown == std::vector<JobId>{JobId{7}});
  query.filter.after = *first.next;
  REQUIRE(ids_of(page_of(snapshot, query)) == std::vector<std::uint32_t>{8});
}

TEST_CASE("any user learns which controller answers", "[rpc]") {
  StateOnly services(config_of_head());
  RecordedSession session;
  Call call{session, 1, services};
  REQUIRE(dispatch(call, static_cast<std::uint16_t>(MessageType::ping), to_bytes(Ping{})).ok());
  REQUIRE(session.sent == MessageType::ping_reply);
  REQUIRE(from_bytes<PingReply>(session.bytes)->host == "head");
}

TEST_CASE("a purge needs an absolute path and an age of a day at least", "[rpc]") {
  constexpr std::uint64_t day_s = 86400;
  const std::tuple<const char*, std::uint64_t, std::string> asked[] = {
      {"archive.db", day_s,
       "'archive.db' is not absolute: the archive is a file on the controller's host"},
      {"", day_s, "'' is not absolute: the archive is a file on the controller's host"},
      {"/a.db", day_s - 1, "jobs stay for a day at least: 86399 s is less than 1d"},
      {"/a.db", 36501 * day_s, "3153686400 s is more than 100y"},
      {"/a.db", day_s, ""},
  };
  for (const auto& [path, older_s, refusal] : asked) {
    CAPTURE(path, older_s);
    StateOnly services(config_of_head());
    RecordedSession session;
    session.caller.is_admin = true;
    Call call{session, 1, services};
    const std::string bytes = to_bytes(PurgeJobs{path, older_s});
    REQUIRE(dispatch(call, static_cast<std::uint16_t>(MessageType::purge_jobs), bytes).ok());
    REQUIRE(services.purged.has_value() == refusal.empty());
    if (!refusal.empty()) REQUIRE(from_bytes<ErrorReply>(session.bytes)->detail == refusal);
  }
}

TEST_CASE("no two messages have one number, and each that is received has its codec", "[rpc]") {
  std::map<MessageType, std::string> names;
  const auto note = [&]<class T>(const char* name) {
    if constexpr (requires { T::type; }) {
      CAPTURE(name, names[T::type]);
      REQUIRE(names[T::type].empty());
      names[T::type] = name;
    }
  };
#define SLUICE_NOTE(Type) note.template operator()<Type>(#Type);
  SLUICE_ENCODED_TYPES(SLUICE_NOTE)
#undef SLUICE_NOTE
  for (const MessageRow* row : all_rows()) {
    CAPTURE(row->name);
    REQUIRE(names.contains(row->type));
  }
}

TEST_CASE("a message longer than its row allows ends the connection", "[rpc]") {
  for (const MessageRow* row : all_rows()) {
    CAPTURE(row->name);
    RecordedSession session;
    if (row->role >= Role::node) session.node = "n1";
    session.registered = true;
    session.caller.is_admin = true;
    const auto refused = sent_by(session, *row, row->payload_bytes_max + std::size_t{1});
    REQUIRE(refused.error().code == ErrorCode::protocol_error);
    REQUIRE(refused.error().detail.find(" exceeds ") != std::string::npos);
  }
}

TEST_CASE("a node's key opens no message of users, a user's connection none of nodes", "[rpc]") {
  REQUIRE(all_rows().size() > 20);
  for (const MessageRow* row : all_rows()) {
    CAPTURE(row->name);
    const bool is_for_nodes = row->role >= Role::node;
    RecordedSession session;
    session.node = is_for_nodes ? "" : "n1";
    session.registered = true;
    session.caller.is_admin = true;
    REQUIRE(sent_by(session, *row, 0).error().code == ErrorCode::access_denied);
    REQUIRE_FALSE(session.sent);
  }
}

TEST_CASE("a node says nothing of runs before it is accepted, a login host never", "[rpc]") {
  for (const MessageRow* row : all_rows()) {
    if (row->role != Role::registered) continue;
    CAPTURE(row->name);
    RecordedSession early, login;
    early.node = login.node = "n1";
    login.registered = login.login = true;
    REQUIRE(sent_by(early, *row, 0).error().code == ErrorCode::access_denied);
    REQUIRE(sent_by(login, *row, 0).error().code == ErrorCode::access_denied);
  }
}

TEST_CASE("a user who is no administrator is refused in words, and stays connected", "[rpc]") {
  for (const MessageRow* row : all_rows()) {
    if (row->role != Role::admin) continue;
    CAPTURE(row->name);
    RecordedSession session;
    session.caller.uid = 1000;
    REQUIRE(sent_by(session, *row, 0).ok());
    REQUIRE(session.sent == MessageType::error_reply);
    REQUIRE(from_bytes<ErrorReply>(session.bytes)->detail == "uid 1000 is not an administrator");
  }
}
