// priority_config_test.cpp: the keys of priority and billing in slurm.conf.
#include <catch2/catch.hpp>

#include "common/options/config_file.h"
#include "common/options/priority_values.h"

using namespace sluice;

namespace {

ClusterConfig parsed(const std::string& text) {
  const Result<ConfigFile> file = parse_config(text, {"/conf/slurm.conf", ConfigOwner::sluice});
  if (!file) FAIL(file.error().detail);
  return file->config;
}

std::string refusal(const std::string& text) {
  const Result<ConfigFile> file = parse_config(text, {"/conf/slurm.conf", ConfigOwner::sluice});
  if (file) FAIL("was accepted");
  REQUIRE(file.error().code == ErrorCode::config_invalid);
  return file.error().detail;
}

}  // namespace

TEST_CASE("without a word of it priorities are the order of submits", "[config]") {
  const PriorityConfig priority = parsed("ClusterName=c\n").priority;
  REQUIRE_FALSE(priority.multifactor);
  REQUIRE(priority.half_life_min == 7 * 24 * 60);
  REQUIRE(priority.max_age_min == 7 * 24 * 60);
  REQUIRE(priority.calc_period_min == 5);
}

TEST_CASE("the weights and periods of a site are read", "[config]") {
  const PriorityConfig priority = parsed(
                                      "PriorityType=priority/multifactor\n"
                                      "PriorityWeightAge=1000\nPriorityWeightAssoc=2\n"
                                      "PriorityWeightFairshare=100000\nPriorityWeightJobSize=3\n"
                                      "PriorityWeightPartition=4\nPriorityWeightQOS=5\n"
                                      "PriorityWeightTRES=CPU=1000,Mem=2000,GRES/gpu=3000\n"
                                      "PriorityDecayHalfLife=14-0\nPriorityMaxAge=1-12:30:00\n"
                                      "PriorityCalcPeriod=1\nPriorityFavorSmall=YES\n"
                                      "PriorityUsageResetPeriod=weekly\n"
                                      "PriorityFlags=FAIR_TREE,accrue_always,MAX_TRES\n")
                                      .priority;
  REQUIRE(priority.multifactor);
  REQUIRE(priority.weights ==
          PriorityWeights{.age = 1000,
                          .association = 2,
                          .fair_share = 100000,
                          .job_size = 3,
                          .partition = 4,
                          .qos = 5,
                          .tres = {{"cpu", 1000}, {"gres/gpu", 3000}, {"mem", 2000}}});
  REQUIRE(priority.half_life_min == 14 * 24 * 60);
  REQUIRE(priority.max_age_min == 36 * 60 + 30);
  REQUIRE(priority.calc_period_min == 1);
  REQUIRE(priority.favor_small);
  REQUIRE(priority.usage_reset == UsageReset::WEEKLY);
  REQUIRE(priority.flags == std::vector{PriorityFlag::ACCRUE_ALWAYS, PriorityFlag::MAX_TRES});
}

TEST_CASE("a value that means nothing is refused where it stands", "[config]") {
  REQUIRE(refusal("ClusterName=c\nPriorityType=priority/fifo\n") ==
          "/conf/slurm.conf:2: PriorityType=priority/fifo: expected priority/basic or "
          "priority/multifactor, not "
          "'priority/fifo'");
  const std::pair<const char*, const char*> rows[] = {
      {"PriorityWeightAge=-1", "-1"},
      {"PriorityDecayHalfLife=soon", "expected whole minutes"},
      {"PriorityDecayHalfLife=UNLIMITED", "expected whole minutes"},
      {"PriorityCalcPeriod=0", "1 at least"},
      {"PriorityMaxAge=0", "1 at least"},
      {"PriorityUsageResetPeriod=HOURLY", "NONE, NOW, DAILY"},
      {"PriorityFlags=ACCRUE_ALWAY", "did you mean ACCRUE_ALWAYS?"},
      {"PriorityFlags=NO_FAIR_TREE", "NO_FAIR_TREE is not honoured"},
      {"PriorityFlags=MAX_TRES,DEPTH_OBLIVIOUS", "DEPTH_OBLIVIOUS is not honoured"},
      {"PriorityFlags=INCR_ONLY", "INCR_ONLY is not honoured"},
      {"PriorityWeightTRES=CPU", "expected NAME=WEIGHT, not 'CPU'"},
      {"PriorityWeightTRES=cqu=1", "did you mean cpu?"},
      {"PriorityWeightTRES=CPU=1,cpu=2", "'cpu' has two weights"},
      {"PriorityWeightTRES=CPU=1.5", "1.5"},
  };
  for (const auto& [line, told] : rows) {
    INFO(line);
    REQUIRE_THAT(refusal(std::string(line) + "\n"), Catch::Contains(told));
  }
}

TEST_CASE("billing weights are of a MB of memory unless a unit follows", "[config]") {
  const auto ppm = [](const char* text) { return parse_billing_weights(text).value(); };
  REQUIRE(ppm("CPU=1.0,Mem=0.25G,GRES/gpu=2.5") ==
          TresCounts{{"cpu", 1'000'000}, {"gres/gpu", 2'500'000}, {"mem", 250'000}});
  REQUIRE(ppm("mem=1") == TresCounts{{"mem", 1024 * 1'000'000ULL}});
  REQUIRE(ppm("mem=2T") == TresCounts{{"mem", 1953}});
  REQUIRE(billing_weights_text(ppm("CPU=1.0,Mem=0.25G")) == "cpu=1,mem=0.25G");
  REQUIRE(parsed("NodeName=n1\nPartitionName=p Nodes=n1 TRESBillingWeights=\"CPU=2\"\n")
              .partitions.at(0)
              .billing_weights_ppm == TresCounts{{"cpu", 2'000'000}});
  REQUIRE_THAT(refusal("NodeName=n1\nPartitionName=p Nodes=n1 TRESBillingWeights=CPU=1.2.3\n"),
               Catch::Contains("expected a weight such as 1.0, not '1.2.3'"));
  REQUIRE_FALSE(parse_billing_weights("cpu=-1"));
  REQUIRE_FALSE(parse_billing_weights("mem=."));
}
