// limits.h: THE table of limits of associations and QOS, and what is held against them. One
// question at every start: would this start, beside all that is held, exceed a limit by anything?
// It is asked when a start is applied, one after the other, so that no limit is ever exceeded; and
// before, for how many of a class there is room, so that the planner neither starts nor books more
// than that. Of several levels that set the same limit the first counts, as in Slurm: the
// partition's QOS, the job's QOS (the other way round with OverPartQOS), the user's association,
// its accounts upwards. `Grp` limits of accounts hold at every level. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/ids.h"
#include "common/model/accounting.h"
#include "common/model/config.h"
#include "common/model/job.h"

namespace sluice {

// For whom a job counts.
struct LimitSubject {
  AssociationId association;  // 0: none, then no limit of one holds
  QosId qos;
  QosId partition_qos;

  auto operator<=>(const LimitSubject&) const = default;
};
using LimitSubjects = std::vector<LimitSubject>;  // none is nobody's

// What a job holds, or would hold.
struct JobAmounts {
  TresCounts total;
  TresCounts on_one_node;  // the most
  std::optional<TimeLimit> time_limit;
};

// Who has something of it: an association with all below, a QOS, or one user or account in a QOS.
struct Counter {
  enum class Kind { association, qos, qos_user, qos_account };
  Kind kind = Kind::association;
  std::uint32_t id = 0;
  std::string name;  // of the user or account

  auto operator<=>(const Counter&) const = default;
};

struct Held {
  std::uint64_t jobs = 0;
  std::map<std::string, std::uint64_t> tres;

  bool operator==(const Held&) const = default;
};

// What is in force; never null where it is shared.
struct LimitRules {
  AccountIndex accounts;
  bool in_force = false;                       // AccountingStorageEnforce=limits
  std::map<std::string, QosId> partition_qos;  // QoS= of partitions that have one
  // Of each association the rows whose limits hold for it: its own, then its accounts upwards.
  std::unordered_map<AssociationId, std::vector<const Association*>> chains;

  LimitSubject subject(AssociationId association, QosId qos, const std::string& partition) const;
};
LimitRules make_limit_rules(std::shared_ptr<const AccountBook> book, const ClusterConfig& config);

class LimitLedger {
 public:
  // What several of the subjects have in common counts once.
  void add(const LimitRules& rules, const LimitSubjects& subjects, std::uint64_t jobs,
           const TresCounts& tres);
  // It must have been added by the same rules.
  void remove(const LimitRules& rules, const LimitSubjects& subjects, std::uint64_t jobs,
              const TresCounts& tres);
  const Held& of(const Counter& counter) const;
  // Who of the users that count for it has how much, the most first; empty `tres`: of jobs.
  std::vector<TresCount> holders(const LimitRules& rules, const Counter& counter,
                                 const std::string& tres) const;
  bool operator==(const LimitLedger&) const = default;

 private:
  std::map<Counter, Held> held_;  // none is empty
};

struct LimitHit {
  Reason reason = Reason::AssocLimit;  // or QosLimit
  std::string word;                    // Slurm's: "AssocGrpCpuLimit"
  std::string detail;                  // the sentence with the numbers
  std::string owner;                   // whose limit it is: "account physics"
  // In the limit's unit: a TRES, jobs, minutes. Of what is not added up `used` is 0.
  std::uint64_t used = 0;
  std::uint64_t asked = 0;
  std::uint64_t allowed = 0;
};

// None: so many such jobs may start.
std::optional<LimitHit> check_start(const LimitRules& rules, const LimitLedger& held,
                                    const LimitSubject& subject, const JobAmounts& job,
                                    std::uint64_t copies = 1);
// Of so many more tasks, which count for all of the subjects; `submitted` has all that run and
// wait.
std::optional<LimitHit> check_submit(const LimitRules& rules, const LimitLedger& submitted,
                                     const LimitSubjects& subjects, std::uint64_t tasks);

// The same answers as check_start() gives, without the words, for many questions about one subject.
class Allowance {
 public:
  Allowance(const LimitRules& rules, const LimitLedger& held, const LimitSubject& subject);
  // How many such jobs may start, `copies_max` at most.
  std::uint64_t room_for(const JobAmounts& job, std::uint64_t copies_max) const;

 private:
  TresCounts shared_left_;  // each a limit of its own: a TRES may stand in it twice
  TresCounts most_of_job_;
  TresCounts most_of_node_;
  TresCounts least_of_job_;
  std::optional<std::uint64_t> jobs_left_;
  std::optional<std::uint32_t> wall_min_;
};
JobAmounts amounts_of(const std::vector<NodeShare>& shares,
                      const std::vector<LicenseCount>& licenses,
                      const std::optional<TimeLimit>& limit);
// No start can take less.
JobAmounts least_amounts(const Demand& demand, const std::optional<TimeLimit>& limit);

}  // namespace sluice
