// limits_test.cpp: the table of limits: words, numbers, which level counts; and that no start goes
// over one, by an account of what runs that knows nothing of the ledger.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "daemon/core/limits.h"

using namespace sluice;

namespace {

// root > a > b; users u (in b) and v (in a); QOS normal and other.
AccountBook example_book() {
  AccountBook book = first_book();
  std::uint32_t id = 10;
  const auto add = [&](const char* account, const char* parent, const char* user) {
    Association row;
    row.id = AssociationId{id++};
    row.account = account;
    row.parent = parent;
    row.user = user;
    book.associations[row.id] = row;
  };
  for (const char* name : {"a", "b"}) book.accounts[name] = {name, "", "", {}, false};
  for (const char* name : {"u", "v"}) book.users[name] = {name, "a", "", AdminLevel::None, false};
  add("a", "root", "");
  add("b", "a", "");
  add("b", "", "u");
  add("a", "", "v");
  Qos other;
  other.id = QosId{2};
  other.name = "other";
  book.qos[other.id] = other;
  return book;
}

constexpr AssociationId account_a{10}, account_b{11}, user_u{12}, user_v{13};
constexpr QosId normal{1}, other{2};

LimitRules rules_of(const AccountBook& book) {
  ClusterConfig config;
  config.accounting.limits = true;
  PartitionConfig partition{.name = "p"};
  partition.access.qos = "other";
  config.partitions.push_back(partition);
  return make_limit_rules(std::make_shared<const AccountBook>(book), config);
}

JobAmounts job_of(std::uint32_t cpus, const std::string& type = "") {
  NodeShare share;
  share.node = "n1";
  share.cpus = cpus;
  share.mem_mb = 100;
  if (!type.empty()) share.gres = {{"gpu", type, 1}};
  return amounts_of({share}, {}, TimeLimit{false, 60});
}

std::string word(const std::optional<LimitHit>& hit) { return hit ? hit->word : "none"; }

}  // namespace

TEST_CASE("a group limit of an account holds for all below it together", "[limits]") {
  AccountBook book = example_book();
  book.associations[account_a].limits.grp_tres = {{"cpu", 4}};
  const LimitRules rules = rules_of(book);
  LimitLedger held;
  held.add(rules, {{user_u, normal, {}}}, 1, job_of(3).total);
  REQUIRE(word(check_start(rules, held, {user_v, normal, {}}, job_of(1))) == "none");
  const auto hit = check_start(rules, held, {user_v, normal, {}}, job_of(2));
  REQUIRE(word(hit) == "AssocGrpCpuLimit");
  REQUIRE(hit->reason == Reason::AssocLimit);
  REQUIRE(hit->detail == "GrpTRES cpu of account a is 4: 3 in use, 2 more asked; held by u 3");
  held.remove(rules, {{user_u, normal, {}}}, 1, job_of(3).total);
  REQUIRE(held == LimitLedger{});
}

TEST_CASE("a limit on a type of gpu holds for a job that named no type", "[limits]") {
  AccountBook book = example_book();
  book.associations[user_u].limits.grp_tres = {{"gres/gpu:a100", 1}};
  const LimitRules rules = rules_of(book);
  LimitLedger held;
  held.add(rules, {{user_u, normal, {}}}, 1, job_of(1, "a100").total);
  // What a start takes is told by the nodes' own types.
  REQUIRE(word(check_start(rules, held, {user_u, normal, {}}, job_of(1, "a100"))) ==
          "AssocGrpGRES");
  REQUIRE(word(check_start(rules, held, {user_u, normal, {}}, job_of(1, "t4"))) == "none");
}

TEST_CASE("MaxJobs is of each user, wherever it is set; the nearest counts", "[limits]") {
  AccountBook book = example_book();
  book.associations[AssociationId{1}].max_jobs = 1;
  LimitRules rules = rules_of(book);
  LimitLedger held;
  held.add(rules, {{user_u, normal, {}}}, 1, {});
  REQUIRE(word(check_start(rules, held, {user_u, normal, {}}, job_of(1))) == "AssocMaxJobsLimit");
  REQUIRE(word(check_start(rules, held, {user_v, normal, {}}, job_of(1))) == "none");
  book.associations[user_u].max_jobs = 2;
  rules = rules_of(book);
  REQUIRE(word(check_start(rules, held, {user_u, normal, {}}, job_of(1))) == "none");
}

