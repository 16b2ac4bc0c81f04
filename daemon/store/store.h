// store.h: where the controller's state lies. One thread calls commit(); history is read by others
// through HistoryReader. SQLite is the one implementation (sqlite_store.h); nothing else may depend
// on which. The tables are the truth: after every scenario, load_all() equals the live state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/model/job.h"
#include "common/model/node.h"
#include "common/model/rows.h"
#include "common/wire/messages.h"

namespace sluice {

// One line of history: a job, or one earlier run of it (then `run` is set).
struct HistoryRow {
  JobRecordPtr job;
  JobSpecPtr spec;
  std::optional<RunRecord> run;
};

// A row of the audit as it lies in the store; ids only grow.
struct StoredEvent {
  std::int64_t id = 0;
  AuditRow row;
};

// Which jobs leave the state file, and where they go.
struct PurgeOrder {
  std::string archive;  // a new file, or an archive of the same cluster
  std::string cluster;
  WallTime before;          // of their end
  std::vector<JobId> keep;  // jobs, and whole arrays, that stay: others still look at them
};

struct PurgeSummary {
  std::uint64_t jobs = 0;
  std::uint64_t events = 0;
  std::optional<WallTime> first_ended;
  std::optional<WallTime> last_ended;
  std::uint64_t bytes_freed = 0;  // within the state file, for rows to come
};

// Moves finished jobs, and what belongs to them, into an archive, piece by piece. What apply()
// removes lies in the archive durably by then, so that a crash in between leaves it in both files,
// and the same order again goes on from there. Must not outlive its store; one method at a time.
class Purge {
 public:
  virtual ~Purge() = default;

  // Copies the next piece. Any thread. False: there is none left. Errors: invalid_argument (the
  // file is no archive, or one of other jobs), store_newer, store_full, store_error, io_error.
  virtual Result<bool> prepare() = 0;
  // Removes the piece from the state file, in a transaction of some milliseconds. The committing
  // thread. On error the piece stays. Errors: store_full, store_error.
  virtual Result<void> apply() = 0;
  virtual const PurgeSummary& summary() const = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<LoadedState> load_all() = 0;
  // Durable when it returns ok. On error nothing of the batch is there, and memory is ahead of the
  // disk: the caller must end the daemon. Errors: store_full, store_error.
  virtual Result<void> commit(const StoreBatch& batch) = 0;
  // Hot copy, verified by an integrity check of the copy before it gets its name.
  virtual Result<void> backup(const std::string& path) = 0;
  // Nothing happens before its first step. One at a time; by the committing thread.
  virtual std::unique_ptr<Purge> begin_purge(const PurgeOrder& order) = 0;
  // Bytes free for the state's file system beyond the reserve; 0: refuse new work (store_full).
  virtual std::uint64_t free_bytes() = 0;
};

// Thread safe against one writer in the same process; each reader thread has its own.
class HistoryReader {
 public:
  virtual ~HistoryReader() = default;

  // Rows in ascending job id, then run; stops when `take` returns false. Tasks of an array are found
  // by the array's id too (JobSelector).
  virtual Result<void> query(const JobFilter& filter, bool earlier_runs,
                             const std::function<bool(const HistoryRow&)>& take) = 0;
  virtual Result<std::optional<HistoryRow>> find_job(JobId job) = 0;
  // Runs that were over at `time` or later: of a job its last one (`run` is null), and its earlier
  // ones. Of each only what its records say; no spec is read.
  virtual Result<void> runs_since(
      WallTime time,
      const std::function<void(const JobRecord& job, const RunRecord* run)>& take) = 0;
  // Those after `id`, in their order; stops when `take` returns false.
  virtual Result<void> events_after(std::int64_t id,
                                    const std::function<bool(const StoredEvent&)>& take) = 0;
  virtual Result<std::optional<StoredEvent>> find_event(std::int64_t id) = 0;
  virtual Result<std::optional<StoredEvent>> newest_event() = 0;
  // Errors: invalid_argument when no such content is stored.
  virtual Result<std::string> read_blob(const std::string& content_id) = 0;
};

}  // namespace sluice
