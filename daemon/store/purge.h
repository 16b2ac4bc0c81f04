// purge.h: the Purge of a SQLite state file. The order of its work: jobs with their runs, specs,
// scripts and environments; the audit; then what nothing refers to any more.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/store/sqlite.h"
#include "daemon/store/store.h"
#include "daemon/store/unused_content.h"

namespace sluice {

struct PurgeParts {
  sqlite::OpenOptions file;            // the state file
  sqlite::Connection& writer;          // used in apply() alone
  std::function<void()> after_commit;  // called by apply() after each transaction
  std::shared_ptr<const BlobNames>
      named;  // by specs written meanwhile: kept. Of the committing thread
};

std::unique_ptr<Purge> make_purge(PurgeParts parts, const PurgeOrder& order);

}  // namespace sluice
