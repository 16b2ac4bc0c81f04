// priority_listing_test.cpp: the lines of sprio, sshare and sdiag, against those of Slurm 22.05.
#include <catch2/catch.hpp>
#include <limits>

#include "cli/listing/priority_columns.h"
#include "cli/listing/share_columns.h"
#include "cli/listing/statistics_text.h"

using namespace sluice;

namespace {

const ListingContext& plain_context() {
  static ListingContext context;
  return context;
}

PriorityWeights weights_of_site() {
  return {.age = 100,
          .association = 0,
          .fair_share = 1000,
          .job_size = 100,
          .partition = 1000,
          .qos = 1000,
          .tres = {}};
}

JobPriority example() {
  JobPriority job;
  job.id = JobId{335};
  job.user = "stest";
  job.partition = "debug";
  job.priority = 1389;
  job.fair_share = 1.0 / 3;
  job.job_size = 0.5625;
  job.partition_factor = 1;
  return job;
}

std::string sprio(const PriorityFormat& format, std::string letters = "", bool weighs = false) {
  const PriorityWeights weights = weights_of_site();
  const JobPriority job = example();
  const auto layout = parse_letters(priority_columns(),
                                    letters.empty() ? priority_letters(format, weights) : letters);
  REQUIRE(layout.unknown.empty());
  std::string out;
  append_heading(layout, out);
  append_line(layout, {weighs ? nullptr : &job, &weights}, plain_context(), out);
  return out;
}

std::vector<ShareRow> tree() {
  std::vector<ShareRow> rows(4);
  rows[0] = {.id = AssociationId{1},
             .account = "root",
             .usage_s = 320,
             .norm_usage = 1,
             .effective_usage = 1,
             .tres_run_s = {}};
  rows[1] = {.id = AssociationId{2},
             .depth = 1,
             .account = "root",
             .user = "root",
             .shares = 1,
             .norm_shares = 0.5,
             .level = std::numeric_limits<double>::infinity(),
             .factor = 1};
  rows[2] = {.id = AssociationId{3},
             .depth = 1,
             .account = "acct1",
             .shares = 1,
             .norm_shares = 0.5,
             .usage_s = 320,
             .norm_usage = 1,
             .effective_usage = 1,
             .level = 0.5};
  rows[3] = {.id = AssociationId{4},
             .depth = 2,
             .account = "acct1",
             .user = "stest",
             .shares = 1,
             .norm_shares = 0.5,
             .usage_s = 320.9,
             .norm_usage = 1,
             .effective_usage = 1,
             .level = 0.5,
             .factor = 1.0 / 3,
             .grp_tres_mins = {{"cpu", 5}},
             .tres_run_s = {{"cpu", 120}}};
  return rows;
}

std::string sshare(const char* format, const ShareStyle& style = {}) {
  const auto cells = parse_share_format(format);
  REQUIRE(cells);
  std::string out;
  append_share_heading(*cells, style, out);
  for (const ShareRow& row : tree()) append_share_line(*cells, style, row, plain_context(), out);
  return out;
}

constexpr const char* short_format =
    "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare";

}  // namespace

TEST_CASE("sprio's lines are Slurm's", "[listing]") {
  REQUIRE(sprio({}) ==
          "          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  "
          "PARTITION        QOS\n"
          "            335 debug           1389          0          0        333         56       "
          "1000          0\n");
  REQUIRE(
      sprio({.is_long = true}) ==
      "          JOBID PARTITION     USER   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE  "
      "  JOBSIZE  PARTITION        QOS        NICE                 TRES\n"
      "            335 debug        stest       1389          0          0          0        333  "
      "       56       1000          0           0                     \n");
  REQUIRE(sprio({}, "", true) ==
          "          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  "
          "PARTITION        QOS\n"
          "        Weights                               1        100       1000        100       "
          "1000       1000\n");
  REQUIRE(sprio({.is_normalised = true}) ==
          "          JOBID PARTITION PRIORITY   AGE        FAIRSHARE  JOBSIZE    PARTITION  QOS    "
          "   \n"
          "            335 debug     0.00000032 0.0000000  0.3333333  0.5625000  1.0000000  "
          "0.0000000 \n");
  REQUIRE(sprio({}, "%i %Y %A %F %J %P %Q %N %u %r") ==
          "JOBID PRIORITY AGE FAIRSHARE JOBSIZE PARTITION QOS NICE USER PARTITION\n"
          "335 1389 0 333 56 1000 0 0 stest debug\n");
  for (const char letter : std::string("CeknoswZz"))
    REQUIRE(parse_letters(priority_columns(), std::string("%") + letter).unknown.size() == 1);
}

