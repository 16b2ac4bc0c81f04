// checkpointer.h: moves committed pages from SQLite's log into the state file, off the thread that
// commits. A thread of its own copies most pages; when little is left the committing thread does the
// rest, so that SQLite can begin the log anew instead of growing it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "common/base/result.h"
#include "daemon/store/sqlite.h"

namespace sluice {

struct CheckpointLimits {
  int start_pages = 1000;  // of log, before the thread begins
  int rest_pages = 200;    // that the committing thread may copy itself
};

class Checkpointer {
 public:
  // Opens a connection of its own. `writer` outlives this object and is used only in after_commit().
  static Result<std::unique_ptr<Checkpointer>> start(const sqlite::OpenOptions& file,
                                                     sqlite::Connection& writer,
                                                     const CheckpointLimits& limits);
  ~Checkpointer();

  // Called by the committing thread after each commit, outside a transaction.
  void after_commit();

 private:
  Checkpointer(sqlite::Connection connection, sqlite::Connection& writer,
               const CheckpointLimits& limits);
  void finish_log();
  void work();

  sqlite::Connection connection_;
  sqlite::Connection& writer_;
  const CheckpointLimits limits_;
  // Of the committing thread:
  int log_pages_ = 0;   // after the last commit
  int seen_pages_ = 0;  // at the commit before; more than log_pages_: the log began anew
  int next_pages_;      // nothing to do below this

  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false;
  bool stop_ = false;
  std::uint64_t generation_ = 0;  // how often the log began anew
  int copied_pages_ = 0;          // of the log of this generation
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sluice
