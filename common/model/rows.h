// rows.h: what the controller writes in one transaction, and what it reads back at start. The core fills
// a StoreBatch, the store commits it; neither knows the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/model/accounting.h"
#include "common/model/job.h"
#include "common/model/node.h"
#include "common/model/reservation.h"
#include "common/model/step.h"

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
  std::vector<StepRecordPtr> steps;
  std::vector<RunRecord> runs;         // earlier runs of requeued jobs
  std::vector<StoredSpec> specs;
  std::vector<StoredBlob> blobs;
  std::vector<SubmitKey> keys;
  std::vector<NodeRecordPtr> nodes;
  std::vector<Account> accounts;
  std::vector<AccountUser> users;
  std::vector<Association> associations;
  std::vector<Qos> qos;
  std::vector<Reservation> reservations;
  std::vector<std::string> reservations_removed;  // names
  std::vector<AuditRow> audit;

  bool empty() const {
    return jobs.empty() && retired.empty() && steps.empty() && runs.empty() && specs.empty() &&
           blobs.empty() && keys.empty() && nodes.empty() && accounts.empty() && users.empty() &&
           associations.empty() && qos.empty() && reservations.empty() &&
           reservations_removed.empty() && audit.empty();
  }
};

struct IdBlock {
  JobId first;
  JobId end;  // exclusive

  bool operator==(const IdBlock&) const = default;
};

// What a restarted controller needs in memory.
struct LoadedState {
  std::vector<JobRecordPtr> jobs;      // not retired, ascending by id
  std::vector<StoredSpec> specs;       // those that `jobs` name
  std::vector<SubmitKey> keys;         // of `jobs`
  std::vector<StepRecordPtr> steps;    // of `jobs`, that have not ended; ascending by id
  std::vector<StepTally> tallies;      // of the present runs of `jobs` that had steps
  std::vector<NodeRecordPtr> nodes;
  AccountBook accounts;
  std::vector<Reservation> reservations;
  JobId highest_job;                   // of all jobs ever, retired ones too
  SpecId highest_spec;
  // Given to jobs of which a restored state file knows nothing; told by the id floor, not by the
  // store.
  std::vector<IdBlock> unrecorded;
  // No controller since the last restore has heard of every node: told by the id floor too.
  bool is_restored = false;
};

}  // namespace sluice
