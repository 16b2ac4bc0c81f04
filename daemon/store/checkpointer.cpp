// checkpointer.cpp: see checkpointer.h.
#include "daemon/store/checkpointer.h"

#include <sqlite3.h>

namespace sluice {
namespace {

struct LogPages {
  int total = 0;
  int copied = 0;
};

// PASSIVE waits for nobody: pages that a reader still needs, or that were appended meanwhile, stay.
LogPages checkpoint(sqlite::Connection& connection) {
  LogPages pages;
  sqlite3_wal_checkpoint_v2(connection.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages.total,
                            &pages.copied);
  return pages;
}

int note_log_size(void* log_pages, sqlite3*, const char*, int pages) {
  *static_cast<int*>(log_pages) = pages;
  return SQLITE_OK;
}

}  // namespace

Result<std::unique_ptr<Checkpointer>> Checkpointer::start(const sqlite::OpenOptions& file,
                                                          sqlite::Connection& writer,
                                                          const CheckpointLimits& limits) {
  sqlite::Connection own = TRY(sqlite::Connection::open(file));
  // A connection that has read nothing has not opened the log yet: its checkpoints would do nothing.
  TRY(own.integer("SELECT count(*) FROM sqlite_schema"));
  return std::unique_ptr<Checkpointer>(new Checkpointer(std::move(own), writer, limits));
}

Checkpointer::Checkpointer(sqlite::Connection connection, sqlite::Connection& writer,
                           const CheckpointLimits& limits)
    : connection_(std::move(connection)),
      writer_(writer),
      limits_(limits),
      next_pages_(limits.start_pages) {
  sqlite3_wal_hook(writer_.get(), note_log_size, &log_pages_);
  thread_ = std::thread([this] { work(); });
}

Checkpointer::~Checkpointer() {
  sqlite3_wal_hook(writer_.get(), nullptr, nullptr);
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Checkpointer::after_commit() {
  const bool began_anew = log_pages_ < seen_pages_;
  seen_pages_ = log_pages_;
  if (began_anew) {
    next_pages_ = limits_.start_pages;
    const std::lock_guard guard(mutex_);
    copied_pages_ = 0;
    ++generation_;
  }
  if (log_pages_ < next_pages_) return;
  bool much_is_left = false;
  {
    const std::lock_guard guard(mutex_);
    if (wanted_) return;  // the thread is at work
    much_is_left = log_pages_ - copied_pages_ > limits_.rest_pages;
    wanted_ = much_is_left;
  }
  if (much_is_left) wake_.notify_one();
  else finish_log();
}

// When all is copied SQLite writes the next transaction at the start of the log. A reader can prevent
// it; then the next try is a little later.
void Checkpointer::finish_log() {
  const LogPages pages = checkpoint(writer_);
  if (pages.copied == pages.total) return;
  next_pages_ = log_pages_ + limits_.rest_pages;
  const std::lock_guard guard(mutex_);
  copied_pages_ = pages.copied;
}

void Checkpointer::work() {
  std::unique_lock guard(mutex_);
  while (true) {
    wake_.wait(guard, [this] { return wanted_ || stop_; });
    if (stop_) return;
    const std::uint64_t generation = generation_;
    guard.unlock();
    const LogPages pages = checkpoint(connection_);
    guard.lock();
    if (generation == generation_) copied_pages_ = pages.copied;
    wanted_ = false;
  }
}

}  // namespace sluice
