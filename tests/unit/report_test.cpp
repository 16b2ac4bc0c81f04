// report_test.cpp: what `sluice report` sums up.
#include "cli/listing/report.h"

#include <catch2/catch.hpp>

using namespace sluice;

namespace {

// Seconds of a day; a time of zero would be none.
WallTime at(std::int64_t second) { return wall_from_us((86'400 + second) * 1'000'000); }

constexpr std::int64_t hour = 3600;

// Waits from its submit at 0, holds 2 cpus and 1024 MB.
JobInfo run_of(const std::string& user, std::int64_t started, std::optional<std::int64_t> ended) {
  JobInfo run;
  run.names.user = user;
  run.names.partition = "main";
  run.times.eligible = at(0);
  run.times.started = at(started);
  if (ended) {
    run.times.ended = at(*ended);
    run.times.elapsed = *run.times.ended - *run.times.started;
  }
  run.allocation.shares = {{.node = "n1", .cpus = 2, .mem_mb = 1024, .gres = {{"gpu", "a100", 1}}}};
  return run;
}

ReportWindow first_day() { return {at(0), at(24 * hour)}; }

std::string line_of(const Report& report, const std::string& group) {
  const std::string text = "\n" + report.text();
  const std::size_t from = text.find("\n" + group + " ") + 1;
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace

TEST_CASE("waits are told by their percentiles", "[report]") {
  Report report(ReportKind::wait, ReportGroup::user, first_day());
  for (int i = 1; i <= 10; ++i) report.add(run_of("ann", i * 60, i * 60 + 1));
  REQUIRE(line_of(report, "ann") ==
          "ann            10    00:05:30    00:05:00    00:09:00    00:10:00    00:10:00");
  REQUIRE(line_of(report, "(all)").find("00:10:00") != std::string::npos);
}

TEST_CASE("a second run of a job is no second wait, but it is use", "[report]") {
  JobInfo again = run_of("ann", hour, 2 * hour);
  again.run = RunNumber{1};
  Report waits(ReportKind::wait, ReportGroup::user, first_day());
  Report use(ReportKind::util, ReportGroup::user, first_day());
  for (Report* report : {&waits, &use}) {
    report->add(run_of("ann", 0, hour));
    report->add(again);
  }
  REQUIRE(line_of(waits, "ann").find(" 1 ") != std::string::npos);
  REQUIRE(line_of(use, "ann") ==
          "ann             2        4.00       100.0         2.00        2.00");
}

TEST_CASE("only what lies within the window is use, also of a run that goes on", "[report]") {
  Report report(ReportKind::util, ReportGroup::user, {at(hour), at(2 * hour)});
  report.add(run_of("ann", 0, 3 * hour));
  report.add(run_of("bob", hour + hour / 2, std::nullopt));
  report.add(run_of("cyd", 5 * hour, std::nullopt));
  REQUIRE(line_of(report, "ann").find(" 2.00 ") != std::string::npos);
  REQUIRE(line_of(report, "bob").find(" 1.00 ") != std::string::npos);
  REQUIRE(line_of(report, "cyd").find(" 0.00 ") != std::string::npos);
}

TEST_CASE("efficiency is what was used of what was held", "[report]") {
  JobInfo run = run_of("ann", 0, hour);
  run.usage.user_cpu_us = 1800ULL * 1'000'000;  // a quarter of two cpus for an hour
  run.usage.mem_peak_kb = 512 * 1024;
  Report report(ReportKind::efficiency, ReportGroup::partition, first_day());
  report.add(run);
  report.add(run_of("bob", 0, std::nullopt));  // not over: nothing is known of its use
  REQUIRE(line_of(report, "main") ==
          "main                2        2.00        25.0             1.50        50.0");
}

TEST_CASE("jobs of one shape are one class", "[report]") {
  JobInfo run = run_of("ann", 0, hour);
  run.asked.demand.ntasks = 4;
  run.asked.demand.cpus_per_task = 2;
  run.asked.demand.gres_per_node = {{"gpu", "a100", 1}};
  Report report(ReportKind::util, ReportGroup::job_class, first_day());
  report.add(run);
  REQUIRE(report.text().find("main: 1 node, 8 cpus, gpu:a100:1") != std::string::npos);
}

TEST_CASE("a document holds plain numbers", "[report]") {
  Report report(ReportKind::wait, ReportGroup::account, first_day());
  report.add(run_of("ann", 90, 100));
  std::string out;
  Document document({}, [&](std::string_view bytes) { return out += bytes, true; });
  document.begin_object();
  report.write(document);
  document.end_object();
  document.flush();
  REQUIRE(out.find("\"account\":\"(none)\",\"jobs\":1,\"mean_s\":90,") != std::string::npos);
}

TEST_CASE("an unknown report or grouping is refused with those there are", "[report]") {
  REQUIRE(parse_report_kind("waits").error().detail ==
          "no report 'waits'; there are wait, util, efficiency, forecast");
  REQUIRE(parse_report_group("users").error().detail ==
          "no grouping 'users'; there are user, account, partition, class");
}

TEST_CASE("the error of what was foretold is told, of those that were told a start", "[report]") {
  Report report(ReportKind::forecast, ReportGroup::user, first_day());
  report.add(run_of("ann", 60, 61));  // started as soon as it was planned
  for (const int late_s : {-600, 0, 120, 3600}) {
    JobInfo run = run_of("ann", hour, 2 * hour);
    run.times.forecast = Forecast{at(hour - late_s), at(0)};
    report.add(run);
  }
  REQUIRE(line_of(report, "ann") ==
          "ann             4    00:18:00    00:02:00    01:00:00    01:00:00        50.0");
}
