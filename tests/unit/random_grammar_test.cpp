// random_grammar_test.cpp: random option values and scripts against an independent expectation, and
// random damage, which must be refused or read but never break a promise. The seed is printed on
// failure; SLUICE_SEED repeats it.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "common/options/grammar.h"
#include "common/options/script.h"

using namespace sluice;

namespace {

constexpr int rounds = 3000;

class Random {
 public:
  Random() : seed_(read_seed()), engine_(seed_) {}
  unsigned seed() const { return seed_; }
  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(engine_);
  }
  bool coin() { return below(2) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  // Some bytes changed, added or removed; few of them outside of what the grammars know.
  std::string damage(std::string text) {
    static const std::string bytes = "0123456789-:%,[]_kKGB#\"'\\ \t\n\r!SBATCHx=\xff";
    for (std::uint64_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size() + 1);
      if (coin()) text.insert(at, 1, bytes[below(bytes.size())]);
      else if (at < text.size()) text.erase(at, 1);
    }
    return text;
  }

 private:
  static unsigned read_seed() {
    const char* given = std::getenv("SLUICE_SEED");
    return given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  }
  unsigned seed_;
  std::mt19937 engine_;
};

struct ArrayExample {
  std::string text;
  std::set<std::uint32_t> tasks;
};

ArrayExample random_array(Random& random) {
  ArrayExample example;
  for (std::uint64_t elements = 1 + random.below(6); elements > 0; --elements) {
    const auto first = static_cast<std::uint32_t>(random.below(150));
    const auto last = first + static_cast<std::uint32_t>(random.below(60));
    const auto step = 1 + static_cast<std::uint32_t>(random.below(9));
    const bool single = random.coin();
    if (!example.text.empty()) example.text += ',';
    example.text += single ? fmt::format("{}", first) : fmt::format("{}-{}:{}", first, last, step);
    for (std::uint32_t i = first; i <= (single ? first : last); i += step) example.tasks.insert(i);
  }
  return example;
}

std::vector<std::uint32_t> written_out(const IndexSet& set) {
  std::vector<std::uint32_t> all;
  for (const IndexRange& range : set.ranges)
    for (std::uint64_t i = range.first; i <= range.last; i += range.step)
      all.push_back(static_cast<std::uint32_t>(i));
  return all;
}

// A word in one of the ways a shell allows.
std::string quoted(const std::string& word, Random& random) {
  const bool has_single = word.find('\'') != std::string::npos;
  if (!has_single && random.coin()) return "'" + word + "'";
  std::string text;
  const bool in_double = random.coin();
  for (char c : word) {
    const bool escapes = in_double ? c == '"' || c == '\\' : true;
    if (escapes) text += '\\';
    text += c;
  }
  return in_double ? "\"" + text + "\"" : text;
}

std::string random_word(Random& random) {
  static const std::string bytes = "abz019 \t#'\"\\,=-%$\xe9\xff";
  std::string word;
  for (std::uint64_t size = 1 + random.below(12); size > 0; --size)
    word += bytes[random.below(bytes.size())];
  return word;
}

}  // namespace

TEST_CASE("random array lists hold exactly the tasks that were written", "[random]") {
  Random random;
  for (int round = 0; round < rounds; ++round) {
    const ArrayExample example = random_array(random);
    CAPTURE(random.seed(), round, example.text);
    const Result<ArrayRequest> array = parse_array(example.text);
    REQUIRE(array.ok());
    std::vector<std::uint32_t> tasks = written_out(array->tasks);
    REQUIRE(tasks.size() == example.tasks.size());  // none twice
    std::sort(tasks.begin(), tasks.end());
    REQUIRE(std::equal(tasks.begin(), tasks.end(), example.tasks.begin()));
    REQUIRE(parse_array(to_text(array->tasks)).ok());
  }
}

TEST_CASE("damaged array lists are refused or come out ascending", "[random]") {
  Random random;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = random.damage(random_array(random).text);
    CAPTURE(random.seed(), round, text);
    const Result<ArrayRequest> array = parse_array(text);
    if (!array.ok()) {
      REQUIRE(array.error().code == ErrorCode::invalid_array);
      continue;
    }
    REQUIRE_FALSE(array->tasks.empty());
    const std::vector<IndexRange>& ranges = array->tasks.ranges;
    REQUIRE(std::is_sorted(ranges.begin(), ranges.end(),
                           [](const IndexRange& a, const IndexRange& b) { return a.first < b.first; }));
  }
}

