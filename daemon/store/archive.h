// archive.h: a file of the state's own tables that holds what was purged. Copies rows of the state
// into it, a transaction a slice, durable when the call returns. A row that is there already stays
// as it is. Reads the state beside its writer; never changes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/store/sqlite.h"
#include "daemon/store/store.h"

namespace sluice {

struct ArchivedJob {
  std::int64_t job = 0;
  std::int64_t spec = 0;
  std::int64_t ended_us = 0;
};

class Archive {
 public:
  // Makes the file when there is none. Errors: invalid_argument (it is something else, or of
  // another cluster), store_newer, store_full, store_error, io_error.
  static Result<Archive> open(const sqlite::OpenOptions& state, const PurgeOrder& order);

  // The next jobs that are to go, those that ended first before others; empty: there are no more.
  // The job with the highest id always stays: ids must not go back. Errors: those of open().
  Result<std::vector<ArchivedJob>> copy_jobs(std::int64_t count_max);
  // The next events so old that are of no job of the state; empty: there are no more. The newest
  // event stays.
  Result<std::vector<std::int64_t>> copy_events(std::int64_t count_max);

 private:
  struct Statements {
    sqlite::Statement pick_jobs, picked_jobs, spec, blob, look_at_events, event;
  };
  Archive(sqlite::Connection connection, Statements statements, const PurgeOrder& order);

  Result<void> prepare(const sqlite::OpenOptions& state, const PurgeOrder& order);
  Result<std::vector<ArchivedJob>> copy_next_jobs(std::int64_t count_max);
  Result<void> copy_blobs_of(const std::vector<ArchivedJob>& jobs);
  Result<std::vector<std::int64_t>> copy_next_events(std::int64_t count_max);
  Result<void> refuse_other_rows(const char* sql, const char* what);

  sqlite::Connection connection_;
  Statements statements_;
  std::string path_;
  std::int64_t before_us_;
  ArchivedJob last_;             // the last job that was copied
  std::int64_t last_event_ = 0;  // the last event that was looked at
};

}  // namespace sluice
