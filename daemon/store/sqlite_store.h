// sqlite_store.h: the Store on one SQLite file: WAL, synchronous=FULL, one writer connection, one
// transaction a batch. Decides nothing about jobs.
#pragma once

#include <memory>
#include <string>

#include "daemon/store/free_space.h"
#include "daemon/store/store.h"

namespace sluice {

struct StoreOptions {
  std::string path{};                // of the state file; its folder must exist
  std::string vfs{};                 // SQLite VFS by name; empty: the machine's files
  bool synchronous_full = true;      // off only in tests: commits then do not survive power loss
  bool background_checkpoint = true; // off: by the committing thread, so that a run is repeatable
  int checkpoint_pages = 1000;       // of log, before pages are moved into the state file
  FreeSpace* space = nullptr;        // not owned, outlives the store; null: never short
};

// Makes the file when there is none, migrates it when it is older. The caller holds the lock of the
// state folder (StateFolder). Errors: store_newer, store_full, store_error.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

// A reader for one thread, on a connection of its own. The state file must have been opened by
// open_store before, and `take` must not block: a reader at work keeps the log from being reused.
Result<std::unique_ptr<HistoryReader>> open_history(const StoreOptions& options);

}  // namespace sluice