TEST_CASE("what a QOS says of a limit, the associations no longer do", "[limits]") {
  AccountBook book = example_book();
  book.associations[user_u].limits.max_wall_min = 10;
  book.qos[normal].limits.max_wall_min = 90;
  const LimitRules rules = rules_of(book);
  REQUIRE(word(check_start(rules, {}, {user_u, normal, {}}, job_of(1))) == "none");
  REQUIRE(word(check_start(rules, {}, {user_u, other, {}}, job_of(1))) ==
          "AssocMaxWallDurationPerJobLimit");
}

TEST_CASE("the partition's QOS goes before the job's, unless that says OverPartQOS", "[limits]") {
  AccountBook book = example_book();
  book.qos[normal].max_jobs_per_user = 5;
  book.qos[other].max_jobs_per_user = 0;
  LimitRules rules = rules_of(book);
  const LimitSubject subject = rules.subject(user_u, normal, "p");
  REQUIRE(subject.partition_qos == other);
  REQUIRE(word(check_start(rules, {}, subject, job_of(1))) == "QOSMaxJobsPerUserLimit");
  REQUIRE(word(check_start(rules, {}, rules.subject(user_u, normal, "q"), job_of(1))) == "none");
  book.qos[normal].flags = {QosFlag::OverPartQOS};
  rules = rules_of(book);
  REQUIRE(word(check_start(rules, {}, subject, job_of(1))) == "none");
}

TEST_CASE("limits of a QOS have Slurm's words", "[limits]") {
  struct Row {
    void (*set)(Qos&);
    const char* word;
  };
  const Row rows[] = {
      {[](Qos& q) {
         q.limits.grp_tres = {{"cpu", 1}};
       },
       "QOSGrpCpuLimit"},
      {[](Qos& q) {
         q.limits.grp_tres = {{"node", 0}};
       },
       "QOSGrpNodeLimit"},
      {[](Qos& q) { q.limits.grp_jobs = 0; }, "QOSGrpJobsLimit"},
      {[](Qos& q) {
         q.limits.max_tres_per_job = {{"cpu", 1}};
       },
       "QOSMaxCpuPerJobLimit"},
      {[](Qos& q) {
         q.limits.max_tres_per_node = {{"cpu", 1}};
       },
       "QOSMaxCpuPerNode"},
      {[](Qos& q) { q.limits.max_wall_min = 1; }, "QOSMaxWallDurationPerJobLimit"},
      {[](Qos& q) {
         q.max_tres_per_user = {{"cpu", 1}};
       },
       "QOSMaxCpuPerUserLimit"},
      {[](Qos& q) {
         q.max_tres_per_account = {{"cpu", 1}};
       },
       "MaxCpuPerAccount"},
      {[](Qos& q) {
         q.min_tres_per_job = {{"cpu", 8}};
       },
       "QOSMinCpuNotSatisfied"},
      {[](Qos& q) { q.max_jobs_per_account = 0; }, "MaxJobsPerAccount"},
  };
  for (const Row& row : rows) {
    AccountBook book = example_book();
    row.set(book.qos[normal]);
    const auto hit = check_start(rules_of(book), {}, {user_u, normal, {}}, job_of(2));
    REQUIRE(word(hit) == row.word);
    REQUIRE(hit->reason == Reason::QosLimit);
  }
}

TEST_CASE("submits are counted apart from starts", "[limits]") {
  AccountBook book = example_book();
  book.associations[account_b].limits.grp_submit_jobs = 3;
  book.qos[other].max_submit_jobs_per_user = 1;
  const LimitRules rules = rules_of(book);
  LimitLedger submitted;
  submitted.add(rules, {{user_u, normal, {}}}, 2, {});
  REQUIRE(word(check_submit(rules, submitted, {{user_u, normal, {}}}, 1)) == "none");
  REQUIRE(word(check_submit(rules, submitted, {{user_u, normal, {}}}, 2)) ==
          "AssocGrpSubmitJobsLimit");
  REQUIRE(word(check_submit(rules, submitted, {{user_v, other, {}}}, 2)) ==
          "QOSMaxSubmitJobPerUserLimit");
}

