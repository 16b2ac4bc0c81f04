// main.cpp: sluice-simulate, which `sluice simulate` executes: it needs the core and the planner,
// which no command should have to load.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cli/simulate/rules.h"
#include "common/arguments/arguments.h"
#include "daemon/replay/replay.h"

namespace {

using namespace sluice;

struct Asked {
  std::string file;
  std::uint32_t cpus = 0;  // 0: as the trace says
  std::size_t skip = 0;
  std::optional<std::size_t> first;
  std::string order = "default";
  std::string backfill = "default";
  bool as_json = false;
  bool compare = false;
};

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!file || !(bytes << file.rdbuf()))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{} cannot be read: {}", path, std::strerror(errno))};
  return std::move(bytes).str();
}

struct Workload {
  std::uint32_t cpus;
  std::vector<TraceJob> jobs;
};

Result<Workload> read_workload(const Asked& asked) {
  const std::string text = TRY(read_file(asked.file));
  const Trace trace = TRY(parse_swf(text));
  const std::uint32_t cpus = asked.cpus > 0 ? asked.cpus : trace.cpus_most.value_or(0);
  if (cpus == 0)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{} has no line '; MaxProcs:'; say --cpus", asked.file)};
  return Workload{cpus, cut_trace(trace, {cpus, asked.skip, asked.first})};
}

Result<simulate::Report> simulate_rules(const Asked& asked, const Workload& workload,
                                        const PlanRules& planning) {
  const auto& [cpus, jobs] = workload;
  const std::vector<std::int64_t> starts = TRY(replay(jobs, {cpus, planning}));
  return simulate::Report{
      .file = asked.file.substr(asked.file.rfind('/') + 1),
      .first = asked.first ? fmt::format("{}", *asked.first) : "all",
      .rules = planning,
      .cpus = cpus,
      .figures = measure(jobs, starts, cpus),
      .digest = simulate::digest_of(jobs, starts),
  };
}

Result<std::string> simulate_trace(const Asked& asked) {
  const PlanRules planning = TRY(simulate::parse_rules(asked.order, asked.backfill));
  const Workload workload = TRY(read_workload(asked));
  const simulate::Report report = TRY(simulate_rules(asked, workload, planning));
  if (!asked.compare) return asked.as_json ? simulate::to_json(report) : simulate::to_table(report);
  const PlanRules easy = TRY(simulate::parse_rules("fcfs", "easy"));
  const PlanRules easy_sjf = TRY(simulate::parse_rules("fcfs", "easy-sjf"));
  const simulate::Comparison comparison{report, TRY(simulate_rules(asked, workload, easy)),
                                        TRY(simulate_rules(asked, workload, easy_sjf))};
  return asked.as_json ? simulate::to_json(comparison) : simulate::to_table(comparison);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments(
      "sluice simulate",
      "Replays a trace of jobs through the controller's own planner, by a virtual clock");
  arguments.footer(
      "Nothing of a cluster is touched or needed. Jobs run as long as the trace says, and are\n"
      "planned by the time that their users asked for. `default` is the order of priority, here "
      "that\n"
      "of submits, and the backfill `balanced` (SluiceBackfill, man sluiced). start_digest is "
      "equal where every job starts at the same second.");
  Asked asked;
  arguments.option("--swf", asked.file, "the trace, in the Standard Workload Format",
                   {.is_required = true});
  arguments.option("--cpus", asked.cpus, "of the machine; else MaxProcs of the trace",
                   {.least = 1});
  arguments.option("--skip", asked.skip, "pass over so many usable jobs, by id");
  arguments.option("--first", asked.first, "take so many jobs; else all");
  arguments.option("--order", asked.order, "default, fcfs, sjf, wfp3, unicep or f1");
  arguments.option("--backfill", asked.backfill,
                   "default, none, easy, easy-sjf, conservative, guarantee or balanced");
  arguments.flag("--compare", asked.compare,
                 "beside FCFS with EASY backfill and EASY-SJBF, with the ratios that count");
  arguments.flag("--json", asked.as_json, "one JSON object");
  arguments.parse(argc, argv);

  const Result<std::string> done = simulate_trace(asked);
  if (done.ok()) return std::fputs(done->c_str(), stdout) < 0 ? 1 : 0;
  fmt::print(stderr, "sluice simulate: error: {}\n", to_text(done.error()));
  return 1;
}
