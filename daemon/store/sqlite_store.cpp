// sqlite_store.cpp: writes batches, loads the live state. Reading of history: sqlite_history.cpp.
#include "daemon/store/sqlite_store.h"

#include <fmt/format.h>

#include <limits>

#include "common/wire/message_codec.h"
#include "daemon/store/backup.h"
#include "daemon/store/checkpointer.h"
#include "daemon/store/migrations.h"
#include "daemon/store/purge.h"
#include "daemon/store/sqlite.h"

namespace sluice {
namespace {

using sqlite::Bytes;
using sqlite::Connection;
using sqlite::Statement;
using sqlite::Text;

// One set of parameters serves the three statements of a job row. The narrow update applies while no
// indexed column changes, which is every change of state but the end.
constexpr const char* narrow_update_sql =
    "UPDATE job SET state = ?2, partition = ?3, submitted_us = ?4, started_us = ?5, record = ?6 "
    "WHERE job_id = ?1 AND ended_us IS ?7 AND spec_id = ?8 AND array_id IS ?9 AND task IS ?10";
constexpr const char* full_update_sql =
    "UPDATE job SET state = ?2, partition = ?3, submitted_us = ?4, started_us = ?5, record = ?6, "
    "ended_us = ?7, spec_id = ?8, array_id = ?9, task = ?10, "
    "uid = (SELECT uid FROM spec WHERE spec_id = ?8) WHERE job_id = ?1";
constexpr const char* insert_job_sql =
    "INSERT INTO job (job_id, state, partition, submitted_us, started_us, record, ended_us, "
    "spec_id, array_id, task, uid) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
    "(SELECT uid FROM spec WHERE spec_id = ?8))";

std::optional<std::int64_t> us_or_null(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return to_us(*time);
}

struct Statements {
  Statement begin, commit;
  Statement job_narrow, job_full, job_insert, live_insert, live_delete, key_delete;
  Statement run, spec, blob, key, node, event;
  Statement account, user, association, qos, reservation, reservation_delete;
};

Result<Statements> prepare_all(Connection& connection) {
  Statements made;
  const std::pair<Statement*, const char*> wanted[] = {
      {&made.begin, "BEGIN IMMEDIATE"},
      {&made.commit, "COMMIT"},
      {&made.job_narrow, narrow_update_sql},
      {&made.job_full, full_update_sql},
      {&made.job_insert, insert_job_sql},
      {&made.live_insert, "INSERT OR IGNORE INTO live_job (job_id) VALUES (?1)"},
      {&made.live_delete, "DELETE FROM live_job WHERE job_id = ?1"},
      {&made.key_delete, "DELETE FROM submit_key WHERE job_id = ?1"},
      {&made.run,
       "INSERT OR REPLACE INTO run (job_id, run, state, submitted_us, started_us, ended_us, "
       "record) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
      {&made.spec,
       "INSERT OR IGNORE INTO spec (spec_id, uid, name, account, qos, content) "
       "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"},
      {&made.blob, "INSERT OR IGNORE INTO blob (blob_id, bytes) VALUES (?1, ?2)"},
      {&made.key, "INSERT OR REPLACE INTO submit_key (job_id, submit_key) VALUES (?1, ?2)"},
      {&made.node,
       "INSERT INTO node (name, record) VALUES (?1, ?2) "
       "ON CONFLICT (name) DO UPDATE SET record = excluded.record"},
      {&made.event,
       "INSERT INTO event (at_us, kind, job_id, node, uid, detail) "
       "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"},
      {&made.account, "INSERT OR REPLACE INTO account (name, record) VALUES (?1, ?2)"},
      {&made.user,
       "INSERT OR REPLACE INTO account_user (name, default_account, record) VALUES (?1, ?2, ?3)"},
      {&made.association,
       "INSERT OR REPLACE INTO association (association_id, account, user, partition, record) "
       "VALUES (?1, ?2, ?3, ?4, ?5)"},
      {&made.qos, "INSERT OR REPLACE INTO qos (qos_id, name, record) VALUES (?1, ?2, ?3)"},
      {&made.reservation, "INSERT OR REPLACE INTO reservation (name, record) VALUES (?1, ?2)"},
      {&made.reservation_delete, "DELETE FROM reservation WHERE name = ?1"},
  };
  for (const auto& [statement, sql] : wanted) *statement = TRY(connection.prepare(sql));
  return made;
}

class SqliteStore : public Store {
 public:
  SqliteStore(const StoreOptions& options, Connection connection, Statements statements)
      : options_(options),
        connection_(std::move(connection)),
        statements_(std::move(statements)) {}

  Result<void> start_checkpointer() {
    checkpointer_ = TRY(Checkpointer::start({.path = options_.path, .vfs = options_.vfs},
                                            connection_,
                                            {.start_pages = options_.checkpoint_pages}));
    return {};
  }

  Result<LoadedState> load_all() override;
  Result<void> commit(const StoreBatch& batch) override;
  Result<void> backup(const std::string& path) override {
    return make_backup({.path = options_.path, .vfs = options_.vfs}, path);
  }
  std::unique_ptr<Purge> begin_purge(const PurgeOrder& order) override;
  std::uint64_t free_bytes() override {
    return options_.space ? options_.space->usable_bytes()
                          : std::numeric_limits<std::uint64_t>::max();
  }

 private:
  Result<void> write_transaction(const StoreBatch& batch);
  Result<void> write_rows(const StoreBatch& batch);
  Result<void> write_accounts(const StoreBatch& batch);
  Result<void> write_reservations(const StoreBatch& batch);
  Result<void> write_job(const JobRecord& job);
  Result<void> write_run(const RunRecord& run);
  Result<void> write_spec(const StoredSpec& spec);
  Result<void> retire(JobId job);

  const StoreOptions options_;
  Connection connection_;
  Statements statements_;
  std::unique_ptr<Checkpointer> checkpointer_;  // destroyed first: it uses the connection
  std::weak_ptr<BlobNames> named_;  // by the specs written since the purge under way began
};

Result<void> SqliteStore::commit(const StoreBatch& batch) {
  if (batch.empty()) return {};
  Result<void> written = write_transaction(batch);
  if (!written.ok() && written.error().code == ErrorCode::store_full && options_.space &&
      options_.space->give_back())
    written = write_transaction(batch);
  if (written.ok() && checkpointer_) checkpointer_->after_commit();
  return written;
}

Result<void> SqliteStore::write_transaction(const StoreBatch& batch) {
  TRY(statements_.begin.run());
  Result<void> written = write_rows(batch);
  if (written.ok()) written = statements_.commit.run();
  // A failed COMMIT may leave the transaction open, or SQLite may have rolled it back by itself.
  if (!written.ok() && connection_.is_in_transaction()) (void)connection_.run("ROLLBACK");
  return written;
}

// Specs go first: a job row takes its uid from its spec.
Result<void> SqliteStore::write_rows(const StoreBatch& batch) {
  for (const StoredSpec& spec : batch.specs) TRY(write_spec(spec));
  for (const StoredBlob& blob : batch.blobs)
    TRY(statements_.blob.run(Text{blob.id}, Bytes{*blob.bytes}));
  for (const JobRecordPtr& job : batch.jobs) TRY(write_job(*job));
  for (const RunRecord& run : batch.runs) TRY(write_run(run));
  for (const SubmitKey& key : batch.keys)
    TRY(statements_.key.run(std::int64_t{key.job.value}, Bytes{key.key}));
  for (const NodeRecordPtr& node : batch.nodes)
    TRY(statements_.node.run(Text{node->name}, Bytes{to_bytes(*node)}));
  for (const JobId job : batch.retired) TRY(retire(job));
  TRY(write_accounts(batch));
  TRY(write_reservations(batch));
  for (const AuditRow& row : batch.audit) {
    std::optional<std::int64_t> job;
    if (row.job.value != 0) job = row.job.value;
    TRY(statements_.event.run(to_us(row.at), Text{row.kind}, job, Text{row.node},
                              std::int64_t{row.uid}, Text{row.text}));
  }
  return {};
}

Result<void> SqliteStore::write_accounts(const StoreBatch& batch) {
  for (const Account& account : batch.accounts)
    TRY(statements_.account.run(Text{account.name}, Bytes{to_bytes(account)}));
  for (const AccountUser& user : batch.users)
    TRY(statements_.user.run(Text{user.name}, Text{user.default_account}, Bytes{to_bytes(user)}));
  for (const Association& row : batch.associations)
    TRY(statements_.association.run(std::int64_t{row.id.value}, Text{row.account}, Text{row.user},
                                    Text{row.partition}, Bytes{to_bytes(row)}));
  for (const Qos& qos : batch.qos)
    TRY(statements_.qos.run(std::int64_t{qos.id.value}, Text{qos.name}, Bytes{to_bytes(qos)}));
  return {};
}

// One that was removed and made again within the batch is there.
Result<void> SqliteStore::write_reservations(const StoreBatch& batch) {
  for (const std::string& name : batch.reservations_removed)
    TRY(statements_.reservation_delete.run(Text{name}));
  for (const Reservation& reservation : batch.reservations)
    TRY(statements_.reservation.run(Text{reservation.name}, Bytes{to_bytes(reservation)}));
  return {};
}

Result<void> SqliteStore::write_job(const JobRecord& job) {
  const std::string record = to_bytes(job);
  std::optional<std::int64_t> array;
  std::optional<std::int64_t> task;
  if (job.array) array = job.array->array_id.value;
  if (job.array && job.array->task) task = *job.array->task;
  const auto write = [&](Statement& statement) {
    return statement.run(std::int64_t{job.id.value},
                         Text{state_word(job.state, job.end, job.special_exit)},
                         Text{job.partition}, to_us(job.times.submitted),
                         us_or_null(job.times.started), Bytes{record}, us_or_null(job.times.ended),
                         static_cast<std::int64_t>(job.spec.value), array, task);
  };
  TRY(write(statements_.job_narrow));
  if (connection_.changes() == 0) {
    TRY(write(statements_.job_full));
    if (connection_.changes() == 0) TRY(write(statements_.job_insert));
  }
  return statements_.live_insert.run(std::int64_t{job.id.value});
}

Result<void> SqliteStore::write_run(const RunRecord& run) {
  return statements_.run.run(std::int64_t{run.id.job.value}, std::int64_t{run.id.run.value},
                             Text{state_word(JobState::ended, run.end)},
                             to_us(run.times.submitted), us_or_null(run.times.started),
                             us_or_null(run.times.ended), Bytes{to_bytes(run)});
}

Result<void> SqliteStore::write_spec(const StoredSpec& stored) {
  const JobSpec& spec = *stored.spec;
  if (const auto named = named_.lock()) named->add(spec);
  return statements_.spec.run(static_cast<std::int64_t>(stored.id.value), std::int64_t{spec.uid},
                              Text{spec.name}, Text{spec.account}, Text{spec.qos},
                              Bytes{to_bytes(spec)});
}

std::unique_ptr<Purge> SqliteStore::begin_purge(const PurgeOrder& order) {
  const auto named = std::make_shared<BlobNames>();
  named_ = named;
  return make_purge({.file = {.path = options_.path, .vfs = options_.vfs},
                     .writer = connection_,
                     .after_commit =
                         [this] {
                           if (checkpointer_) checkpointer_->after_commit();
                         },
                     .named = named},
                    order);
}

Result<void> SqliteStore::retire(JobId job) {
  TRY(statements_.live_delete.run(std::int64_t{job.value}));
  return statements_.key_delete.run(std::int64_t{job.value});
}

// --- load --------------------------------------------------------------------------------------

// Calls take(statement) for each row.
template <class Take>
Result<void> for_each_row(Connection& connection, const char* sql, Take&& take) {
  Statement statement = TRY(connection.prepare(sql));
  while (TRY(statement.step())) TRY(take(statement));
  return {};
}

template <class T>
Result<std::shared_ptr<const T>> decode(const Statement& row, int column, const char* what) {
  auto value = std::make_shared<T>();
  codec::Allowance allowance(row.bytes(column).size());
  if (!codec::take_struct(row.bytes(column), *value, allowance))
    return Error{ErrorCode::store_error,
                 fmt::format("the record of {} {} cannot be decoded", what, row.bytes(0))};
  return std::shared_ptr<const T>(std::move(value));
}

Result<void> load_rows(Connection& connection, LoadedState& state) {
  const auto take_job = [&](const Statement& row) -> Result<void> {
    state.jobs.push_back(TRY(decode<JobRecord>(row, 1, "job")));
    return {};
  };
  const auto take_spec = [&](const Statement& row) -> Result<void> {
    const SpecId id{static_cast<std::uint64_t>(row.integer(0))};
    state.specs.push_back({id, TRY(decode<JobSpec>(row, 1, "spec"))});
    return {};
  };
  const auto take_key = [&](const Statement& row) -> Result<void> {
    const JobId job{static_cast<std::uint32_t>(row.integer(0))};
    state.keys.push_back({std::string(row.bytes(1)), job});
    return {};
  };
  const auto take_node = [&](const Statement& row) -> Result<void> {
    state.nodes.push_back(TRY(decode<NodeRecord>(row, 1, "node")));
    return {};
  };
  TRY(for_each_row(connection,
                   "SELECT job_id, record FROM live_job CROSS JOIN job USING (job_id) "
                   "ORDER BY job_id",
                   take_job));
  TRY(for_each_row(connection,
                   "SELECT spec_id, content FROM spec WHERE spec_id IN (SELECT spec_id FROM "
                   "live_job CROSS JOIN job USING (job_id)) ORDER BY spec_id",
                   take_spec));
  TRY(for_each_row(connection, "SELECT job_id, submit_key FROM submit_key ORDER BY job_id",
                   take_key));
  return for_each_row(connection, "SELECT name, record FROM node ORDER BY node_id", take_node);
}

Result<void> load_accounts(Connection& connection, AccountBook& book) {
  const auto take_account = [&](const Statement& row) -> Result<void> {
    const auto account = TRY(decode<Account>(row, 1, "account"));
    book.accounts[account->name] = *account;
    return {};
  };
  const auto take_user = [&](const Statement& row) -> Result<void> {
    const auto user = TRY(decode<AccountUser>(row, 1, "user"));
    book.users[user->name] = *user;
    return {};
  };
  const auto take_association = [&](const Statement& row) -> Result<void> {
    const auto association = TRY(decode<Association>(row, 1, "association"));
    book.associations[association->id] = *association;
    return {};
  };
  const auto take_qos = [&](const Statement& row) -> Result<void> {
    const auto qos = TRY(decode<Qos>(row, 1, "QOS"));
    book.qos[qos->id] = *qos;
    return {};
  };
  TRY(for_each_row(connection, "SELECT name, record FROM account", take_account));
  TRY(for_each_row(connection, "SELECT name, record FROM account_user", take_user));
  TRY(for_each_row(connection, "SELECT association_id, record FROM association",
                   take_association));
  return for_each_row(connection, "SELECT qos_id, record FROM qos", take_qos);
}

Result<void> load_reservations(Connection& connection, std::vector<Reservation>& reservations) {
  return for_each_row(connection, "SELECT name, record FROM reservation ORDER BY name",
                      [&](const Statement& row) -> Result<void> {
                        reservations.push_back(
                            *TRY(decode<Reservation>(row, 1, "reservation")));
                        return {};
                      });
}

// On a connection of its own, so that its page cache goes when the load is done.
Result<LoadedState> SqliteStore::load_all() {
  Connection connection = TRY(Connection::open(
      {.path = options_.path, .vfs = options_.vfs, .read_only = true}));
  TRY(connection.run("BEGIN"));
  LoadedState state;
  TRY(load_rows(connection, state));
  TRY(load_accounts(connection, state.accounts));
  TRY(load_reservations(connection, state.reservations));
  const std::int64_t job = TRY(connection.integer("SELECT coalesce(max(job_id), 0) FROM job"));
  const std::int64_t spec = TRY(connection.integer("SELECT coalesce(max(spec_id), 0) FROM spec"));
  state.highest_job = JobId{static_cast<std::uint32_t>(job)};
  state.highest_spec = SpecId{static_cast<std::uint64_t>(spec)};
  return state;
}

// --- open --------------------------------------------------------------------------------------

Result<void> set_up(Connection& connection, const StoreOptions& options) {
  TRY(check_version(connection, options.path, embedded_migrations()));
  const std::string mode = TRY(connection.text("PRAGMA journal_mode = WAL"));
  if (mode != "wal")
    return Error{ErrorCode::store_error,
                 fmt::format("{}: write-ahead logging is not possible here (journal_mode {})",
                             options.path, mode)};
  TRY(connection.run(options.synchronous_full ? "PRAGMA synchronous = FULL"
                                              : "PRAGMA synchronous = OFF"));
  TRY(connection.run("PRAGMA cache_size = -8000; PRAGMA journal_size_limit = 67108864"));
  TRY(connection.run(fmt::format("PRAGMA wal_autocheckpoint = {}",
                                 options.background_checkpoint ? 0 : options.checkpoint_pages)));
  return migrate(connection, embedded_migrations());
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  const sqlite::OpenOptions file{.path = options.path, .vfs = options.vfs};
  TRY(check_file_version(file, embedded_migrations()));
  if (options.vfs.empty()) TRY(sqlite::make_private_file(options.path));
  Connection connection = TRY(Connection::open(file));
  TRY(set_up(connection, options));
  Statements statements = TRY(prepare_all(connection));
  auto store =
      std::make_unique<SqliteStore>(options, std::move(connection), std::move(statements));
  if (options.background_checkpoint) TRY(store->start_checkpointer());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace sluice
