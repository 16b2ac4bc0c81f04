// expected_test.cpp: start times of every textbook rule against an independent replayer's.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/simulate/rules.h"
#include "daemon/replay/replay.h"

using namespace sluice;

namespace {

using Row = std::map<std::string, std::string>;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path.string());
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream rest(line + ",");
  for (std::string cell; std::getline(rest, cell, ',');) found.push_back(cell);
  return found;
}

std::vector<Row> read_table(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = cells(line);
  std::vector<Row> rows;
  while (std::getline(text, line)) {
    const std::vector<std::string> values = cells(line);
    REQUIRE(values.size() == names.size());
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values[i];
    rows.push_back(row);
  }
  return rows;
}

// The words of `sluice simulate` for those of the table.
std::string backfill_of(const Row& row) {
  if (row.at("backfill") == "cons") return "conservative";
  const bool by_sjf = row.at("backfill_order") == "sjf" && row.at("policy") != "sjf";
  return row.at("backfill") + (by_sjf ? "-sjf" : "");
}

simulate::Report replay_row(const Row& row, const std::filesystem::path& traces) {
  const PlanRules rules = simulate::parse_rules(row.at("policy"), backfill_of(row)).value();
  const std::uint32_t cpus = static_cast<std::uint32_t>(std::stoul(row.at("procs")));
  TraceCut cut{.cpus = cpus, .skip = 0, .first = {}};
  if (row.at("first_n") != "all") cut.first = std::stoul(row.at("first_n"));
  const auto jobs = cut_trace(parse_swf(read_file(traces / row.at("file"))).value(), cut);
  const auto starts = replay(jobs, {cpus, rules}).value();
  return {.file = row.at("file"),
          .first = row.at("first_n"),
          .rules = rules,
          .cpus = cpus,
          .figures = measure(jobs, starts, cpus),
          .digest = simulate::digest_of(jobs, starts)};
}

void check_row(const Row& row, const simulate::Report& report) {
  const Figures& figures = report.figures;
  INFO(row.at("file") << " " << row.at("first_n") << " " << row.at("policy") << " "
                      << row.at("backfill") << " " << row.at("backfill_order"));
  REQUIRE(figures.jobs == std::stoul(row.at("jobs")));
  if (row.at("digest_integer_exact") == "1") {
    CHECK(report.digest == row.at("start_digest"));
    CHECK(figures.wait_s_total == std::stoll(row.at("total_wait_s")));
    CHECK(figures.wait_s_max == std::stoll(row.at("max_wait_s")));
    CHECK(figures.wait_s_median == std::stoll(row.at("median_wait_s")));
    CHECK(figures.makespan_s == std::stoll(row.at("makespan_s")));
  }
  CHECK(figures.wait_s_mean == Approx(std::stod(row.at("mean_wait_s"))).epsilon(0.01));
  CHECK(figures.slowdown_mean == Approx(std::stod(row.at("mean_bsld_tau10"))).epsilon(0.01));
  CHECK(figures.utilisation == Approx(std::stod(row.at("utilisation"))).epsilon(0.01));
}

}  // namespace

TEST_CASE("every textbook rule starts the jobs of the small trace when it should", "[replay]") {
  const std::filesystem::path data = SLUICE_TEST_DATA;
  const std::vector<Row> rows = read_table(data / "expected_toy.csv");
  REQUIRE(rows.size() == 18);
  for (const Row& row : rows) check_row(row, replay_row(row, data));
}

TEST_CASE("every textbook rule starts the jobs of the large traces when it should",
          "[replay][traces]") {
  const char* traces = std::getenv("SLUICE_TRACES");
  if (!traces) {
    WARN("skipped: SLUICE_TRACES names no folder of traces");
    return;
  }
  const std::filesystem::path folder = traces;
  for (const Row& row : read_table(folder / "expected" / "expected.csv"))
    check_row(row, replay_row(row, folder / "swf"));
}

