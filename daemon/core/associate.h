// associate.h: whose job it is: the association and the QOS that a submit, or a change, means, and
// whether a partition is open to them. Pure.
#pragma once

#include <string>

#include "common/base/result.h"
#include "daemon/core/site.h"
#include "daemon/core/standing.h"
#include "daemon/core/state.h"

namespace sluice {

struct JobAccount {
  AssociationId association;  // 0: none is known, and none is needed here
  QosId qos;                  // 0: the same
  std::string account;        // the name that is shown; as asked where there is no association
  std::string qos_name;
};

// What was not said is the user's default account, and the default QOS of the association. A site
// where nobody has used sacctmgr yet has no accounts: any name is taken.
// Errors: invalid_account, invalid_qos; only where AccountingStorageEnforce wants one.
Result<JobAccount> find_job_account(const Site& site, const JobSpec& spec,
                                    const std::string& partition);

// Errors: invalid_account, invalid_qos: the partition's AllowAccounts, DenyAccounts, AllowQos,
// DenyQos.
Result<void> check_access(const PartitionConfig& partition, const std::string& account,
                          const std::string& qos);

// What the job has in each partition of its list, as the book is now, and the names of it in its
// spec; where it may have none any more it keeps what it had.
void take_accounts(State& state, JobId id);
// The same of runs that were there before they could have one: of all that have not ended, those
// without.
void take_missing_accounts(State& state);

// What keeps a job out of a partition: its account, its QOS, or that the partition takes neither.
Wait account_wait(const Site& site, const std::string& partition, const JobSpec& spec);

}  // namespace sluice
