// accounting.h: accounts, users, associations and QOS, as sacctmgr keeps them. Names of members are
// Slurm's option words. The book is small and changes seldom: it is shared as a whole, and a change
// makes a new one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/describe.h"
#include "common/base/ids.h"

namespace sluice {

// A trackable resource and an amount of it: "cpu", "mem" (MB), "node", "billing", "gres/gpu",
// "gres/gpu:a100", "license/matlab".
struct TresCount {
  std::string tres;
  std::uint64_t count = 0;

  bool operator==(const TresCount&) const = default;
};
BOOST_DESCRIBE_STRUCT(TresCount, (), (tres, count))
using TresCounts = std::vector<TresCount>;  // ascending by tres, each once

// Limits that an association and a QOS have in common. None, or a TRES not named: no limit here.
// `grp_...` hold for all jobs below together, `max_...` for each.
struct Limits {
  TresCounts grp_tres;                           // held at once
  TresCounts grp_tres_mins;                      // used, decayed as the fair share is
  TresCounts grp_tres_run_mins;                  // held times the minutes left by time limit
  std::optional<std::uint32_t> grp_jobs;         // running
  std::optional<std::uint32_t> grp_jobs_accrue;  // of waiting jobs, those that gain age
  std::optional<std::uint32_t> grp_submit_jobs;  // running and waiting, tasks counted
  std::optional<std::uint32_t> grp_wall_min;
  TresCounts max_tres_per_job;
  TresCounts max_tres_per_node;
  TresCounts max_tres_mins_per_job;
  std::optional<std::uint32_t> max_wall_min;  // of a job
  std::optional<std::uint32_t> min_prio_threshold;

  bool operator==(const Limits&) const = default;
};
BOOST_DESCRIBE_STRUCT(Limits, (),
                      (grp_tres, grp_tres_mins, grp_tres_run_mins, grp_jobs, grp_jobs_accrue,
                       grp_submit_jobs, grp_wall_min, max_tres_per_job, max_tres_per_node,
                       max_tres_mins_per_job, max_wall_min, min_prio_threshold))

struct Account {
  std::string name;  // in lower case, as Slurm keeps it
  std::string description;
  std::string organization;
  std::vector<std::string> coordinators;
  bool deleted = false;

  bool operator==(const Account&) const = default;
};
BOOST_DESCRIBE_STRUCT(Account, (), (name, description, organization, coordinators, deleted))

BOOST_DEFINE_ENUM_CLASS(AdminLevel, None, Operator, Administrator)

struct AccountUser {
  std::string name;
  std::string default_account;
  std::string default_wckey;
  AdminLevel admin_level = AdminLevel::None;
  bool deleted = false;

  bool operator==(const AccountUser&) const = default;
};
BOOST_DESCRIBE_STRUCT(AccountUser, (), (name, default_account, default_wckey, admin_level, deleted))

// A node of the tree of shares: an account below another, or a user in an account (perhaps in one
// partition alone). Ids are never used again; what was deleted stays for the history.
struct Association {
  AssociationId id;
  std::string account;
  std::string parent;     // account; of an account's own row; empty: it is the root
  std::string user;       // empty: it is the account's own row
  std::string partition;  // empty: all
  std::optional<std::uint32_t> shares = 1;  // none: Fairshare=parent
  std::uint32_t priority = 0;
  std::string default_qos;       // empty: the parent's
  std::vector<std::string> qos;  // that may be used; empty: the parent's
  Limits limits;
  std::optional<std::uint32_t> max_jobs;  // of each user
  std::optional<std::uint32_t> max_jobs_accrue;
  std::optional<std::uint32_t> max_submit_jobs;
  bool deleted = false;

