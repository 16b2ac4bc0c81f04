// time_point_test.cpp: dates and times as Slurm's users write them.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>

#include "common/options/time_point.h"

using namespace sluice;

namespace {
constexpr std::int64_t now_s = 1796004995;  // Mon 2026-11-30T02:16:35 UTC
constexpr std::int64_t midnight_s = now_s - (2 * 3600 + 16 * 60 + 35);
constexpr std::int64_t day_s = 86400;

std::int64_t read(std::string_view text, TimeOfDay time_of_day = TimeOfDay::of_today) {
  setenv("TZ", "UTC", 1);
  tzset();
  INFO(text);
  const Result<std::int64_t> seconds = parse_time_point(text, now_s, time_of_day);
  REQUIRE(seconds.ok());
  return *seconds;
}
std::string refused(std::string_view text) {
  INFO(text);
  const Result<std::int64_t> seconds = parse_time_point(text, now_s, TimeOfDay::of_today);
  REQUIRE(!seconds.ok());
  return seconds.error().detail;
}
}  // namespace

TEST_CASE("now may carry an offset", "[listing]") {
  REQUIRE(read("now") == now_s);
  REQUIRE(read("now+2") == now_s + 2);
  REQUIRE(read("now - 1 hour") == now_s - 3600);
  REQUIRE(read("now-2days") == now_s - 2 * day_s);
  REQUIRE(read("NOW+1week") == now_s + 7 * day_s);
  REQUIRE(read("uts1796004995") == now_s);
}

TEST_CASE("dates and times of day are read in any of their forms", "[listing]") {
  for (const char* text : {"2026-11-30", "11/30", "11/30/26", "11.30.26", "1130", "113026", "today",
                           "midnight", "00:00", "12:00AM"})
    REQUIRE(read(text) == midnight_s);
  REQUIRE(read("2026-11-30T02:16:35") == now_s);
  REQUIRE(read("02:16:35 2026-11-30") == now_s);
  REQUIRE(read("1/2/27 4:05PM") == read("2027-01-02T16:05"));
  REQUIRE(read("tomorrow teatime") == midnight_s + day_s + 16 * 3600);
  REQUIRE(read("noon") == midnight_s + 12 * 3600);
}

TEST_CASE("a time of day that is over is today's or tomorrow's, as asked", "[listing]") {
  REQUIRE(read("01:00") == midnight_s + 3600);
  REQUIRE(read("01:00", TimeOfDay::next) == midnight_s + day_s + 3600);
  REQUIRE(read("03:00", TimeOfDay::next) == midnight_s + 3 * 3600);
}

TEST_CASE("what is no time is refused with its place", "[listing]") {
  REQUIRE(refused("bogus") == "(pos=0): bogus");
  for (const char* text :
       {"", "4PM", "elevenses", "1796004995", "25:00", "12:60", "13/01", "2026-02-30", "now+1month",
        "now now", "01:00 02:00", "13:00PM", "noon now", "tomorrow now+1hour", "1130 uts5",
        "uts1796002147483648", "now+999999999weeks", "now-999999999weeks", "0000-01-01"})
    refused(text);
  REQUIRE(refused("today soon") == "(pos=6): today soon");
}

TEST_CASE("the years of four digits can be said", "[listing]") {
  REQUIRE(read("9999-12-31T23:59:59") == read("uts253402300799"));
  REQUIRE(read("0001-01-01") == -62'135'596'800);
}

TEST_CASE("of a time that the clock shows twice the first counts, one that it leaves out is moved",
          "[listing]") {
  setenv("TZ", "Europe/Berlin", 1);
  tzset();
  const auto point = [](std::string_view text) {
    INFO(text);
    const Result<TimePoint> taken = read_time_point(text, now_s, TimeOfDay::next);
    REQUIRE(taken.ok());
    return *taken;
  };
  REQUIRE(point("2027-10-31T02:30:00").seconds == 1824942600);
  REQUIRE_FALSE(point("2027-10-31T02:30:00").is_moved);
  REQUIRE(point("2027-03-28T02:30:00").seconds == 1806197400);
  REQUIRE(point("2027-03-28T02:30:00").is_moved);
  REQUIRE(local_text(1806197400) == "2027-03-28T03:30:00");
  for (const char* text : {"2027-03-28T01:59:59", "2027-03-28T03:00", "2027-10-31T03:00"})
    REQUIRE_FALSE(point(text).is_moved);
  REQUIRE(point("2027-07-01T02:30").seconds == 1814401800);
  REQUIRE(point("2027-12-01T02:30").seconds == 1827624600);
  setenv("TZ", "UTC", 1);
  tzset();
}

TEST_CASE("a day starts at its local midnight", "[listing]") {
  REQUIRE(read("midnight") == start_of_day(now_s));
}
