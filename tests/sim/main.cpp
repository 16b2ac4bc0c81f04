// main.cpp: sim_tests: many seeds of the simulation, or one with all its lines; or the proof that a broken
// promise is found: with --break it succeeds only when some seed fails.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "tests/sim/simulation.h"

namespace sluice::sim {
namespace {

struct Arguments {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 2000;
  bool one_seed = false;
  std::string to_break;
};

Breaks breaks_of(const std::string& name) {
  return {.synchronous_off = name == "synchronous_off",
          .reply_before_commit = name == "reply_before_commit",
          .no_lease = name == "no_lease"};
}

Simulation* running = nullptr;
bool is_broken_on_purpose = false;

void report(const std::string& text) {
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(running->stage().seed), text.c_str());
  if (is_broken_on_purpose) return;
  running->stage().trace.print();
  std::printf("again: sim_tests --seed %llu\n", static_cast<unsigned long long>(running->stage().seed));
}

// A broken invariant ends the process (assert.h): it must still say with which seed.
void on_abort(int) {
  if (running) report("an invariant is broken");
  std::fflush(stdout);
  _exit(is_broken_on_purpose ? 0 : 1);
}

// True: all promises were kept.
bool run_seed(std::uint64_t seed, const Breaks& breaks, bool echo, std::uint64_t& steps) {
  Simulation simulation(seed, breaks);
  simulation.stage().trace.set_echo(echo);
  running = &simulation;
  bool kept = true;
  try {
    simulation.run();
  } catch (const Violation& violation) {
    report(violation.text);
    kept = false;
  }
  running = nullptr;
  steps += simulation.steps();
  return kept;
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--seeds") arguments.seeds = std::strtoull(value, nullptr, 10);
    else if (name == "--first") arguments.first_seed = std::strtoull(value, nullptr, 10);
    else if (name == "--break") arguments.to_break = value;
    else if (name == "--seed") {
      arguments.first_seed = std::strtoull(value, nullptr, 10);
      arguments.seeds = 1;
      arguments.one_seed = true;
    } else {
      return false;
    }
  }
  const Breaks breaks = breaks_of(arguments.to_break);
  const bool known = breaks.synchronous_off || breaks.reply_before_commit || breaks.no_lease;
  return argc % 2 == 1 && (arguments.to_break.empty() || known);
}

int run_all(const Arguments& arguments) {
  std::uint64_t steps = 0;
  std::uint64_t failed = 0;
  is_broken_on_purpose = !arguments.to_break.empty();
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
    const bool kept = run_seed(arguments.first_seed + i, breaks_of(arguments.to_break),
                               arguments.one_seed, steps);
    if (kept) continue;
    ++failed;
    if (is_broken_on_purpose || failed == 3) break;
  }
  std::printf("%llu seeds, %llu steps, %llu failed\n", static_cast<unsigned long long>(arguments.seeds),
              static_cast<unsigned long long>(steps), static_cast<unsigned long long>(failed));
  if (!is_broken_on_purpose) return failed == 0 ? 0 : 1;
  if (failed == 0) std::printf("%s was not found out\n", arguments.to_break.c_str());
  return failed == 0 ? 1 : 0;
}

}  // namespace
}  // namespace sluice::sim

int main(int argc, char** argv) {
  sluice::sim::Arguments arguments;
  if (!sluice::sim::parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "sim_tests [--seeds N] [--first SEED] [--seed SEED]\n"
                 "          [--break synchronous_off|reply_before_commit|no_lease]\n");
    return 2;
  }
  std::signal(SIGABRT, sluice::sim::on_abort);
  return sluice::sim::run_all(arguments);
}
