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
#include "common/wire/messages.h"

namespace sluice {

struct StoredSpec {
  SpecId id;
  JobSpecPtr spec;
};

// Script or environment, stored once by content. `id` is the hex SHA-256 of `bytes`.
struct StoredBlob {
  std::string id;
  std::shared_ptr<const std::string> bytes;
};

// Who did what: append only, in the same transaction as the change.
struct AuditRow {
  WallTime at;
  std::string kind;  // event's name, past tense: "job_submitted"
  JobId job;         // 0: none
  std::string node;
  std::uint32_t uid = 0;
  std::string text;
};

struct SubmitKey {
  std::string key;
  JobId job;
};

// All that one transaction writes. Rows replace rows of the same key.
struct StoreBatch {
  std::vector<JobRecordPtr> jobs;
  std::vector<JobId> retired;          // left the queue's memory (MinJobAge); history keeps them
  std::vector<RunRecord> runs;         // earlier runs of requeued jobs
  std::vector<StoredSpec> specs;
  std::vector<StoredBlob> blobs;
  std::vector<SubmitKey> keys;
  std::vector<NodeRecordPtr> nodes;
  std::vector<AuditRow> audit;

  bool empty() const {
    return jobs.empty() && retired.empty() && runs.empty() && specs.empty() && blobs.empty() &&
           keys.empty() && nodes.empty() && audit.empty();
  }
};

// What a restarted controller needs in memory.
struct LoadedState {
  std::vector<JobRecordPtr> jobs;      // not retired, ascending by id
  std::vector<StoredSpec> specs;       // those that `jobs` name
  std::vector<SubmitKey> keys;         // of `jobs`
  std::vector<NodeRecordPtr> nodes;
  JobId highest_job;                   // of all jobs ever, retired ones too
  SpecId highest_spec;
};

// One line of history: a job, or one earlier run of it (then `run` is set).
struct HistoryRow {
  JobRecordPtr job;
  JobSpecPtr spec;
  std::optional<RunRecord> run;
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
  // Errors: invalid_argument when no such content is stored.
  virtual Result<std::string> read_blob(const std::string& content_id) = 0;
};

}  // namespace sluice
