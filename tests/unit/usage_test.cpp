// usage_test.cpp: decayed usage against the integral, and what an allocation is billed.
#include "daemon/core/usage.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>

using namespace sluice;

namespace {

constexpr WallTime start = wall_from_us(1'800'000'000'000'000);  // 2027-01-15T08:00:00Z
constexpr Duration day = std::chrono::hours{24};

WallTime after(Duration time) { return start + time; }

UseKey key_of(std::uint32_t association, std::uint64_t cpus) {
  return {AssociationId{association}, QosId{}, "main", {{"cpu", cpus}}};
}

double seconds_of(const UsageBook& book, WallTime as_of) {
  double sum = 0;
  book.for_each(as_of, [&](const UseKey&, double seconds) { sum += seconds; });
  return sum;
}

}  // namespace

TEST_CASE("a second counts half as much after a half-life", "[usage]") {
  const Span hour{start, after(std::chrono::hours{1})};
  REQUIRE(decayed_seconds(hour, hour.until, Duration::zero()) == 3600);
  // By hand: 3600 s, of which the first counts 2^(-1/168) at the end: the mean is 0.99794 of it.
  const double at_end = decayed_seconds(hour, hour.until, 7 * day);
  REQUIRE(at_end == Approx(3600 * (1 - std::exp2(-1.0 / 168)) * 168 / std::log(2)).epsilon(1e-12));
  REQUIRE(decayed_seconds(hour, hour.until + 7 * day, 7 * day) ==
          Approx(at_end / 2).epsilon(1e-12));
  REQUIRE(decayed_seconds(hour, hour.until + 21 * day, 7 * day) ==
          Approx(at_end / 8).epsilon(1e-12));
}

TEST_CASE("a run in two pieces counts as in one", "[usage]") {
  const WallTime end = after(3 * day);
  const WallTime cut = after(std::chrono::minutes{17});
  const double whole = decayed_seconds({start, end}, after(5 * day), day);
  const double pieces = decayed_seconds({start, cut}, after(5 * day), day) +
                        decayed_seconds({cut, end}, after(5 * day), day);
  REQUIRE(whole == Approx(pieces).epsilon(1e-12));
}

TEST_CASE("a book is the sum of its spans, in any order and read at any time", "[usage]") {
  std::mt19937 chance(20261201);  // NOLINT: repeatable
  PriorityConfig config;
  config.half_life_min = 60;  // so that the origin moves often
  std::vector<Span> spans;
  for (int i = 0; i < 500; ++i) {
    const WallTime from = after(std::chrono::seconds{chance() % 2'000'000});
    spans.push_back({from, from + std::chrono::seconds{chance() % 50'000}});
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.until < b.until; });
  UsageBook live;
  for (const Span& span : spans) {
    live.advance(config, span.until);
    live.add(key_of(1, 4), span);
  }
  const WallTime now = spans.back().until + std::chrono::hours{1};
  live.advance(config, now);
  UsageBook anew;
  anew.advance(config, now, true);
  double sum = 0;
  for (std::size_t i = spans.size(); i-- > 0;) {
    anew.add(key_of(1, 4), spans[i]);
    sum += decayed_seconds(spans[i], now, std::chrono::hours{1});
  }
  REQUIRE(seconds_of(live, now) == Approx(sum).epsilon(1e-9));
  REQUIRE(seconds_of(anew, now) == Approx(sum).epsilon(1e-9));
}

TEST_CASE("a changed half-life counts for what is used from then on", "[usage]") {
  PriorityConfig config;
  UsageBook book;
  book.advance(config, start, true);
  book.add(key_of(1, 1), {start - std::chrono::hours{1}, start});
  const double before = seconds_of(book, start);
  config.half_life_min = 60;
  book.advance(config, start);
  REQUIRE(seconds_of(book, start) == Approx(before).epsilon(1e-12));
  REQUIRE(seconds_of(book, after(std::chrono::hours{2})) == Approx(before / 4).epsilon(1e-12));
  config.half_life_min = 0;
  book.advance(config, after(std::chrono::hours{2}));
  REQUIRE(seconds_of(book, after(9 * day)) == Approx(before / 4).epsilon(1e-12));
}

TEST_CASE("what no longer counts leaves the book", "[usage]") {
  PriorityConfig config;
  config.half_life_min = 24 * 60;
  UsageBook book;
  book.advance(config, start);
  book.add(key_of(1, 1), {start - day, start});
  book.advance(config, after(29 * day));
  REQUIRE_FALSE(book.empty());
  REQUIRE(counts_from(config, after(31 * day)) == after(day));
  book.advance(config, after(31 * day));
  REQUIRE(book.empty());
}

TEST_CASE("usage is forgotten at the beginning of each period", "[usage]") {
  setenv("TZ", "UTC", 1);
  // 2027-01-15 is a Friday.
  const auto begins = [](UsageReset reset) { return utc_text(period_start(reset, start).value()); };
  REQUIRE(begins(UsageReset::DAILY) == "2027-01-15T00:00:00Z");
  REQUIRE(begins(UsageReset::WEEKLY) == "2027-01-10T00:00:00Z");
  REQUIRE(begins(UsageReset::MONTHLY) == "2027-01-01T00:00:00Z");
  REQUIRE(begins(UsageReset::QUARTERLY) == "2027-01-01T00:00:00Z");
  REQUIRE(begins(UsageReset::YEARLY) == "2027-01-01T00:00:00Z");
  REQUIRE(utc_text(*period_start(UsageReset::QUARTERLY, after(150 * day))) ==
          "2027-04-01T00:00:00Z");
  REQUIRE_FALSE(period_start(UsageReset::NONE, start));

  PriorityConfig config;
  config.half_life_min = 0;
  config.usage_reset = UsageReset::DAILY;
  UsageBook book;
  book.advance(config, start, true);
  book.add(key_of(1, 1), {start - day, start});  // 8 hours of it are of today
  REQUIRE(seconds_of(book, start) == 8 * 3600);
  book.advance(config, after(std::chrono::hours{16}));
  REQUIRE(book.empty());

  config.usage_reset = UsageReset::NOW;
  book.add(key_of(1, 1), {after(std::chrono::hours{16}), after(std::chrono::hours{17})});
  book.advance(config, after(std::chrono::hours{18}));
  REQUIRE_FALSE(book.empty());
  book.advance(config, after(std::chrono::hours{18}), true);
  REQUIRE(book.empty());
}

TEST_CASE("an allocation is billed by the partition's weights", "[usage]") {
  const Allocation allocation{{{"n1", 8, 1, 16384, {{"gpu", "a100", 2}}}, {"n2", 8, 1, 16384, {}}},
                              false};
  const TresCounts held = allocated_tres(allocation, {{"matlab", 3}});
  REQUIRE(held == TresCounts{{"cpu", 16},
                             {"gres/gpu", 2},
                             {"gres/gpu:a100", 2},
                             {"license/matlab", 3},
                             {"mem", 32768},
                             {"node", 2}});
  ClusterConfig config;
  config.partitions.push_back({.name = "main"});
  REQUIRE(billing_of(config, "main", held) == 16);
  // CPU=1.0,Mem=0.25G,GRES/gpu=10,license/matlab=2: 16 + 8 + 20 + 6.
  config.partitions[0].billing_weights_ppm = {{"cpu", 1'000'000},
                                              {"gres/gpu", 10'000'000},
                                              {"license/matlab", 2'000'000},
                                              {"mem", 250'000}};
  REQUIRE(billing_of(config, "main", held) == 50);
  config.priority.flags = {PriorityFlag::MAX_TRES};  // the largest of a node's, and the licenses
  REQUIRE(billing_of(config, "main", held) == 26);
}

TEST_CASE("a clock that is decades off and set right again leaves finite figures", "[usage]") {
  PriorityConfig config;
  config.half_life_min = 60;
  UsageBook book;
  book.advance(config, start);
  book.add(key_of(1, 4), {start - day, start});
  for (const WallTime now : {WallTime{} + day, start, after(10'000 * day), start}) {
    book.advance(config, now);
    REQUIRE(std::isfinite(seconds_of(book, now)));
    book.add(key_of(2, 1), {now - std::chrono::hours{1}, now});
    REQUIRE(std::isfinite(seconds_of(book, now)));
    REQUIRE(seconds_of(book, now) > 0);
  }
}
