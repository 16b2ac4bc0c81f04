// associate.cpp: see associate.h.
#include "daemon/core/associate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace sluice {
namespace {

// Slurm keeps the names of accounts in lower case.
std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// In any case of letters: the configuration is written by hand.
bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& row) {
    return row.size() == name.size() && lower(row) == lower(name);
  });
}

std::string accounts_of_user(const AccountBook& book, const std::string& user) {
  std::set<std::string> names;
  for (const auto& [id, row] : book.associations)
    if (!row.deleted && row.user == user) names.insert(row.account);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

Error no_account(const AccountBook& book, const JobSpec& spec, const std::string& account,
                 const std::string& partition) {
  const std::string of_user = accounts_of_user(book, spec.user);
  if (account.empty())
    return {ErrorCode::invalid_account,
            fmt::format("user {} is in no account; an administrator adds "
                        "him with sacctmgr",
                        spec.user.empty() ? fmt::format("{}", spec.uid) : spec.user)};
  return {ErrorCode::invalid_account,
          fmt::format("user {} is not in account {} for partition {} (his accounts: {})", spec.user,
                      account, partition, of_user)};
}

std::string default_qos(const AccountIndex& accounts, const Association& row,
                        const std::vector<std::string>& usable) {
  const std::string& said = accounts.default_qos_of(row);
  if (!said.empty()) return said;
  if (usable.empty() || has(usable, "normal")) return "normal";
  return usable.front();
}

Result<void> find_qos_of(const AccountIndex& accounts, const AccountingConfig& enforce,
                         const Association* row, const JobSpec& spec, JobAccount& found) {
  static const std::vector<std::string> none;
  const std::vector<std::string>& usable = row ? accounts.qos_of(*row) : none;
  found.qos_name = spec.qos;
  if (spec.qos.empty() && row) found.qos_name = default_qos(accounts, *row, usable);
  const Qos* qos = found.qos_name.empty() ? nullptr : accounts.qos(found.qos_name);
  if (qos) found.qos = qos->id;
  if (qos) found.qos_name = qos->name;
  if (!enforce.qos) return {};
  if (!found.qos_name.empty() && !qos)
    return Error{ErrorCode::invalid_qos, fmt::format("there is no QOS {}", found.qos_name)};
  if (!qos || !has(usable, found.qos_name))
    return Error{ErrorCode::invalid_qos,
                 fmt::format("user {} may not use the QOS {} in account {} (he may use: {})",
                             spec.user, found.qos_name, found.account,
                             usable.empty() ? "none" : fmt::format("{}", fmt::join(usable, ",")))};
  return {};
}

}  // namespace

Result<JobAccount> find_job_account(const Site& site, const JobSpec& spec,
                                    const std::string& partition) {
  const AccountIndex& accounts = site.limit_rules.accounts;
  const AccountingConfig& enforce = site.config.accounting;
  JobAccount found;
  found.account = spec.account;
  found.qos_name = spec.qos;
  if (!enforce.associations && accounts.is_untouched()) return found;
  if (found.account.empty()) {
    const auto user = accounts.book().users.find(spec.user);
    if (user != accounts.book().users.end() && !user->second.deleted)
      found.account = user->second.default_account;
  }
  const std::string name = lower(found.account);
  const Association* row = name.empty() || spec.user.empty()
                               ? nullptr
                               : accounts.association(name, spec.user, partition);
  if (!row && enforce.associations)
    return no_account(accounts.book(), spec, found.account, partition);
  if (row) {
    found.association = row->id;
    found.account = row->account;
  }
  TRY(find_qos_of(accounts, enforce, row, spec, found));
  return found;
}

Result<void> check_access(const PartitionConfig& partition, const std::string& account,
                          const std::string& qos) {
  const PartitionAccess& access = partition.access;
  if (!access.allow_accounts.empty()) {
    if (!has(access.allow_accounts, account))
      return Error{ErrorCode::invalid_account,
                   fmt::format("account {} is none of AllowAccounts={} of partition {}",
                               account.empty() ? "(none)" : account,
                               fmt::join(access.allow_accounts, ","), partition.name)};
  } else if (has(access.deny_accounts, account)) {
    return Error{ErrorCode::invalid_account,
                 fmt::format("account {} is one of DenyAccounts={} of partition {}", account,
                             fmt::join(access.deny_accounts, ","), partition.name)};
  }
  if (!access.allow_qos.empty()) {
    if (!has(access.allow_qos, qos))
      return Error{
          ErrorCode::invalid_qos,
          fmt::format("QOS {} is none of AllowQos={} of partition {}", qos.empty() ? "(none)" : qos,
                      fmt::join(access.allow_qos, ","), partition.name)};
  } else if (has(access.deny_qos, qos)) {
    return Error{ErrorCode::invalid_qos,
                 fmt::format("QOS {} is one of DenyQos={} of partition {}", qos,
                             fmt::join(access.deny_qos, ","), partition.name)};
  }
  return {};
}