TEST_CASE("random time limits are never shorter than written, nor a minute longer", "[random]") {
  Random random;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t days = random.below(400), hours = random.below(200),
                        minutes = random.below(200), seconds = random.below(200);
    const std::uint64_t clock_s = hours * 3600 + minutes * 60 + seconds;
    const std::vector<std::pair<std::string, std::uint64_t>> forms = {
        {fmt::format("{}", minutes), minutes * 60},
        {fmt::format("{}:{}", minutes, seconds), minutes * 60 + seconds},
        {fmt::format("{}:{:02}:{:02}", hours, minutes, seconds), clock_s},
        {fmt::format("{}-{}", days, hours), days * 86400 + hours * 3600},
        {fmt::format("{}-{}:{}:{}", days, hours, minutes, seconds), days * 86400 + clock_s}};
    const auto& [text, wanted_s] = random.pick(forms);
    CAPTURE(random.seed(), round, text);
    const TimeLimit limit = parse_time_limit(text).value();
    REQUIRE(limit.unlimited == (wanted_s == 0));
    if (limit.unlimited) continue;
    REQUIRE(limit.minutes * 60ULL >= wanted_s);
    REQUIRE(limit.minutes * 60ULL < wanted_s + 60);
    const Result<TimeLimit> damaged = parse_time_limit(random.damage(text));
    if (!damaged.ok()) REQUIRE(damaged.error().code == ErrorCode::invalid_time);
  }
}

TEST_CASE("random memory sizes are never smaller than written, nor a megabyte larger", "[random]") {
  Random random;
  const std::vector<std::pair<std::string, std::uint64_t>> units = {
      {"K", 1}, {"k", 1}, {"", 1024}, {"M", 1024}, {"mb", 1024}, {"G", 1 << 20}, {"gB", 1 << 20}};
  for (int round = 0; round < rounds; ++round) {
    const auto& [unit, kib] = random.pick(units);
    const std::uint64_t count = random.below(100'000'000);
    const std::string text = fmt::format("{}{}", count, unit);
    CAPTURE(random.seed(), round, text);
    const std::uint64_t mb = parse_memory_mb(text).value();
    REQUIRE(mb * 1024 >= count * kib);
    REQUIRE(mb * 1024 < count * kib + 1024);
    const Result<std::uint64_t> damaged = parse_memory_mb(random.damage(text));
    if (!damaged.ok()) REQUIRE(damaged.error().code == ErrorCode::invalid_memory);
  }
}

TEST_CASE("random words in a script come back however they were quoted", "[random]") {
  Random random;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::string> words;
    std::string line = "#SBATCH";
    for (std::uint64_t count = 1 + random.below(4); count > 0; --count) {
      words.push_back(random_word(random));
      line += (random.coin() ? " " : "\t  ") + quoted(words.back(), random);
    }
    if (random.coin()) line += "  # remark 'with quote";
    CAPTURE(random.seed(), round, line);
    const auto read = read_directives("#!/bin/sh\n" + line + "\ntrue\n", "r.sh");
    REQUIRE(read.ok());
    REQUIRE(read->directives.size() == 1);
    std::vector<std::string> back;
    for (const OptionValue& word : read->directives[0].words) {
      back.push_back(word.text);
      REQUIRE(word.text.size() == word.quoted.size());
    }
    REQUIRE(back == words);
  }
}

TEST_CASE("damaged scripts are refused, or their directives stand where it is said", "[random]") {
  Random random;
  const std::string good = "#!/bin/sh\n#SBATCH -J x --time=5\n# c\n\n#SBATCH --mem='4G' # r\ntrue\n";
  for (int round = 0; round < rounds; ++round) {
    const std::string script = random.damage(random.damage(good));
    CAPTURE(random.seed(), round, script);
    const auto read = read_directives(script, "r.sh");
    if (!read.ok()) continue;
    std::vector<std::string> lines(1);
    for (char c : script) {
      if (c == '\n') lines.emplace_back();
      else lines.back() += c;
    }
    for (const Directive& directive : read->directives)
      REQUIRE(lines.at(directive.line - 1).rfind("#SBATCH", 0) == 0);
  }
}
