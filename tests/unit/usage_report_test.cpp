// usage_report_test.cpp: what sreport sums up, in the lines of Slurm 22.05.
#include "cli/listing/usage_report.h"

#include <catch2/catch.hpp>

using namespace sluice;

namespace {

WallTime at(std::int64_t second) { return wall_from_us((86'400 + second) * 1'000'000); }

// Holds two cpus and 1000 MB from hour to hour.
JobInfo run_of(const std::string& user, const std::string& account, int from, int to) {
  JobInfo run;
  run.names.user = user;
  run.names.account = account;
  run.times.started = at(from * 3600);
  run.times.ended = at(to * 3600);
  run.allocation.shares = {{.node = "n1", .cpus = 2, .mem_mb = 1000, .gres = {{"gpu", "a100", 1}}}};
  return run;
}

std::string text_of(const UsageQuery& query, const std::vector<JobInfo>& runs, UsageLayout layout) {
  UsageReport report(query);
  for (const JobInfo& run : runs) report.add(run);
  const std::vector<Association> book = {
      {.id = AssociationId{1}, .account = "root"},
      {.id = AssociationId{2}, .account = "physics", .parent = "root"},
      {.id = AssociationId{3}, .account = "atoms", .parent = "physics"},
      {.id = AssociationId{4}, .account = "idle", .parent = "root"}};
  const auto rows = report.rows("clst", book, [](const std::string&) { return std::string(); });
  return usage_text(query, parse_usage_format(default_usage_format(query)).value(), rows, layout);
}

UsageQuery query_of(UsageReportKind kind) {
  return {.kind = kind, .since = at(0), .until = at(24 * 3600)};
}

}  // namespace

TEST_CASE("an account's use is that of all below it", "[sreport]") {
  const std::vector<JobInfo> runs = {run_of("ann", "physics", 1, 2), run_of("bob", "atoms", 2, 4)};
  const std::string text = text_of(query_of(UsageReportKind::accounts), runs,
                                   {.has_heading = false, .is_parsable = true});
  REQUIRE(text ==
          "clst|root|||360|0\n"
          "clst|physics|||360|0\n"
          "clst|physics|ann||120|0\n"
          "clst|atoms|||240|0\n"
          "clst|atoms|bob||240|0\n");
}

TEST_CASE("what lies outside of the period does not count, and units are whole", "[sreport]") {
  const std::vector<JobInfo> runs = {run_of("ann", "physics", -1, 1),
                                     run_of("ann", "physics", 23, 30)};
  const std::string text = text_of(
      query_of(UsageReportKind::users), runs,
      {.has_heading = false, .is_parsable = true, .closes_line = true, .unit = UsageUnit::hours});
  REQUIRE(text == "clst|ann||physics|4|0|\n");
}

TEST_CASE("the first users are those who used most, with Slurm's columns", "[sreport]") {
  UsageQuery query = query_of(UsageReportKind::top);
  query.top = 2;
  const std::vector<JobInfo> runs = {run_of("ann", "physics", 1, 2), run_of("bob", "atoms", 2, 4),
                                     run_of("carolinelong", "atoms", 2, 9)};
  const std::string text = text_of(query, runs, {});
  REQUIRE(text.find("Top 2 Users ") != std::string::npos);
  REQUIRE(text.find(" (86400 secs)\nUsage reported in CPU Minutes\n") != std::string::npos);
  REQUIRE(
      text.ends_with("  Cluster     Login     Proper Name         Account     Used   Energy \n"
                     "--------- --------- --------------- --------------- -------- -------- \n"
                     "     clst caroline+                           atoms      840        0 \n"
                     "     clst       bob                           atoms      240        0 \n"));
}

TEST_CASE("each resource has its own rows", "[sreport]") {
  UsageQuery query = query_of(UsageReportKind::users);
  query.tres = {"mem", "gres/gpu", "gres/gpu:v100"};
  const std::string text =
      text_of(query, {run_of("ann", "physics", 1, 2)}, {.has_heading = false, .is_parsable = true});
  REQUIRE(text == "clst|ann||physics|mem|60000\nclst|ann||physics|gres/gpu|60\n");
}