// --- jobs that are there

namespace {

// Whether it has another account somewhere than the record says.
bool differs(const JobRecord& record, const std::vector<JobAccount>& found) {
  if (record.choices.empty())
    return found.front().association != record.association || found.front().qos != record.qos;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].association != record.choices[i].association ||
        found[i].qos != record.choices[i].qos)
      return true;
  return false;
}

std::vector<JobAccount> find_accounts(const State& state, const JobRecord& record,
                                      const JobSpec& spec) {
  std::vector<JobAccount> found;
  const auto look = [&](const std::string& partition, AssociationId association, QosId qos) {
    const Result<JobAccount> account = find_job_account(state, spec, partition);
    found.push_back(account ? *account : JobAccount{association, qos, spec.account, spec.qos});
  };
  for (const PartitionChoice& choice : record.choices)
    look(choice.partition, choice.association, choice.qos);
  if (record.choices.empty()) look(record.partition, record.association, record.qos);
  return found;
}

// As at its submit, where there were no accounts yet.
void name_account(State& state, JobId id, const JobAccount& account) {
  JobSpec spec = state.spec(id);
  if (!spec.account.empty() && !spec.qos.empty()) return;
  if (spec.account.empty()) spec.account = account.account;
  if (spec.qos.empty()) spec.qos = account.qos_name;
  if (spec != state.spec(id)) state.change_spec(id, state.intern(spec));
}

}  // namespace

// An association or QOS that was removed and made again is another one, with its own id.
void take_accounts(State& state, JobId id) {
  const std::vector<JobAccount> found = find_accounts(state, state.job(id), state.spec(id));
  name_account(state, id, found.front());
  if (!differs(state.job(id), found)) return;
  state.dequeue(id);  // its place in the queue is by these
  state.recount_live(id, [&](JobRecord& record) {
    for (std::size_t i = 0; i < record.choices.size(); ++i) {
      record.choices[i].association = found[i].association;
      record.choices[i].qos = found[i].qos;
    }
    std::size_t own = 0;  // that of the partition it is in
    while (own < record.choices.size() && record.choices[own].partition != record.partition) ++own;
    const JobAccount& account = own < found.size() ? found[own] : found.front();
    record.association = account.association;
    record.qos = account.qos;
  });
  if (holds_resources(state.job(id).state)) state.hold_limits(state.job(id));
}

void take_missing_accounts(State& state) {
  std::vector<JobId> without;
  state.jobs.for_each([&](std::uint32_t id, const JobEntry& entry) {
    if (holds_resources(entry.record.state) && entry.record.association.value == 0)
      without.push_back(JobId{id});
    return true;
  });
  for (const JobId id : without) {
    const Result<JobAccount> found =
        find_job_account(state, state.spec(id), state.job(id).partition);
    if (!found || found->association.value == 0) continue;
    name_account(state, id, *found);
    state.recount_live(id, [&](JobRecord& record) {
      record.association = found->association;
      record.qos = found->qos;
    });
    state.hold_limits(state.job(id));
  }
}

namespace {
Wait wait_for(const Error& error, Reason for_account, Reason for_qos) {
  return {error.code == ErrorCode::invalid_qos ? for_qos : for_account, error.detail};
}
}  // namespace

Wait account_wait(const Site& site, const std::string& partition, const JobSpec& spec) {
  const Result<JobAccount> found = find_job_account(site, spec, partition);
  if (!found) return wait_for(found.error(), Reason::InvalidAccount, Reason::InvalidQOS);
  const PartitionConfig* config = site.find_partition(partition);
  if (!config) return {};
  const std::string& own = config->access.qos;
  if (site.config.accounting.limits && !own.empty() && !site.limit_rules.accounts.qos(own))
    return {Reason::InvalidQOS,
            fmt::format("partition {} has QoS={}, which does not exist; its limits cannot be held",
                        partition, own)};
  const Result<void> allowed = check_access(*config, found->account, found->qos_name);
  if (allowed) return {};
  return wait_for(allowed.error(), Reason::AccountNotAllowed, Reason::QOSNotAllowed);
}

}  // namespace sluice
