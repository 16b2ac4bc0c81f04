// main.cpp: fuzz_tests: a deterministic run of the targets, the same on every machine. What breaks
// a promise is written to a file, which --replay runs again. With --must-fail it succeeds only when
// the target breaks, and its file breaks it again: the proof that a bug would be found.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/file.h"
#include "common/options/text.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/runner.h"

// SLUICE_FUZZ_TARGETS is X(NAME) for each target_NAME.cpp, made by CMakeLists.txt.
#define X(name) extern "C" int fuzz_##name(const std::uint8_t*, std::size_t);
SLUICE_FUZZ_TARGETS
#undef X

namespace sluice::fuzz {
namespace {

#define X(name) Target{#name, fuzz_##name},
constexpr Target targets[] = {SLUICE_FUZZ_TARGETS};
#undef X

struct Arguments {
  std::string target = "all";
  std::uint64_t runs = 20'000;
  std::uint64_t seed = 1;
  unsigned seconds_max = 20;
  std::string folder = SLUICE_FUZZ_FOLDER;
  std::string out = ".";
  std::string replay;
  bool must_fail = false;
};

constexpr std::string_view planted = "planted_";

// A bug on purpose is run by name only, on the corpus of the target whose name stands behind.
bool is_planted(const Target& target) { return std::string_view(target.name).starts_with(planted); }

std::string_view corpus_name(const Target& target) {
  std::string_view name = target.name;
  if (is_planted(target)) name.remove_prefix(planted.size());
  return name;
}

bool is_meant(const Target& target, const Arguments& arguments) {
  return arguments.target == target.name || (arguments.target == "all" && !is_planted(target));
}

// Bytes that a terminal shows, at most a few lines of them.
std::string shown(std::string_view input) {
  std::string text;
  for (char c : input.substr(0, 400))
    text += c >= ' ' && c < 0x7f && c != '\\'
                ? std::string(1, c)
                : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return input.size() > 400 ? text + "..." : text;
}

Result<bool> replays(const Target& target, const std::string& path, unsigned seconds_max) {
  const auto bytes = TRY(read_file(path, 64U << 20));
  if (!bytes) return Error{ErrorCode::io_error, path + ": there is no such file"};
  const auto failure = TRY(run_target(
      target,
      Work{.runs = 1, .seconds_max = seconds_max, .input = [&](std::uint64_t) { return *bytes; }}));
  if (failure) std::printf("%s: %s %s\n", target.name, path.c_str(), failure->how.c_str());
  else std::printf("%s: %s keeps all promises\n", target.name, path.c_str());
  return !failure;
}

Result<std::string> keep(const Target& target, const Arguments& arguments, const Failure& failure,
                         const std::string& input) {
  const std::string path =
      fmt::format("{}/fuzz-{}-{}-{}", arguments.out, target.name, arguments.seed, failure.number);
  TRY(replace_file(path, input));
  std::printf("%s: input %llu of seed %llu %s\n  %s\n  again: fuzz_tests --target %s --replay %s\n",
              target.name, static_cast<unsigned long long>(failure.number),
              static_cast<unsigned long long>(arguments.seed), failure.how.c_str(),
              shown(input).c_str(), target.name, path.c_str());
  return path;
}

// True: as it should be, which with --must-fail is a failure that can be repeated.
Result<bool> check(const Target& target, const Arguments& arguments) {
  if (!arguments.replay.empty())
    return TRY(replays(target, arguments.replay, arguments.seconds_max)) != arguments.must_fail;
  const Corpus corpus = TRY(load_corpus(arguments.folder, corpus_name(target)));
  const auto input_of = [&](std::uint64_t number) {
    return make_input(corpus, {arguments.seed, number});
  };
  const auto failure = TRY(run_target(
      target,
      Work{.runs = arguments.runs, .seconds_max = arguments.seconds_max, .input = input_of}));
  if (!failure) {
    std::printf("%s: %llu inputs of seed %llu keep all promises\n", target.name,
                static_cast<unsigned long long>(arguments.runs),
                static_cast<unsigned long long>(arguments.seed));
    return !arguments.must_fail;
  }
  const std::string path = TRY(keep(target, arguments, *failure, input_of(failure->number)));
  if (!arguments.must_fail) return false;
  return !TRY(replays(target, path, arguments.seconds_max));
}

bool take_option(std::string_view name, const char* value, Arguments& arguments) {
  const std::optional<std::uint64_t> number = parse_number(value);
  if (name == "--target") return arguments.target = value, true;
  if (name == "--folder") return arguments.folder = value, true;
  if (name == "--out") return arguments.out = value, true;
  if (name == "--replay") return arguments.replay = value, true;
  if (!number) return false;
  if (name == "--runs") return arguments.runs = *number, true;
  if (name == "--seed") return arguments.seed = *number, true;
  if (name == "--seconds-max") return arguments.seconds_max = static_cast<unsigned>(*number), true;
  return false;
}

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--must-fail") arguments.must_fail = true;
    else if (++i >= argc || !take_option(name, argv[i], arguments)) return false;
  }
  return true;
}

int fail_usage() {
  std::fputs(
      "usage: fuzz_tests [--target NAME|all] [--runs N] [--seed S] [--seconds-max S]\n"
      "                  [--folder CORPUS] [--out FOLDER] [--must-fail]\n"
      "       fuzz_tests --target NAME --replay FILE [--must-fail]\n"
      "targets:",
      stderr);
  for (const Target& target : targets) std::fprintf(stderr, " %s", target.name);
  std::fputc('\n', stderr);
  return 2;
}

int run(const Arguments& arguments) {
  bool good = true, any = false;
  for (const Target& target : targets) {
    if (!is_meant(target, arguments)) continue;
    any = true;
    const Result<bool> kept = check(target, arguments);
    if (!kept.ok()) std::fprintf(stderr, "fuzz_tests: %s\n", to_text(kept.error()).c_str());
    good = good && kept.ok() && *kept;
  }
  if (!any || (arguments.target == "all" && !arguments.replay.empty())) return fail_usage();
  return good ? 0 : 1;
}

}  // namespace
}  // namespace sluice::fuzz

int main(int argc, char** argv) {
  sluice::fuzz::Arguments arguments;
  if (!sluice::fuzz::parse(argc, argv, arguments)) return sluice::fuzz::fail_usage();
  return sluice::fuzz::run(arguments);
}