  bool operator==(const Association&) const = default;
};
BOOST_DESCRIBE_STRUCT(Association, (),
                      (id, account, parent, user, partition, shares, priority, default_qos, qos,
                       limits, max_jobs, max_jobs_accrue, max_submit_jobs, deleted))

// How a run is ended so that another can start: for good, or to be run again (where the job allows
// that, else for good). OFF: it is not.
BOOST_DEFINE_ENUM_CLASS(PreemptMode, OFF, CANCEL, REQUEUE)

// Opportunistic: jobs that fill what is free: no start is planned for them, they end nobody, and
// for the start of any other job they are ended at once.
BOOST_DEFINE_ENUM_CLASS(QosFlag, DenyOnLimit, EnforceUsageThreshold, NoReserve, NoDecay,
                        OverPartQOS, PartitionMinNodes, PartitionMaxNodes, PartitionTimeLimit,
                        RequiresReservation, UsageFactorSafe, Opportunistic)

struct Qos {
  QosId id;
  std::string name;
  std::string description;
  std::uint32_t priority = 0;
  std::vector<QosFlag> flags;
  std::vector<std::string> preempt;         // QOS whose jobs it may preempt; never in a circle
  std::optional<PreemptMode> preempt_mode;  // of its jobs, as victims; none: the cluster's
  std::uint32_t grace_time_s = 0;           // between SIGTERM and SIGKILL of a victim; 0: KillWait
  std::optional<std::uint32_t> preempt_exempt_time_s;  // none: the cluster's
  std::uint32_t usage_factor_ppm = 1'000'000;
  std::optional<std::uint32_t> usage_threshold_ppm;
  std::optional<std::uint32_t> limit_factor_ppm;
  Limits limits;
  TresCounts max_tres_per_account;
  TresCounts max_tres_per_user;
  TresCounts min_tres_per_job;
  std::optional<std::uint32_t> max_jobs_per_account;
  std::optional<std::uint32_t> max_jobs_per_user;
  std::optional<std::uint32_t> max_submit_jobs_per_account;
  std::optional<std::uint32_t> max_submit_jobs_per_user;
  std::optional<std::uint32_t> max_jobs_accrue_per_account;
  std::optional<std::uint32_t> max_jobs_accrue_per_user;
  bool deleted = false;

  bool operator==(const Qos&) const = default;
};
BOOST_DESCRIBE_STRUCT(Qos, (),
                      (id, name, description, priority, flags, preempt, preempt_mode, grace_time_s,
                       preempt_exempt_time_s, usage_factor_ppm, usage_threshold_ppm,
                       limit_factor_ppm, limits, max_tres_per_account, max_tres_per_user,
                       min_tres_per_job, max_jobs_per_account, max_jobs_per_user,
                       max_submit_jobs_per_account, max_submit_jobs_per_user,
                       max_jobs_accrue_per_account, max_jobs_accrue_per_user, deleted))

// All of it. An account's own row stands for it in `associations`; the root account is always there
// once anything is.
struct AccountBook {
  std::map<std::string, Account> accounts;
  std::map<std::string, AccountUser> users;
  std::map<AssociationId, Association> associations;  // an account may stand below a younger one
  std::map<QosId, Qos> qos;

  bool operator==(const AccountBook&) const = default;
};

// What is asked of a book for every job, found without a search. Copies share the book, in which no
// account is below itself.
class AccountIndex {
 public:
  AccountIndex() : AccountIndex(std::make_shared<const AccountBook>()) {}
  explicit AccountIndex(std::shared_ptr<const AccountBook> book);

  const AccountBook& book() const { return *book_; }
  // Nobody has used sacctmgr yet.
  bool is_untouched() const { return is_untouched_; }
  // None of them finds what was deleted. The row of the partition if there is one, else the one of
  // all partitions.
  const Association* association(const std::string& account, const std::string& user,
                                 const std::string& partition) const;
  const Association* account(const std::string& name) const;
  // As parent_of().
  const Association* parent(const Association& association) const;
  // In any case of letters.
  const Qos* qos(const std::string& name) const;
  // As qos_of() and default_qos_of().
  const std::vector<std::string>& qos_of(const Association& association) const;
  const std::string& default_qos_of(const Association& association) const;

 private:
  std::shared_ptr<const AccountBook> book_;
  bool is_untouched_ = true;
  std::unordered_map<std::string, const Association*> associations_;  // by account, user, partition
  std::unordered_map<std::string, const Qos*> qos_;                   // by name in lower case
};

// What every site has from the first day on, as in Slurm: the account root with the user root in it,
// and the QOS normal. It is stored with the first change.
AccountBook first_book();
// The stored one, or the first.
AccountBook known_book(const AccountBook& stored);

// None of them finds what was deleted.
const Association* find_account_row(const AccountBook& book, const std::string& account);
// The row of the partition if there is one, else the one of all partitions.
const Association* find_association(const AccountBook& book, const std::string& account,
                                    const std::string& user, const std::string& partition);
// The account's own row of a user's, the parent account's of an account's; nullptr: the root.
const Association* parent_of(const AccountBook& book, const Association& association);
const Qos* find_qos(const AccountBook& book, const std::string& name);
// Those that may be used: its own list, or that of the nearest one above it that has a list.
std::vector<std::string> qos_of(const AccountBook& book, const Association& association);
// Its own default, or that of the nearest one above it that has one; empty: none has.
std::string default_qos_of(const AccountBook& book, const Association& association);

}  // namespace sluice
