// associate.h: whose job it is: the association and the QOS that a submit, or a change, means, and
// whether a partition is open to them. Pure.
#pragma once

#include <string>

#include "common/base/result.h"
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
Result<JobAccount> find_job_account(const AccountBook& book, const AccountingConfig& enforce,
                                    const JobSpec& spec, const std::string& partition);

// Errors: invalid_account, invalid_qos: the partition's AllowAccounts, DenyAccounts, AllowQos,
// DenyQos.
Result<void> check_access(const PartitionConfig& partition, const std::string& account,
                          const std::string& qos);

// The job is of this account from now on; it waits.
void set_account(State& state, JobId id, const JobAccount& account);

// The same of the account that it has in this partition of its list; a user may have one for it.
void take_account_in(State& state, JobId id, const std::string& partition);

// The same of a job that waits, after accounts or the configuration changed.
Wait account_wait(const State& state, const JobRecord& record, const JobSpec& spec);
Wait access_wait(const State& state, const std::string& partition, const JobSpec& spec);

}  // namespace sluice
