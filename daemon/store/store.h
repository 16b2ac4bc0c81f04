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

class Store {
 public:
  virtual ~Store() = default;

  virtual Result<LoadedState> load_all() = 0;
  // Durable when it returns ok. On error nothing of the batch is there, and memory is ahead of the
  // disk: the caller must end the daemon. Errors: store_full, store_error.
  virtual Result<void> commit(const StoreBatch& batch) = 0;
  // Hot copy, verified by an integrity check of the copy before it gets its name.
  virtual Result<void> backup(const std::string& path) = 0;
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
  // Those after `id`, in their order; stops when `take` returns false.
  virtual Result<void> events_after(std::int64_t id,
                                    const std::function<bool(const StoredEvent&)>& take) = 0;
  virtual Result<std::optional<StoredEvent>> find_event(std::int64_t id) = 0;
  virtual Result<std::optional<StoredEvent>> newest_event() = 0;
  // Errors: invalid_argument when no such content is stored.
  virtual Result<std::string> read_blob(const std::string& content_id) = 0;
};

}  // namespace sluice
