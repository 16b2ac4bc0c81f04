// metrics_test.cpp: what is scraped is what happened, in the form that OpenMetrics asks for.
#include "daemon/core/metrics.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::seconds;

namespace {

std::string scrape(const World& world, const ServerTotals& server = {}) {
  return metrics_text(world.core.state.snapshot(), server);
}

// The value of the sample that stands there as `sample`; empty: there is none.
std::string value_of(const std::string& text, const std::string& sample) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(sample + " ")) return line.substr(sample.size() + 1);
  return "";
}

}  // namespace

TEST_CASE("jobs are counted by state, array tasks each, with the cpus they hold") {
  World world = World::with_nodes(1, {.cpus = 4});
  world.submit({.cpus = 3});
  world.submit({.cpus = 2, .array = "0-9"});
  world.submit({.hold = true});
  world.settle();
  const std::string text = scrape(world);
  REQUIRE(value_of(text, "slurm_queue_running") == "1");
  REQUIRE(value_of(text, "slurm_queue_pending") == "11");
  REQUIRE(value_of(text, "sluice_jobs{state=\"PENDING\"}") == "11");
  REQUIRE(value_of(text, "slurm_cpus_alloc") == "3");
  REQUIRE(value_of(text, "slurm_cpus_idle") == "1");
  REQUIRE(value_of(text, "slurm_nodes_mix") == "1");
  REQUIRE(value_of(text, "slurm_node_cpu_alloc{node=\"n1\",status=\"mix\"}") == "3");
  REQUIRE(value_of(text, "slurm_partition_cpus_total{partition=\"main\"}") == "4");
  REQUIRE(value_of(text, "slurm_user_cpus_running{user=\"walter\"}") == "3");
}

TEST_CASE("a drained node's free cpus are no idle cpus") {
  World world = World::with_nodes(2, {.cpus = 4});
  world.update_node("n1", NodeAction::drain, "test");
  world.disconnect("n2");
  world.pass(seconds{400});
  const std::string text = scrape(world);
  REQUIRE(value_of(text, "slurm_nodes_drain") == "1");
  REQUIRE(value_of(text, "slurm_nodes_down") == "1");
  REQUIRE(value_of(text, "slurm_cpus_idle") == "0");
  REQUIRE(value_of(text, "slurm_cpus_other") == "8");
}

TEST_CASE("what happened is counted once, however often it was asked for") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({});
  const JobId requeued = world.submit({});
  world.submit_refused({.cpus = 99});
  world.settle();
  world.exit(job);
  world.exit(requeued, {}, {CauseKind::supervisor_lost, {}, "killed"});
  const std::string text = scrape(world);
  REQUIRE(value_of(text, "sluice_jobs_submitted_total") == "2");
  REQUIRE(value_of(text, "sluice_submits_refused_total") == "1");
  REQUIRE(value_of(text, "sluice_jobs_ended_total{outcome=\"completed\"}") == "1");
  REQUIRE(value_of(text, "sluice_runs_requeued_total{cause=\"supervisor_lost\"}") == "1");
  REQUIRE(value_of(text, "sluice_runs_started_total") == "3");
}

TEST_CASE("waits are told by how many were not longer than so much") {
  World world = World::with_nodes(1, {.cpus = 1});
  const JobId first = world.submit({});
  world.submit({});
  world.settle();
  world.pass(seconds{100});
  world.exit(first);
  world.settle();
  const std::string text = scrape(world);
  REQUIRE(value_of(text, "sluice_job_wait_seconds_bucket{le=\"60\"}") == "1");
  REQUIRE(value_of(text, "sluice_job_wait_seconds_bucket{le=\"300\"}") == "2");
  REQUIRE(value_of(text, "sluice_job_wait_seconds_bucket{le=\"+Inf\"}") == "2");
  REQUIRE(value_of(text, "sluice_job_wait_seconds_count") == "2");
}

TEST_CASE("every listed metric is there once, with its type and help, and the text has its end") {
  const World world = World::with_nodes(1);
  ServerTotals server;
  server.requests["ping"] = 3;
  server.commit_s.add(0.003);
  const std::string text = scrape(world, server);
  for (const MetricHelp& metric : list_metrics()) {
    INFO(metric.name);
    const std::string type = "# TYPE " + metric.name + " " + metric.type + "\n";
    REQUIRE(text.find(type) != std::string::npos);
    REQUIRE(text.find(type) == text.rfind(type));
    REQUIRE(text.find("# HELP " + metric.name + " " + metric.help + ".\n") != std::string::npos);
  }
  REQUIRE(text.ends_with("# EOF\n"));
  REQUIRE(value_of(text, "sluice_requests_total{message=\"ping\"}") == "3");
  REQUIRE(value_of(text, "sluice_commit_seconds_bucket{le=\"0.002\"}") == "0");
  REQUIRE(value_of(text, "sluice_commit_seconds_bucket{le=\"0.005\"}") == "1");
}

TEST_CASE("a name of any bytes makes a label that a scraper can read") {
  World world = World::with_nodes(1);
  ServerTotals server;
  server.requests["a\"b\\c\nd\xff"] = 1;
  REQUIRE(scrape(world, server)
              .find("sluice_requests_total{message=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\"} 1\n") !=
          std::string::npos);
}