TEST_CASE("sprio shows what resources add, and sorts by any column", "[listing]") {
  PriorityWeights weights = weights_of_site();
  weights.tres = {{"cpu", 1000}, {"gres/gpu", 50}, {"mem", 10}};
  JobPriority job = example();
  job.tres = {{"cpu", 0.125}, {"gres/gpu", 1}, {"mem", 0}};
  std::string out;
  append_line(parse_letters(priority_columns(), "%T %t"), {&job, &weights}, plain_context(), out);
  REQUIRE(out == "cpu=125,gres/gpu=50 cpu=0.12,gres/gpu=1.00\n");
  REQUIRE(priority_letters({.names_user = true}, {}) == "%.15i %9r %.8u %.10Y %.10S");

  std::vector<JobPriority> jobs(3, example());
  jobs[0].priority = 5;
  jobs[1].priority = 9;
  jobs[2].priority = 9;
  jobs[2].id = JobId{1};
  REQUIRE(sort_priorities("-Y,i", jobs));
  REQUIRE(jobs[0].id == JobId{1});
  REQUIRE(jobs[2].priority == 5);
  REQUIRE(sort_priorities("Z", jobs).error().detail == "Z");
}

TEST_CASE("sshare's lines are Slurm's", "[listing]") {
  REQUIRE(sshare(short_format) ==
          "Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  "
          "FairShare \n"
          "-------------------- ---------- ---------- ----------- ----------- ------------- "
          "---------- \n"
          "root                                          0.000000         320      1.000000        "
          "    \n"
          " root                      root          1    0.500000           0      0.000000   "
          "1.000000 \n"
          " acct1                                   1    0.500000         320      1.000000        "
          "    \n"
          "  acct1                   stest          1    0.500000         320      1.000000   "
          "0.333333 \n");
  REQUIRE(sshare(short_format, {.parsable = true}) ==
          "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
          "root|||0.000000|320|1.000000|\n"
          " root|root|1|0.500000|0|0.000000|1.000000\n"
          " acct1||1|0.500000|320|1.000000|\n"
          "  acct1|stest|1|0.500000|320|1.000000|0.333333\n");
  REQUIRE(sshare("user,level,grptresm%8,tresrun%12", {.parsable = true, .closes_line = true}) ==
          "User|LevelFS|GrpTRESMins|TRESRunMins|\n"
          "|||cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0|\n"
          "root|inf||cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0|\n"
          "|0.500000||cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0|\n"
          "stest|0.500000|cpu=5|cpu=2,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0|\n");
  REQUIRE(parse_share_format("Account,shoe").error().detail == "shoe");
  REQUIRE(parse_share_format("Account%x").error().detail == "Account%x");
}

TEST_CASE("sdiag has the lines that monitoring reads, the strict passes first", "[listing]") {
  StatisticsReply reply;
  reply.as_of = wall_from_us(1'800'000'600'000'000);
  reply.since = wall_from_us(1'800'000'000'000'000);
  reply.submitted = 7;
  reply.started = 6;
  reply.connections = 3;
  reply.orders_unanswered = 2;
  reply.backfilled = 9;
  reply.backfilled_since_reset = 4;
  reply.quick = {.count = 20, .last_us = 5, .max_us = 9, .total_us = 100, .depth_total = 40};
  reply.full = {.count = 4, .last_us = 70, .max_us = 90, .total_us = 200, .depth_total = 40};
  reply.requests = {{"ping", 2}, {"query_jobs", 5}};
  const std::string text = statistics_text(reply, {});
  for (const char* line :
       {"\nServer thread count:  3\n", "\nAgent queue size:     2\n", "\nDBD Agent queue size: 0\n",
        "\nJobs submitted: 7\n", "\nJobs started:   6\n", "\tCycles per minute: 2\n",
        "\tDepth Mean: 10\n", "\tTotal backfilled jobs (since last slurm start): 9\n",
        "\tTotal backfilled jobs (since last stats cycle start): 4\n",
        "\tTotal backfilled heterogeneous job components: 0\n"}) {
    INFO(line);
    REQUIRE(text.find(line) != std::string::npos);
  }
  REQUIRE(text.find("\tLast cycle:   5\n") < text.find("\tLast cycle: 70\n"));
  REQUIRE(text.find("\tMean cycle:   5\n") < text.find("\tMean cycle: 50\n"));
  REQUIRE(text.find("query_jobs") < text.find("ping"));
  const std::string by_message = statistics_text(reply, {.by_message = true});
  REQUIRE(by_message.find("query_jobs") > by_message.find("ping"));
}
