// sqlite_history.cpp: reads history on a connection of its own, streaming.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "common/wire/codec.h"
#include "daemon/store/history_sql.h"
#include "daemon/store/sqlite.h"
#include "daemon/store/sqlite_store.h"

namespace sluice {
namespace {

using sqlite::Connection;
using sqlite::Statement;
using sqlite::Text;

// Array tasks and repeated submits share a spec; a page of listing needs few different ones.
constexpr std::size_t cached_specs_max = 1024;

bool is_selected(const JobSelector& selector, const JobRecord& job) {
  const bool is_in_array = job.array && job.array->array_id == selector.job;
  if (selector.tasks.empty()) return job.id == selector.job || is_in_array;
  if (!is_in_array) return false;
  if (job.array->task) return selector.tasks.contains(*job.array->task);
  // The record of the waiting tasks: any of them.
  return job.array->waiting.shares_with(selector.tasks);
}

bool ran_on_any(const Allocation& allocation, const std::vector<std::string>& nodes) {
  return std::any_of(allocation.shares.begin(), allocation.shares.end(), [&](const NodeShare& share) {
    return std::find(nodes.begin(), nodes.end(), share.node) != nodes.end();
  });
}

template <class T>
bool is_allowed(const std::vector<T>& list, const T& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

// The parts of a filter that SQL does not see.
bool matches_rest(const JobFilter& filter, const HistoryRow& row) {
  if (!filter.jobs.empty() &&
      std::none_of(filter.jobs.begin(), filter.jobs.end(),
                   [&](const JobSelector& selector) { return is_selected(selector, *row.job); }))
    return false;
  const JobSpec& spec = *row.spec;
  if (!is_allowed(filter.wckeys, spec.wckey) || !is_allowed(filter.gids, spec.gid)) return false;
  return filter.nodes.empty() ||
         ran_on_any(row.run ? row.run->allocation : row.job->allocation, filter.nodes);
}

template <class T>
Result<T> decode(std::string_view bytes, std::int64_t job) {
  Result<T> value = from_bytes<T>(bytes);
  if (!value.ok())
    return Error{ErrorCode::store_error,
                 fmt::format("a record of job {} cannot be decoded", job)};
  return value;
}

// Rows of one statement, with one row read ahead.
class Cursor {
 public:
  static Result<Cursor> open(Connection& connection, const HistorySql& sql) {
    Cursor cursor(TRY(connection.prepare(sql.text)));
    // The values are copies: the texts of `sql` live as long as this cursor in query().
    for (std::size_t i = 0; i < sql.values.size(); ++i)
      cursor.statement_.bind(static_cast<int>(i + 1), Text{sql.values[i]});
    TRY(cursor.next());
    return cursor;
  }
  Result<void> next() {
    has_row_ = TRY(statement_.step());
    return {};
  }
  bool has_row() const { return has_row_; }
  std::int64_t job() const { return statement_.integer(0); }
  const Statement& row() const { return statement_; }

 private:
  explicit Cursor(Statement statement) : statement_(std::move(statement)) {}

  Statement statement_;
  bool has_row_ = false;
};

class SqliteHistory : public HistoryReader {
 public:
  struct Statements {
    Statement job, spec, blob, events, event, newest;
  };
  SqliteHistory(Connection connection, Statements statements)
      : connection_(std::move(connection)), statements_(std::move(statements)) {}

  Result<void> query(const JobFilter& filter, bool earlier_runs,
                     const std::function<bool(const HistoryRow&)>& take) override;
  Result<std::optional<HistoryRow>> find_job(JobId job) override;
  Result<void> runs_since(
      WallTime time,
      const std::function<void(const JobRecord& job, const RunRecord* run)>& take) override;
  Result<std::string> read_blob(const std::string& content_id) override;
  Result<void> events_after(std::int64_t id,
                            const std::function<bool(const StoredEvent&)>& take) override;
  Result<std::optional<StoredEvent>> find_event(std::int64_t id) override;
  Result<std::optional<StoredEvent>> newest_event() override { return one_event(statements_.newest); }

 private:
  Result<HistoryRow> read_row(const Statement& row, bool is_run);
  Result<JobSpecPtr> read_spec(std::int64_t id);
  static Result<std::optional<StoredEvent>> one_event(Statement& statement);

  Connection connection_;
  Statements statements_;
  std::unordered_map<std::int64_t, JobSpecPtr> specs_;
};

// Two ordered lists are merged: of one job the earlier runs come first, then the job.
Result<void> SqliteHistory::query(const JobFilter& filter, bool earlier_runs,
                                  const std::function<bool(const HistoryRow&)>& take) {
  const HistorySql job_sql = job_history_sql(filter);
  const HistorySql run_sql = run_history_sql(filter);
  Cursor jobs = TRY(Cursor::open(connection_, job_sql));
  std::optional<Cursor> runs;
  if (earlier_runs) runs = TRY(Cursor::open(connection_, run_sql));
  while (jobs.has_row() || (runs && runs->has_row())) {
    const bool is_run = runs && runs->has_row() && (!jobs.has_row() || runs->job() <= jobs.job());
    Cursor& cursor = is_run ? *runs : jobs;
    const HistoryRow row = TRY(read_row(cursor.row(), is_run));
    if (matches_rest(filter, row) && !take(row)) return {};
    TRY(cursor.next());
  }
  return {};
}

Result<std::optional<HistoryRow>> SqliteHistory::find_job(JobId job) {
  Statement& statement = statements_.job;
  statement.bind(1, std::int64_t{job.value});
  const Result<bool> found = statement.step();
  std::optional<Result<HistoryRow>> row;
  if (found.ok() && *found) row = read_row(statement, false);
  statement.reset();
  TRY(found);
  if (!row) return std::optional<HistoryRow>{};
  return std::optional<HistoryRow>(TRY(*row));
}

Result<void> SqliteHistory::runs_since(
    WallTime time,
    const std::function<void(const JobRecord& job, const RunRecord* run)>& take) {
  Statement jobs = TRY(connection_.prepare(
      "SELECT job_id, record FROM job INDEXED BY job_ended WHERE ended_us >= ?1"));
  jobs.bind(1, to_us(time));
  while (TRY(jobs.step()))
    take(TRY(decode<JobRecord>(jobs.bytes(1), jobs.integer(0))), nullptr);
  Statement runs = TRY(connection_.prepare(
      "SELECT run.job_id, job.record, run.record FROM run INDEXED BY run_ended "
      "CROSS JOIN job USING (job_id) WHERE run.ended_us >= ?1"));
  runs.bind(1, to_us(time));
  while (TRY(runs.step())) {
    const RunRecord run = TRY(decode<RunRecord>(runs.bytes(2), runs.integer(0)));
    take(TRY(decode<JobRecord>(runs.bytes(1), runs.integer(0))), &run);
  }
  return {};
}

Result<std::string> SqliteHistory::read_blob(const std::string& content_id) {
  Statement& statement = statements_.blob;
  statement.bind(1, Text{content_id});
  const Result<bool> found = statement.step();
  std::string bytes;
  if (found.ok() && *found) bytes = statement.bytes(0);
  statement.reset();
  if (!TRY(found))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("no script or environment {} is stored", content_id)};
  return bytes;
}

StoredEvent read_event(const Statement& row) {
  StoredEvent event;
  event.id = row.integer(0);
  event.row.at = wall_from_us(row.integer(1));
  event.row.kind = row.bytes(2);
  event.row.job = JobId{static_cast<std::uint32_t>(row.integer(3))};
  event.row.node = row.bytes(4);
  event.row.uid = static_cast<std::uint32_t>(row.integer(5));
  event.row.text = row.bytes(6);
  return event;
}

Result<void> SqliteHistory::events_after(std::int64_t id,
                                         const std::function<bool(const StoredEvent&)>& take) {
  Statement& statement = statements_.events;
  statement.bind(1, id);
  Result<bool> found = statement.step();
  while (found.ok() && *found && take(read_event(statement))) found = statement.step();
  statement.reset();
  TRY(found);
  return {};
}

Result<std::optional<StoredEvent>> SqliteHistory::find_event(std::int64_t id) {
  statements_.event.bind(1, id);
  return one_event(statements_.event);
}

Result<std::optional<StoredEvent>> SqliteHistory::one_event(Statement& statement) {
  const Result<bool> found = statement.step();
  std::optional<StoredEvent> event;
  if (found.ok() && *found) event = read_event(statement);
  statement.reset();
  TRY(found);
  return event;
}

Result<HistoryRow> SqliteHistory::read_row(const Statement& row, bool is_run) {
  HistoryRow made;
  const std::int64_t job = row.integer(0);
  made.job = std::make_shared<const JobRecord>(TRY(decode<JobRecord>(row.bytes(2), job)));
  made.spec = TRY(read_spec(row.integer(1)));
  if (is_run) made.run = TRY(decode<RunRecord>(row.bytes(3), job));
  return made;
}

Result<JobSpecPtr> SqliteHistory::read_spec(std::int64_t id) {
  if (const auto known = specs_.find(id); known != specs_.end()) return known->second;
  if (specs_.size() >= cached_specs_max) specs_.clear();
  Statement& statement = statements_.spec;
  statement.bind(1, id);
  const Result<bool> found = statement.step();
  std::string bytes;
  if (found.ok() && *found) bytes = statement.bytes(0);
  statement.reset();
  if (!TRY(found)) return Error{ErrorCode::store_error, fmt::format("spec {} is missing", id)};
  auto spec = std::make_shared<const JobSpec>(TRY(from_bytes<JobSpec>(bytes)));
  specs_[id] = spec;
  return JobSpecPtr(spec);
}

}  // namespace

Result<std::unique_ptr<HistoryReader>> open_history(const StoreOptions& options) {
  Connection connection = TRY(
      Connection::open({.path = options.path, .vfs = options.vfs, .read_only = true}));
  TRY(connection.run("PRAGMA cache_size = -4000"));
  constexpr const char* columns = "SELECT event_id, at_us, kind, job_id, node, uid, detail FROM event";
  SqliteHistory::Statements statements;
  statements.job =
      TRY(connection.prepare("SELECT job_id, spec_id, record FROM job WHERE job_id = ?1"));
  statements.spec = TRY(connection.prepare("SELECT content FROM spec WHERE spec_id = ?1"));
  statements.blob = TRY(connection.prepare("SELECT bytes FROM blob WHERE blob_id = ?1"));
  statements.events = TRY(connection.prepare(
      fmt::format("{} WHERE event_id > ?1 ORDER BY event_id", columns)));
  statements.event = TRY(connection.prepare(fmt::format("{} WHERE event_id = ?1", columns)));
  statements.newest =
      TRY(connection.prepare(fmt::format("{} ORDER BY event_id DESC LIMIT 1", columns)));
  return std::unique_ptr<HistoryReader>(
      std::make_unique<SqliteHistory>(std::move(connection), std::move(statements)));
}

}  // namespace sluice
