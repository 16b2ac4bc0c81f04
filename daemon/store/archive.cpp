// archive.cpp: see archive.h. In its connection `main` is the archive, `state` the state file.
#include "daemon/store/archive.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "common/wire/message_codec.h"
#include "daemon/store/migrations.h"

namespace sluice {
namespace {

using sqlite::Connection;
using sqlite::Statement;
using sqlite::Text;

// EXTRA: also the removal of the journal, which is the commit, must be on disk.
constexpr const char* settings_sql =
    "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA cache_size = -4000; "
    "PRAGMA temp_store = MEMORY";
constexpr const char* temporary_sql =
    "CREATE TEMP TABLE keep (id INTEGER PRIMARY KEY); "
    "CREATE TEMP TABLE slice (job_id INTEGER PRIMARY KEY, spec_id INTEGER, ended_us INTEGER); "
    "CREATE TEMP TABLE picked (event_id INTEGER PRIMARY KEY)";
constexpr const char* pick_jobs_sql =
    "INSERT INTO temp.slice SELECT job_id, spec_id, ended_us FROM state.job INDEXED BY job_ended "
    "WHERE (ended_us, job_id) > (?1, ?2) AND ended_us < ?3 "
    "AND job_id < (SELECT max(job_id) FROM state.job) "
    "AND job_id NOT IN (SELECT job_id FROM state.live_job) "
    "AND job_id NOT IN (SELECT id FROM temp.keep) "
    "AND (array_id IS NULL OR array_id NOT IN (SELECT id FROM temp.keep)) "
    "ORDER BY ended_us, job_id LIMIT ?4";
constexpr const char* copy_jobs_sql =
    "INSERT OR IGNORE INTO main.spec SELECT * FROM state.spec "
    "WHERE spec_id IN (SELECT spec_id FROM temp.slice); "
    "INSERT OR IGNORE INTO main.job SELECT * FROM state.job "
    "WHERE job_id IN (SELECT job_id FROM temp.slice); "
    "INSERT OR IGNORE INTO main.run SELECT * FROM state.run "
    "WHERE job_id IN (SELECT job_id FROM temp.slice)";
constexpr const char* other_jobs_sql =
    "SELECT slice.job_id FROM temp.slice CROSS JOIN state.job AS here USING (job_id) "
    "CROSS JOIN main.job AS there USING (job_id) WHERE here.record <> there.record LIMIT 1";
constexpr const char* other_specs_sql =
    "SELECT slice.job_id FROM temp.slice CROSS JOIN state.spec AS here USING (spec_id) "
    "CROSS JOIN main.spec AS there USING (spec_id) WHERE here.content <> there.content LIMIT 1";
// Events come in the order of their times, but for a clock that was set.
constexpr const char* look_at_events_sql =
    "SELECT event_id, at_us < ?2, "
    "job_id IS NULL OR job_id NOT IN (SELECT job_id FROM state.job) FROM state.event "
    "WHERE event_id > ?1 AND event_id < (SELECT max(event_id) FROM state.event) "
    "ORDER BY event_id LIMIT ?3";
constexpr const char* other_events_sql =
    "SELECT picked.event_id FROM temp.picked CROSS JOIN state.event AS here USING (event_id) "
    "CROSS JOIN main.event AS there USING (event_id) "
    "WHERE here.at_us <> there.at_us OR here.kind <> there.kind LIMIT 1";

Error is_no_archive(const std::string& path) {
  return Error{
      ErrorCode::invalid_argument,
      fmt::format("{} is there and is no archive of finished jobs; name a new file", path)};
}

// Before the file is touched.
Result<void> check_file(const sqlite::OpenOptions& file) {
  struct stat found {};
  if (file.vfs.empty() && ::stat(file.path.c_str(), &found) == 0 && !S_ISREG(found.st_mode))
    return is_no_archive(file.path);
  const Result<void> checked = check_file_version(file, embedded_migrations(), FileKind::archive);
  if (!checked.ok() && checked.error().code == ErrorCode::store_error)
    return is_no_archive(file.path);
  return checked;
}

Result<void> check_cluster(Connection& connection, const PurgeOrder& order) {
  TRY(connection.run("CREATE TABLE IF NOT EXISTS archive_of (cluster TEXT NOT NULL)"));
  Statement note = TRY(connection.prepare(
      "INSERT INTO archive_of SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM archive_of)"));
  TRY(note.run(Text{order.cluster}));
  const std::string cluster = TRY(connection.text("SELECT cluster FROM archive_of"));
  if (cluster == order.cluster) return {};
  return Error{ErrorCode::invalid_argument,
               fmt::format("{} is an archive of cluster {}, this one is {}; name a new file",
                           order.archive, cluster, order.cluster)};
}

Result<Connection> open_file(const sqlite::OpenOptions& file, const PurgeOrder& order) {
  TRY(check_file(file));
  if (file.vfs.empty()) TRY(sqlite::make_private_file(file.path));
  Connection connection = TRY(Connection::open(file));
  TRY(check_version(connection, file.path, embedded_migrations(), FileKind::archive));
  TRY(connection.run(settings_sql));
  TRY(migrate(connection, embedded_migrations(), FileKind::archive));
  TRY(check_cluster(connection, order));
  return connection;
}

Result<void> attach_state(Connection& connection, const std::string& path) {
  Statement attach = TRY(connection.prepare("ATTACH ?1 AS state"));
  return attach.run(Text{path});
}

Result<void> fill_keep(Connection& connection, const std::vector<JobId>& keep) {
  Statement insert = TRY(connection.prepare("INSERT OR IGNORE INTO temp.keep VALUES (?1)"));
  for (const JobId id : keep) TRY(insert.run(std::int64_t{id.value}));
  return {};
}

// One transaction of the archive. It begins without a lock on the state, whose writer goes on.
template <class Copy>
auto in_transaction(Connection& connection, Copy&& copy) -> decltype(copy()) {
  TRY(connection.run("BEGIN"));
  auto copied = copy();
  Result<void> done;
  if (copied.ok()) done = connection.run("COMMIT");
  if ((!copied.ok() || !done.ok()) && connection.is_in_transaction())
    (void)connection.run("ROLLBACK");
  if (!done.ok()) return done.error();
  return copied;
}

}  // namespace

Archive::Archive(Connection connection, Statements statements, const PurgeOrder& order)
    : connection_(std::move(connection)),
      statements_(std::move(statements)),
      path_(order.archive),
      before_us_(to_us(order.before)) {
  last_.ended_us = std::numeric_limits<std::int64_t>::min();
}

Result<Archive> Archive::open(const sqlite::OpenOptions& state, const PurgeOrder& order) {
  Connection connection = TRY(open_file({.path = order.archive, .vfs = state.vfs}, order));
  TRY(attach_state(connection, state.path));
  TRY(connection.run(temporary_sql));
  TRY(fill_keep(connection, order.keep));
  Statements statements;
  const std::pair<Statement*, const char*> wanted[] = {
      {&statements.pick_jobs, pick_jobs_sql},
      {&statements.picked_jobs,
       "SELECT job_id, spec_id, ended_us FROM temp.slice ORDER BY ended_us, job_id"},
      {&statements.spec, "SELECT content FROM state.spec WHERE spec_id = ?1"},
      {&statements.blob,
       "INSERT INTO main.blob SELECT * FROM state.blob WHERE blob_id = ?1 "
       "AND NOT EXISTS (SELECT 1 FROM main.blob WHERE blob_id = ?1)"},
      {&statements.look_at_events, look_at_events_sql},
      {&statements.event, "INSERT INTO temp.picked VALUES (?1)"},
  };
  for (const auto& [statement, sql] : wanted) *statement = TRY(connection.prepare(sql));
  return Archive(std::move(connection), std::move(statements), order);
}

// --- jobs --------------------------------------------------------------------------------------

Result<std::vector<ArchivedJob>> Archive::copy_jobs(std::int64_t count_max) {
  return in_transaction(connection_, [&] { return copy_next_jobs(count_max); });
}

Result<std::vector<ArchivedJob>> Archive::copy_next_jobs(std::int64_t count_max) {
  TRY(connection_.run("DELETE FROM temp.slice"));
  TRY(statements_.pick_jobs.run(last_.ended_us, last_.job, before_us_, count_max));
  std::vector<ArchivedJob> jobs;
  Statement& row = statements_.picked_jobs;
  while (TRY(row.step())) jobs.push_back({row.integer(0), row.integer(1), row.integer(2)});
  row.reset();
  if (jobs.empty()) return jobs;
  TRY(connection_.run(copy_jobs_sql));
  TRY(copy_blobs_of(jobs));
  TRY(refuse_other_rows(other_jobs_sql, "job"));
  TRY(refuse_other_rows(other_specs_sql, "the request of job"));
  last_ = jobs.back();
  return jobs;
}

Result<void> Archive::copy_blobs_of(const std::vector<ArchivedJob>& jobs) {
  std::vector<std::int64_t> specs;
  for (const ArchivedJob& job : jobs) specs.push_back(job.spec);
  std::sort(specs.begin(), specs.end());
  specs.erase(std::unique(specs.begin(), specs.end()), specs.end());
  for (const std::int64_t id : specs) {
    statements_.spec.bind(1, id);
    Result<JobSpec> spec = Error{ErrorCode::store_error, fmt::format("spec {} is missing", id)};
    if (TRY(statements_.spec.step())) spec = from_bytes<JobSpec>(statements_.spec.bytes(0));
    statements_.spec.reset();
    if (!spec.ok()) return spec.error();
    for (const std::string* blob : {&spec->batch.script_id, &spec->batch.environment_id})
      TRY(statements_.blob.run(Text{*blob}));
  }
  return {};
}

// Keys are unique in one state alone; what is another row under the same key must not be lost.
Result<void> Archive::refuse_other_rows(const char* sql, const char* what) {
  Statement other = TRY(connection_.prepare(sql));
  if (!TRY(other.step())) return {};
  return Error{ErrorCode::invalid_argument,
               fmt::format("{} holds another {} {}: it is the archive of another state, or of this "
                           "one before a backup was restored; name a new file",
                           path_, what, other.integer(0))};
}

// --- audit -------------------------------------------------------------------------------------

Result<std::vector<std::int64_t>> Archive::copy_events(std::int64_t count_max) {
  return in_transaction(connection_, [&] { return copy_next_events(count_max); });
}

Result<std::vector<std::int64_t>> Archive::copy_next_events(std::int64_t count_max) {
  TRY(connection_.run("DELETE FROM temp.picked"));
  std::vector<std::int64_t> events;
  bool some_are_old = true;
  while (events.empty() && some_are_old) {
    some_are_old = false;
    Statement& row = statements_.look_at_events;
    row.bind(1, last_event_);
    row.bind(2, before_us_);
    row.bind(3, count_max);
    while (TRY(row.step())) {
      last_event_ = row.integer(0);
      const bool is_old = row.integer(1) != 0;
      some_are_old = some_are_old || is_old;
      if (is_old && row.integer(2) != 0) events.push_back(last_event_);
    }
    row.reset();
  }
  for (const std::int64_t event : events) TRY(statements_.event.run(event));
  TRY(
      connection_.run("INSERT OR IGNORE INTO main.event SELECT * FROM state.event "
                      "WHERE event_id IN (SELECT event_id FROM temp.picked)"));
  TRY(refuse_other_rows(other_events_sql, "event"));
  return events;
}

}  // namespace sluice
