// cancel_options_test.cpp: what scancel's command lines ask for.
#include <catch2/catch.hpp>

#include "cli/cancel_options.h"

using namespace sluice;

namespace {
using Words = std::vector<std::string>;

std::string refusal(const Words& words) {
  const auto request = parse_cancel(words, {});
  REQUIRE_FALSE(request.ok());
  return request.error().detail;
}
}  // namespace

TEST_CASE("ids, arrays and their parts", "[cancel]") {
  const auto request = parse_cancel({"5", "6_3", "7_[1-3,5]", "8,9_[1,2]"}, {});
  REQUIRE(request.ok());
  const std::vector<JobSelector>& jobs = request->message.filter.jobs;
  REQUIRE(jobs.size() == 5);
  REQUIRE(jobs[0] == JobSelector{JobId{5}, {}});
  REQUIRE(to_text(jobs[1].tasks) == "3");
  REQUIRE(to_text(jobs[2].tasks) == "1-3,5");
  REQUIRE(jobs[3].job == JobId{8});
  REQUIRE(to_text(jobs[4].tasks) == "1-2");
}

TEST_CASE("options may stand behind the ids", "[cancel]") {
  const auto request = parse_cancel({"5", "--signal", "USR2", "-b"}, {});
  REQUIRE(request->message.signal == 12);
  REQUIRE(request->message.batch_only);
  REQUIRE(request->message.filter.jobs.size() == 1);
}

TEST_CASE("filters restrict, and are remembered by name", "[cancel]") {
  const auto request = parse_cancel({"-n", "a,b", "-p", "x,y", "-t", "PD,running", "-w", "n[1-2]",
                                     "-A", "acct", "-q", "high", "-u", "someone"}, {});
  const JobFilter& filter = request->message.filter;
  REQUIRE(filter.names == Words{"a,b"});
  REQUIRE(filter.partitions == Words{"x", "y"});
  REQUIRE(filter.states == Words{"PENDING", "RUNNING"});
  REQUIRE(filter.nodes == Words{"n1", "n2"});
  REQUIRE(filter.accounts == Words{"acct"});
  REQUIRE(filter.qos == Words{"high"});
  REQUIRE(request->user == "someone");
  REQUIRE(request->filters.front() == "job_name=a,b");
}

TEST_CASE("variables give what the line does not say", "[cancel]") {
  REQUIRE(parse_cancel({"-p", "line"}, {"SCANCEL_PARTITION=variable"})->message.filter.partitions ==
          Words{"line"});
  REQUIRE(parse_cancel({"5"}, {"SCANCEL_PARTITION=variable"})->message.filter.partitions ==
          Words{"variable"});
}

TEST_CASE("mistakes are told in Slurm's words", "[cancel]") {
  REQUIRE(refusal({"abc"}) == "Invalid job id abc");
  REQUIRE(refusal({"0"}) == "Invalid job id 0");
  REQUIRE(refusal({"5+1"}) == "Invalid job id 5+1");
  REQUIRE(refusal({"5.99"}) == "Kill job error on job step id 5.99: Invalid job id specified");
  REQUIRE(refusal({"-s", "X", "5"}) == "Unknown job signal: X");
  REQUIRE(refusal({"-t", "BOGUS"}) ==
          "Invalid job state specified: BOGUS\nValid job states are PENDING, RUNNING, and SUSPENDED");
  REQUIRE(refusal({"--badopt"}) == "unrecognized option '--badopt'");
  REQUIRE(refusal({"-S"}) == "invalid option -- 'S'");
  REQUIRE(refusal({"--cron", "5"}) == "--cron is not supported by Sluice yet");
}
