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

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
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

std::string default_qos(const AccountBook& book, const Association& row,
                        const std::vector<std::string>& usable) {
  const std::string said = default_qos_of(book, row);
  if (!said.empty()) return said;
  if (usable.empty() || has(usable, "normal")) return "normal";
  return usable.front();
}

Result<void> find_qos_of(const AccountBook& book, const AccountingConfig& enforce,
                         const Association* row, const JobSpec& spec, JobAccount& found) {
  const std::vector<std::string> usable = row ? qos_of(book, *row) : std::vector<std::string>{};
  found.qos_name = spec.qos;
  if (spec.qos.empty() && row) found.qos_name = default_qos(book, *row, usable);
  const Qos* qos = found.qos_name.empty() ? nullptr : find_qos(book, found.qos_name);
  if (qos) found.qos = qos->id;
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

Result<JobAccount> find_job_account(const AccountBook& book, const AccountingConfig& enforce,
                                    const JobSpec& spec, const std::string& partition) {
  JobAccount found;
  found.account = spec.account;
  found.qos_name = spec.qos;
  static const AccountBook first = first_book();
  if (!enforce.associations && (book == first || book == AccountBook{})) return found;
  if (found.account.empty()) {
    const auto user = book.users.find(spec.user);
    if (user != book.users.end() && !user->second.deleted)
      found.account = user->second.default_account;
  }
  const std::string name = lower(found.account);
  const Association* row = name.empty() || spec.user.empty()
                               ? nullptr
                               : find_association(book, name, spec.user, partition);
  if (!row && enforce.associations) return no_account(book, spec, found.account, partition);
  if (row) {
    found.association = row->id;
    found.account = row->account;
  }
  TRY(find_qos_of(book, enforce, row, spec, found));
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

Wait account_wait(const State& state, const JobRecord& record, const JobSpec& spec) {
  const Result<JobAccount> found =
      find_job_account(*state.accounts, state.config->accounting, spec, record.partition);
  if (found) return {};
  return {
      found.error().code == ErrorCode::invalid_qos ? Reason::InvalidQOS : Reason::InvalidAccount,
      found.error().detail};
}

Wait access_wait(const State& state, const std::string& partition, const JobSpec& spec) {
  const PartitionConfig* config = state.find_partition(partition);
  if (!config) return {};
  const std::string& own = config->access.qos;
  if (state.config->accounting.limits && !own.empty() && !find_qos(*state.accounts, own))
    return {Reason::InvalidQOS,
            fmt::format("partition {} has QoS={}, which does not exist; its limits cannot be held",
                        partition, own)};
  const Result<void> allowed = check_access(*config, spec.account, spec.qos);
  if (allowed) return {};
  return {allowed.error().code == ErrorCode::invalid_qos ? Reason::QOSNotAllowed
                                                         : Reason::AccountNotAllowed,
          allowed.error().detail};
}

}  // namespace sluice