TEST_CASE("short jobs wait less by the default rule, at little cost to the others",
          "[replay][traces]") {
  const char* traces = std::getenv("SLUICE_TRACES");
  if (!traces) {
    WARN("skipped: SLUICE_TRACES names no folder of traces");
    return;
  }
  const std::filesystem::path folder = traces;
  const std::pair<const char*, const char*> logs[] = {{"kth_sp2.swf", "100"},
                                                      {"hpc2n_first10k.swf", "240"},
                                                      {"curie_w170k.swf", "93312"},
                                                      {"lublin_256.swf", "256"},
                                                      {"lublin_256_new2.swf", "256"}};
  for (const auto& [file, cpus] : logs) {
    const auto figures_by = [&, file = file, cpus = cpus](const char* order, const char* backfill,
                                                          const char* candidates) {
      return replay_row({{"file", file},
                         {"first_n", "all"},
                         {"policy", order},
                         {"backfill", backfill},
                         {"backfill_order", candidates},
                         {"procs", cpus}},
                        folder / "swf")
          .figures;
    };
    const Figures asked = figures_by("default", "default", "");
    const Figures easy = figures_by("fcfs", "easy", "fcfs");
    INFO(file);
    CHECK(asked.slowdown_mean <= figures_by("fcfs", "easy", "sjf").slowdown_mean);
    CHECK(asked.utilisation >= easy.utilisation - 0.005);
    CHECK(static_cast<double>(asked.wait_s_max) <= 1.2 * static_cast<double>(easy.wait_s_max));
  }
}

TEST_CASE("two replays of a trace start every job alike", "[replay]") {
  const std::filesystem::path data = SLUICE_TEST_DATA;
  const Row row{{"file", "toy.swf"},     {"first_n", "all"},     {"policy", "default"},
                {"backfill", "default"}, {"backfill_order", ""}, {"procs", "10"}};
  const simulate::Report first = replay_row(row, data);
  REQUIRE(first.digest == replay_row(row, data).digest);
  REQUIRE(first.figures.jobs == 8);
  REQUIRE(first.rules.order == PlanRules{}.order);
  REQUIRE(first.rules.backfill == Backfill::balanced);
}

TEST_CASE("a part of a trace is cut by the order of its ids", "[replay]") {
  const Trace trace = parse_swf(
                          "; MaxProcs: 16\n"
                          "3 5 -1 10 4 -1 -1 -1 20 1\n"
                          "1 9 -1 10 4 -1 -1 2 5 1\n"
                          "2 7 -1 0 4 -1 -1 2 5 1\n"
                          "4 1 -1 10 32 -1 -1 32 20 1\n"
                          "5 2 -1 7.5 1 -1 -1 1 -1 1\n")
                          .value();
  REQUIRE(trace.cpus_most == 16U);
  REQUIRE(trace.jobs.size() == 4);  // one never ran
  // A job that ran longer than was asked is planned by what it took.
  const std::vector<TraceJob> jobs = cut_trace(trace, {.cpus = 16, .skip = 0, .first = 2});
  REQUIRE(jobs == std::vector<TraceJob>{{3, 5, 10, 20, 4}, {1, 9, 10, 10, 2}});
  REQUIRE(cut_trace(trace, {.cpus = 16, .skip = 1, .first = {}}) ==
          std::vector<TraceJob>{{5, 2, 7, 7, 1}, {3, 5, 10, 20, 4}});
  REQUIRE(cut_trace(trace, {.cpus = 32, .skip = 4, .first = {}}).empty());
}

TEST_CASE("a line that is no record of a trace is named", "[replay]") {
  const auto trace = parse_swf("1 0 -1 10 4 -1 -1 4 20\n\n2 0 -1 ten 4 -1 -1 4 20\n");
  REQUIRE_FALSE(trace.ok());
  REQUIRE(trace.error() ==
          Error{ErrorCode::invalid_argument,
                "line 3: field 4 is 'ten', expected a number (SWF has 18 a line)"});
}

TEST_CASE("an unknown word names those there are", "[replay]") {
  REQUIRE(simulate::parse_rules("lifo", "none").error().detail ==
          "--order=lifo: expected default, fcfs, sjf, wfp3, unicep or f1");
  REQUIRE(simulate::parse_rules("fcfs", "eager").error().detail ==
          "--backfill=eager: expected default, none, easy, easy-sjf, conservative, guarantee, "
          "balanced");
}
