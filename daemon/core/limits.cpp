// limits.cpp: see limits.h.
#include "daemon/core/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/model/tres_counts.h"

namespace sluice {
namespace {

// --- whom a job counts for

using Chain = std::vector<const Association*>;

const Chain& chain_of(const LimitRules& rules, AssociationId id) {
  static const Chain none;
  const auto at = rules.chains.find(id);
  return at == rules.chains.end() ? none : at->second;
}

const Qos* qos_row(const AccountBook& book, QosId id) {
  const auto at = book.qos.find(id);
  return at == book.qos.end() || at->second.deleted ? nullptr : &at->second;
}

void add_counters(const LimitRules& rules, const LimitSubject& subject,
                  std::vector<Counter>& counters) {
  const Chain& chain = chain_of(rules, subject.association);
  for (const Association* row : chain)
    counters.push_back({Counter::Kind::association, row->id.value, {}});
  const Association* own = chain.empty() ? nullptr : chain.front();
  const QosId both[] = {subject.qos, subject.partition_qos};
  for (std::size_t i = 0; i < std::size(both); ++i) {
    const QosId qos = both[i];
    if (qos.value == 0 || (i == 1 && qos == subject.qos)) continue;
    counters.push_back({Counter::Kind::qos, qos.value, {}});
    if (!own) continue;
    counters.push_back({Counter::Kind::qos_user, qos.value, own->user});
    counters.push_back({Counter::Kind::qos_account, qos.value, own->account});
  }
}

// Each once.
std::vector<Counter> counters_of(const LimitRules& rules, const LimitSubjects& subjects) {
  std::vector<Counter> counters;
  for (const LimitSubject& subject : subjects) add_counters(rules, subject, counters);
  if (subjects.size() > 1) {
    std::sort(counters.begin(), counters.end());
    counters.erase(std::unique(counters.begin(), counters.end()), counters.end());
  }
  return counters;
}

std::uint64_t amount_of(const std::map<std::string, std::uint64_t>& held, const std::string& tres) {
  const auto at = held.find(tres);
  return at == held.end() ? 0 : at->second;
}

// --- words

// One of a limit's reasons: by the kind of resource.
struct Words {
  const char* cpu;
  const char* mem;
  const char* node;
  const char* gres;
  const char* license;
  const char* billing;
};

const char* word_of(const Words& words, const std::string& tres) {
  if (tres == "cpu") return words.cpu;
  if (tres == "mem") return words.mem;
  if (tres == "node") return words.node;
  if (tres == "billing") return words.billing;
  return tres.starts_with("license/") ? words.license : words.gres;
}

constexpr Words assoc_grp = {"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit",
                             "AssocGrpGRES",     "AssocGrpLicense",  "AssocGrpBilling"};
constexpr Words assoc_job = {"AssocMaxCpuPerJobLimit",  "AssocMaxMemPerJob",
                             "AssocMaxNodePerJobLimit", "AssocMaxGRESPerJob",
                             "AssocMaxLicensePerJob",   "AssocMaxBillingPerJob"};
constexpr Words assoc_node = {"AssocMaxCpuPerNode",      "AssocMaxMemPerNode",
                              "AssocMaxNodePerJobLimit", "AssocMaxGRESPerNode",
                              "AssocMaxLicensePerJob",   "AssocMaxBillingPerNode"};
constexpr Words qos_grp = {"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit",
                           "QOSGrpGRES",     "QOSGrpLicense",  "QOSGrpBilling"};
constexpr Words qos_job = {"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob",  "QOSMaxNodePerJobLimit",
                           "QOSMaxGRESPerJob",     "QOSMaxLicensePerJob", "QOSMaxBillingPerJob"};
constexpr Words qos_node = {"QOSMaxCpuPerNode",  "QOSMaxMemoryPerNode", "QOSMaxNodePerJobLimit",
                            "QOSMaxGRESPerNode", "QOSMaxLicensePerJob", "QOSMaxBillingPerNode"};
constexpr Words qos_user = {"QOSMaxCpuPerUserLimit",  "QOSMaxMemoryPerUser",
                            "QOSMaxNodePerUserLimit", "QOSMaxGRESPerUser",
                            "QOSMaxLicensePerUser",   "QOSMaxBillingPerUser"};
constexpr Words qos_account = {"MaxCpuPerAccount",  "MaxMemoryPerAccount",  "MaxNodePerAccount",
                               "MaxGRESPerAccount", "MaxLicensePerAccount", "MaxBillingPerAccount"};
constexpr Words qos_least = {"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinGRES",
                             "QOSMinLicense",         "QOSMinBilling"};

// --- THE table. A row is one limit, on the side of the QOS and on that of the association, whose
// value counts where the QOS says nothing.

enum class Level { group, user, account, job, node, least };

// A member that either side may lack.
template <class T>
struct Source {
  const T& (*of)(const Qos&);              // null: no QOS has it
  const T& (*of_row)(const Association&);  // null: no association has it
};

template <auto Member>
const auto& common_qos(const Qos& qos) {
  return qos.limits.*Member;
}
template <auto Member>
const auto& common_row(const Association& row) {
  return row.limits.*Member;
}
template <auto Member>
const auto& own_qos(const Qos& qos) {
  return qos.*Member;
}
template <auto Member>
const auto& own_row(const Association& row) {
  return row.*Member;
}

struct TresRow {
  const char* name;
  Level level;
  Source<TresCounts> source;
  const Words* qos_words;
  const Words* row_words;
};
constexpr TresRow tres_rows[] = {
    {"MaxTRES",
     Level::job,
     {common_qos<&Limits::max_tres_per_job>, common_row<&Limits::max_tres_per_job>},
     &qos_job,
     &assoc_job},
    {"MaxTRESPerNode",
     Level::node,
     {common_qos<&Limits::max_tres_per_node>, common_row<&Limits::max_tres_per_node>},
     &qos_node,
     &assoc_node},
    {"MinTRES", Level::least, {own_qos<&Qos::min_tres_per_job>, nullptr}, &qos_least, nullptr},
    {"GrpTRES",
     Level::group,
     {common_qos<&Limits::grp_tres>, common_row<&Limits::grp_tres>},
     &qos_grp,
     &assoc_grp},
    {"MaxTRESPU", Level::user, {own_qos<&Qos::max_tres_per_user>, nullptr}, &qos_user, nullptr},
    {"MaxTRESPA",
     Level::account,
     {own_qos<&Qos::max_tres_per_account>, nullptr},
     &qos_account,
     nullptr},
};

using Number = std::optional<std::uint32_t>;
struct CountRow {
  const char* name;
  Level level;
  Source<Number> source;
  const char* qos_word;
  const char* row_word;
};
// Jobs that run.
constexpr CountRow job_rows[] = {
    {"GrpJobs",
     Level::group,
     {common_qos<&Limits::grp_jobs>, common_row<&Limits::grp_jobs>},
     "QOSGrpJobsLimit",
     "AssocGrpJobsLimit"},
    {"MaxJobs",
     Level::user,
     {own_qos<&Qos::max_jobs_per_user>, own_row<&Association::max_jobs>},
     "QOSMaxJobsPerUserLimit",
     "AssocMaxJobsLimit"},
    {"MaxJobsPA",
     Level::account,
     {own_qos<&Qos::max_jobs_per_account>, nullptr},
     "MaxJobsPerAccount",
     nullptr},
};
// Tasks that run or wait.
constexpr CountRow submit_rows[] = {
    {"GrpSubmit",
     Level::group,
     {common_qos<&Limits::grp_submit_jobs>, common_row<&Limits::grp_submit_jobs>},
     "QOSGrpSubmitJobsLimit",
     "AssocGrpSubmitJobsLimit"},
    {"MaxSubmit",
     Level::user,
     {own_qos<&Qos::max_submit_jobs_per_user>, own_row<&Association::max_submit_jobs>},
     "QOSMaxSubmitJobPerUserLimit",
     "AssocMaxSubmitJobLimit"},
    {"MaxSubmitPA",
     Level::account,
     {own_qos<&Qos::max_submit_jobs_per_account>, nullptr},
     "MaxSubmitJobsPerAccount",
     nullptr},
};
constexpr CountRow wall_row = {
    "MaxWall",
    Level::job,
    {common_qos<&Limits::max_wall_min>, common_row<&Limits::max_wall_min>},
    "QOSMaxWallDurationPerJobLimit",
    "AssocMaxWallDurationPerJobLimit"};

// --- one question

struct Question {
  const LimitRules& rules;
  const LimitLedger& held;
  std::vector<const Qos*> qos;  // in the order in which they count
  const Chain& chain;
};

Question ask(const LimitRules& rules, const LimitLedger& held, const LimitSubject& subject) {
  Question question{rules, held, {}, chain_of(rules, subject.association)};
  const AccountBook& book = rules.accounts.book();
  const Qos* own = qos_row(book, subject.qos);
  const Qos* of_partition = qos_row(book, subject.partition_qos);
  const bool own_first = own && std::find(own->flags.begin(), own->flags.end(),
                                          QosFlag::OverPartQOS) != own->flags.end();
  for (const Qos* qos : {own_first ? own : of_partition, own_first ? of_partition : own})
    if (qos && (question.qos.empty() || question.qos.front() != qos)) question.qos.push_back(qos);
  return question;
}

// Where a limit is set: one of the two.
struct Setter {
  const Qos* qos = nullptr;
  const Association* row = nullptr;
};

// Whose amounts are held against it. Of what is counted for one user the user's own row counts,
// wherever the limit is set.
const Association& counted_row(const Question& question, const Setter& set, Level level) {
  return level == Level::group ? *set.row : *question.chain.front();
}

Counter counter_of(const Question& question, const Setter& set, Level level) {
  if (set.row) return {Counter::Kind::association, counted_row(question, set, level).id.value, {}};
  const Association* own = question.chain.empty() ? nullptr : question.chain.front();
  if (level == Level::user && own) return {Counter::Kind::qos_user, set.qos->id.value, own->user};
  if (level == Level::account && own)
    return {Counter::Kind::qos_account, set.qos->id.value, own->account};
  return {Counter::Kind::qos, set.qos->id.value, {}};
}

bool is_shared(Level level) {
  return level == Level::group || level == Level::user || level == Level::account;
}

bool names(const std::vector<std::string>& said, const std::string& tres) {
  return std::find(said.begin(), said.end(), tres) != said.end();
}

// visit(setter, limit) of each limit of the row that holds, until it returns false. A TRES that was
// said is no longer looked for on the levels behind; but a group's holds at each.
template <class Visit>
void for_each_limit(const Question& question, const TresRow& row, Visit&& visit) {
  std::vector<std::string> said;
  for (const Qos* qos : question.qos)
    for (const TresCount& limit : row.source.of(*qos)) {
      if (names(said, limit.tres)) continue;
      said.push_back(limit.tres);
      if (!visit(Setter{.qos = qos}, limit)) return;
    }
  if (!row.source.of_row) return;
  const std::vector<std::string> said_by_qos = said;
  for (const Association* at : question.chain)
    for (const TresCount& limit : row.source.of_row(*at)) {
      if (names(row.level == Level::group ? said_by_qos : said, limit.tres)) continue;
      said.push_back(limit.tres);
      if (!visit(Setter{.row = at}, limit)) return;
    }
}

template <class Visit>
void for_each_limit(const Question& question, const CountRow& row, Visit&& visit) {
  for (const Qos* qos : question.qos)
    if (const Number& max = row.source.of(*qos)) {
      visit(Setter{.qos = qos}, *max);
      return;
    }
  if (!row.source.of_row) return;
  for (const Association* at : question.chain)
    if (const Number& max = row.source.of_row(*at)) {
      if (!visit(Setter{.row = at}, *max) || row.level != Level::group) return;
    }
}

// --- its words

std::string name_of(const Association& row) {
  return row.user.empty() ? fmt::format("account {}", row.account)
                          : fmt::format("user {} in account {}", row.user, row.account);
}

std::string name_of(const Question& question, const Setter& set, Level level) {
  if (set.row) return name_of(counted_row(question, set, level));
  const std::string name = "QOS " + set.qos->name;
  const Association* own = question.chain.empty() ? nullptr : question.chain.front();
  if (level == Level::user && own) return fmt::format("user {} in {}", own->user, name);
  if (level == Level::account && own) return fmt::format("account {} in {}", own->account, name);
  return name;
}

Reason reason_of(const Setter& set) { return set.qos ? Reason::QosLimit : Reason::AssocLimit; }

std::string sentence(const char* limit, const std::string& what, const std::string& place,
                     std::uint64_t max, std::uint64_t used, std::uint64_t asked) {
  return fmt::format("{}{} of {} is {}: {} in use, {} more asked", limit,
                     what.empty() ? "" : fmt::format(" {}", what), place, max, used, asked);
}

// "; held by ann 4, bob 2 and 3 others".
std::string held_by(const Question& question, const Setter& set, Level level,
                    const std::string& tres) {
  constexpr std::size_t named_max = 3;
  if (level != Level::group) return {};
  const auto holders =
      question.held.holders(question.rules, counter_of(question, set, level), tres);
  std::string text;
  for (std::size_t i = 0; i < std::min(holders.size(), named_max); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "; held by " : ", ", holders[i].tres, holders[i].count);
  if (holders.size() > named_max) text += fmt::format(" and {} others", holders.size() - named_max);
  return text;
}

std::optional<LimitHit> check_amount(const Question& question, const TresRow& row,
                                     const Setter& set, const TresCount& limit,
                                     const JobAmounts& job, std::uint64_t copies) {
  const bool shared = is_shared(row.level);
  const std::uint64_t each =
      count_of(row.level == Level::node ? job.on_one_node : job.total, limit.tres);
  const std::uint64_t asked = shared ? each * copies : each;
  const std::uint64_t used =
      shared ? amount_of(question.held.of(counter_of(question, set, row.level)).tres, limit.tres)
             : 0;
  const bool is_kept = row.level == Level::least
                           ? asked >= limit.count
                           // What asks for nothing of it exceeds nothing.
                           : asked == 0 || used + asked <= limit.count;
  if (is_kept) return std::nullopt;
  const std::string place = name_of(question, set, row.level);
  const auto hit = [&](std::string detail) {
    return LimitHit{.reason = reason_of(set),
                    .word = word_of(set.qos ? *row.qos_words : *row.row_words, limit.tres),
                    .detail = std::move(detail),
                    .owner = place,
                    .used = used,
                    .asked = asked,
                    .allowed = limit.count};
  };
  if (row.level == Level::least)
    return hit(fmt::format("{} {} of {} is {}: the job has {}", row.name, limit.tres, place,
                           limit.count, asked));
  if (shared)
    return hit(sentence(row.name, limit.tres, place, limit.count, used, asked) +
               held_by(question, set, row.level, limit.tres));
  return hit(fmt::format("{} {} of {} is {}: the job asks for {}", row.name, limit.tres, place,
                         limit.count, asked));
}

std::optional<LimitHit> check_tres(const Question& question, const TresRow& row,
                                   const JobAmounts& job, std::uint64_t copies) {
  std::optional<LimitHit> hit;
  for_each_limit(question, row, [&](const Setter& set, const TresCount& limit) {
    hit = check_amount(question, row, set, limit, job, copies);
    return !hit;
  });
  return hit;
}

std::optional<LimitHit> check_count(const Question& question, const CountRow& row,
                                    std::uint64_t copies) {
  std::optional<LimitHit> hit;
  for_each_limit(question, row, [&](const Setter& set, std::uint32_t max) {
    const std::uint64_t used = question.held.of(counter_of(question, set, row.level)).jobs;
    const std::string owner = name_of(question, set, row.level);
    if (used + copies > max)
      hit = LimitHit{.reason = reason_of(set),
                     .word = set.qos ? row.qos_word : row.row_word,
                     .detail = sentence(row.name, "", owner, max, used, copies) +
                               held_by(question, set, row.level, ""),
                     .owner = owner,
                     .used = used,
                     .asked = copies,
                     .allowed = max};
    return !hit;
  });
  return hit;
}

// An endless one is longer than any.
bool is_longer(const std::optional<TimeLimit>& limit, std::uint32_t max_min) {
  const std::optional<Duration> length = length_of(limit);
  return !length || *length > std::chrono::minutes{max_min};
}

std::optional<LimitHit> check_wall(const Question& question, const JobAmounts& job) {
  std::optional<LimitHit> hit;
  for_each_limit(question, wall_row, [&](const Setter& set, std::uint32_t max) {
    const bool is_endless = !length_of(job.time_limit);
    const std::string owner = set.row ? name_of(*set.row) : "QOS " + set.qos->name;
    if (is_longer(job.time_limit, max))
      hit = LimitHit{
          .reason = reason_of(set),
          .word = set.qos ? wall_row.qos_word : wall_row.row_word,
          .detail = fmt::format(
              "MaxWall of {} is {} min: the job's time limit is {}", owner, max,
              is_endless ? "UNLIMITED" : fmt::format("{} min", job.time_limit->minutes)),
          .owner = owner,
          .used = 0,
          .asked = is_endless ? 0 : job.time_limit->minutes,
          .allowed = max};
    return !hit;
  });
  return hit;
}

}  // namespace

// --- the ledger

void LimitLedger::add(const LimitRules& rules, const LimitSubjects& subjects, std::uint64_t jobs,
                      const TresCounts& tres) {
  for (Counter& counter : counters_of(rules, subjects)) {
    Held& held = held_[std::move(counter)];
    held.jobs += jobs;
    for (const TresCount& row : tres) held.tres[row.tres] += row.count;
  }
}

void LimitLedger::remove(const LimitRules& rules, const LimitSubjects& subjects, std::uint64_t jobs,
                         const TresCounts& tres) {
  for (const Counter& counter : counters_of(rules, subjects)) {
    const auto at = held_.find(counter);
    ASSERT(at != held_.end() && at->second.jobs >= jobs);
    at->second.jobs -= jobs;
    for (const TresCount& row : tres) {
      std::uint64_t& count = at->second.tres.at(row.tres);
      ASSERT(count >= row.count);
      count -= row.count;
      if (count == 0) at->second.tres.erase(row.tres);
    }
    if (at->second == Held{}) held_.erase(at);
  }
}

const Held& LimitLedger::of(const Counter& counter) const {
  static const Held nothing;
  const auto at = held_.find(counter);
  return at == held_.end() ? nothing : at->second;
}

std::vector<TresCount> LimitLedger::holders(const LimitRules& rules, const Counter& counter,
                                            const std::string& tres) const {
  const bool is_of_account = counter.kind == Counter::Kind::association;
  std::map<std::string, std::uint64_t> by_user;
  for (const auto& [of, held] : held_) {
    const std::uint64_t amount = tres.empty() ? held.jobs : amount_of(held.tres, tres);
    if (amount == 0) continue;
    if (!is_of_account && of.kind == Counter::Kind::qos_user && of.id == counter.id)
      by_user[of.name] += amount;
    if (!is_of_account || of.kind != Counter::Kind::association) continue;
    const Chain& chain = chain_of(rules, AssociationId{of.id});
    if (chain.empty() || chain.front()->user.empty()) continue;
    if (std::any_of(chain.begin(), chain.end(),
                    [&](const Association* row) { return row->id.value == counter.id; }))
      by_user[chain.front()->user] += amount;
  }
  std::vector<TresCount> holders;
  for (const auto& [user, amount] : by_user) holders.push_back({user, amount});
  std::stable_sort(holders.begin(), holders.end(),
                   [](const TresCount& a, const TresCount& b) { return a.count > b.count; });
  return holders;
}

// --- rules

LimitSubject LimitRules::subject(AssociationId association, QosId qos,
                                 const std::string& partition) const {
  const auto at = partition_qos.find(partition);
  return {association, qos, at == partition_qos.end() ? QosId{} : at->second};
}

LimitRules make_limit_rules(std::shared_ptr<const AccountBook> book, const ClusterConfig& config) {
  LimitRules rules;
  rules.accounts = AccountIndex(std::move(book));
  rules.in_force = config.accounting.limits;
  for (const PartitionConfig& partition : config.partitions)
    if (const Qos* qos = rules.accounts.qos(partition.access.qos))
      rules.partition_qos[partition.name] = qos->id;
  // A removed one has jobs that still run; the book has no cycle.
  for (const auto& [id, row] : rules.accounts.book().associations)
    for (const Association* at = &row; at; at = rules.accounts.parent(*at))
      rules.chains[id].push_back(at);
  return rules;
}

std::optional<LimitHit> check_start(const LimitRules& rules, const LimitLedger& held,
                                    const LimitSubject& subject, const JobAmounts& job,
                                    std::uint64_t copies) {
  if (!rules.in_force) return std::nullopt;
  const Question question = ask(rules, held, subject);
  if (auto hit = check_wall(question, job)) return hit;
  for (const TresRow& row : tres_rows)
    if (auto hit = check_tres(question, row, job, copies)) return hit;
  for (const CountRow& row : job_rows)
    if (auto hit = check_count(question, row, copies)) return hit;
  return std::nullopt;
}

std::optional<LimitHit> check_submit(const LimitRules& rules, const LimitLedger& submitted,
                                     const LimitSubjects& subjects, std::uint64_t tasks) {
  if (!rules.in_force) return std::nullopt;
  for (const LimitSubject& subject : subjects) {
    const Question question = ask(rules, submitted, subject);
    for (const CountRow& row : submit_rows)
      if (auto hit = check_count(question, row, tasks)) return hit;
  }
  return std::nullopt;
}

// --- allowances

namespace {
std::uint64_t left_of(std::uint64_t max, std::uint64_t used) { return max > used ? max - used : 0; }
}  // namespace

Allowance::Allowance(const LimitRules& rules, const LimitLedger& held,
                     const LimitSubject& subject) {
  if (!rules.in_force) return;
  const Question question = ask(rules, held, subject);
  for (const TresRow& row : tres_rows)
    for_each_limit(question, row, [&](const Setter& set, const TresCount& limit) {
      if (row.level == Level::job) most_of_job_.push_back(limit);
      else if (row.level == Level::node) most_of_node_.push_back(limit);
      else if (row.level == Level::least) least_of_job_.push_back(limit);
      else
        shared_left_.push_back(
            {limit.tres,
             left_of(limit.count,
                     amount_of(held.of(counter_of(question, set, row.level)).tres, limit.tres))});
      return true;
    });
  for (const CountRow& row : job_rows)
    for_each_limit(question, row, [&](const Setter& set, std::uint32_t max) {
      const std::uint64_t left = left_of(max, held.of(counter_of(question, set, row.level)).jobs);
      jobs_left_ = std::min(jobs_left_.value_or(left), left);
      return true;
    });
  for_each_limit(question, wall_row, [&](const Setter&, std::uint32_t max) {
    wall_min_ = max;
    return false;
  });
}

std::uint64_t Allowance::room_for(const JobAmounts& job, std::uint64_t copies_max) const {
  if (wall_min_ && is_longer(job.time_limit, *wall_min_)) return 0;
  for (const TresCount& most : most_of_job_)
    if (count_of(job.total, most.tres) > most.count) return 0;
  for (const TresCount& most : most_of_node_)
    if (count_of(job.on_one_node, most.tres) > most.count) return 0;
  for (const TresCount& least : least_of_job_)
    if (count_of(job.total, least.tres) < least.count) return 0;
  std::uint64_t copies = std::min(copies_max, jobs_left_.value_or(copies_max));
  for (const TresCount& left : shared_left_)
    if (const std::uint64_t each = count_of(job.total, left.tres))
      copies = std::min(copies, left.count / each);
  return copies;
}

}  // namespace sluice