namespace {

struct Run {
  LimitSubject subject;
  JobAmounts job;
};

std::uint64_t amount(const JobAmounts& job, const std::string& tres) {
  for (const TresCount& row : job.total)
    if (row.tres == tres) return row.count;
  return 0;
}

// Of the runs that count, by a walk over all of them.
template <class Counts>
std::uint64_t sum(const std::vector<Run>& runs, const std::string& tres, Counts counts) {
  std::uint64_t total = 0;
  for (const Run& run : runs)
    if (counts(run)) total += amount(run.job, tres);
  return total;
}

// Who just started is within every limit that counts for it.
void check_last(const LimitRules& rules, const std::vector<Run>& runs) {
  const Run& last = runs.back();
  const Qos& qos = rules.accounts.book().qos.at(last.subject.qos);
  for (const Association* row : rules.chains.at(last.subject.association)) {
    const auto is_below = [&](const Run& run) {
      for (const Association* at : rules.chains.at(run.subject.association))
        if (at == row) return true;
      return false;
    };
    for (const TresCount& limit : row->limits.grp_tres) {
      const bool qos_says_it = limit.tres == "cpu" && !qos.limits.grp_tres.empty();
      if (!qos_says_it && amount(last.job, limit.tres) > 0)
        REQUIRE(sum(runs, limit.tres, is_below) <= limit.count);
    }
    const auto jobs = std::count_if(runs.begin(), runs.end(), is_below);
    if (row->limits.grp_jobs) REQUIRE(jobs <= std::int64_t{*row->limits.grp_jobs});
  }
  const auto in_qos = [&](const Run& run) { return run.subject.qos == last.subject.qos; };
  for (const TresCount& limit : qos.limits.grp_tres)
    REQUIRE(sum(runs, limit.tres, in_qos) <= limit.count);
  for (const TresCount& limit : qos.max_tres_per_user)
    REQUIRE(sum(runs, limit.tres, [&](const Run& run) {
              return in_qos(run) && run.subject.association == last.subject.association;
            }) <= limit.count);
}

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t roll(std::uint32_t sides) { return static_cast<std::uint32_t>(random_() % sides); }

 private:
  std::mt19937 random_;
};

AccountBook random_book(Dice& dice) {
  AccountBook book = example_book();
  for (auto& [id, row] : book.associations) {
    if (dice.roll(3) == 0)
      row.limits.grp_tres = {{"cpu", dice.roll(12)}, {"gres/gpu:a100", dice.roll(3)}};
    if (dice.roll(4) == 0) row.limits.grp_jobs = dice.roll(5);
    if (dice.roll(4) == 0) row.max_jobs = dice.roll(4);
  }
  for (auto& [id, qos] : book.qos) {
    if (dice.roll(4) == 0) qos.limits.grp_tres = {{"cpu", dice.roll(12)}};
    if (dice.roll(4) == 0) qos.max_tres_per_user = {{"cpu", dice.roll(8)}};
  }
  return book;
}

}  // namespace

TEST_CASE("no start goes over a limit, by one even", "[limits]") {
  const std::uint32_t seed = std::random_device{}();
  CAPTURE(seed);
  Dice dice(seed);
  for (int world = 0; world < 300; ++world) {
    const LimitRules rules = rules_of(random_book(dice));
    LimitLedger held;
    std::vector<Run> runs;
    for (int step = 0; step < 100; ++step) {
      if (!runs.empty() && dice.roll(3) == 0) {
        const std::size_t ends = dice.roll(static_cast<std::uint32_t>(runs.size()));
        held.remove(rules, {runs[ends].subject}, 1, runs[ends].job.total);
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(ends));
      }
      const LimitSubject subject{
          dice.roll(2) ? user_u : user_v, dice.roll(2) ? normal : other, {}};
      const JobAmounts job = job_of(1 + dice.roll(5), dice.roll(2) ? "a100" : "");
      const std::uint64_t room = Allowance(rules, held, subject).room_for(job, 9);
      for (std::uint64_t copies = 1; copies <= 9; ++copies)
        REQUIRE((copies <= room) == !check_start(rules, held, subject, job, copies));
      if (room == 0) continue;
      held.add(rules, {subject}, 1, job.total);
      runs.push_back({subject, job});
      check_last(rules, runs);
    }
  }
}
