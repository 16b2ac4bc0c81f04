// reservation_test.cpp: when windows recur, also over a change of the clock, and who is let in.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>

#include "common/base/local_time.h"
#include "common/model/reservation.h"

using namespace sluice;

namespace {

// The clock is put forward at 02:00 on 2027-03-28 and back at 03:00 on 2027-10-31.
class Berlin {
 public:
  Berlin() { set("CET-1CEST,M3.5.0,M10.5.0/3"); }
  ~Berlin() { set("UTC0"); }
  Berlin(const Berlin&) = delete;
  Berlin& operator=(const Berlin&) = delete;

 private:
  static void set(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
};

WallTime at(int month, int day, int hour, int minute = 0) {
  return wall_from_us(*seconds_of({2027, month, day}, {hour, minute, 0}) * 1'000'000);
}

Reservation recurring(ReservationFlag flag, WallTime start, WallTime end) {
  Reservation reservation;
  reservation.name = "res";
  reservation.window = reservation.first = {start, end};
  reservation.flags = {flag};
  return reservation;
}

ReservedWindow next_of(const Reservation& reservation, int times = 1) {
  ReservedWindow window = reservation.window;
  for (int i = 0; i < times; ++i) window = window_after(reservation, window).value();
  return window;
}

}  // namespace

TEST_CASE("a daily window keeps its time of day when the clock is changed", "[reservation]") {
  const Berlin zone;
  SECTION("forward: a day of 23 hours") {
    const auto daily = recurring(ReservationFlag::DAILY, at(3, 27, 8), at(3, 27, 10));
    REQUIRE(next_of(daily) == ReservedWindow{at(3, 28, 8), at(3, 28, 10)});
    REQUIRE(next_of(daily).start - daily.window.start == std::chrono::hours{23});
    REQUIRE(next_of(daily, 2) == ReservedWindow{at(3, 29, 8), at(3, 29, 10)});
  }
  SECTION("back: a day of 25 hours") {
    const auto daily = recurring(ReservationFlag::DAILY, at(10, 30, 22), at(10, 31, 2));
    REQUIRE(next_of(daily) == ReservedWindow{at(10, 31, 22), at(11, 1, 2)});
    REQUIRE(next_of(daily).start - daily.window.start == std::chrono::hours{25});
  }
  SECTION("a time of day that is left out is later on that day alone") {
    const auto daily = recurring(ReservationFlag::DAILY, at(3, 27, 2, 30), at(3, 27, 3, 0));
    const ReservedWindow moved = next_of(daily);
    REQUIRE(moved.start == at(3, 28, 3, 30));
    REQUIRE(moved.end - moved.start == std::chrono::minutes{30});
    REQUIRE(next_of(daily, 2) == ReservedWindow{at(3, 29, 2, 30), at(3, 29, 3, 0)});
  }
}

TEST_CASE("windows recur on the days that the flag says", "[reservation]") {
  // 2027-01-01 is a Friday.
  struct Row {
    ReservationFlag flag;
    int days[4];
  };
  const Row rows[] = {{ReservationFlag::DAILY, {2, 3, 4, 5}},
                      {ReservationFlag::WEEKDAY, {4, 5, 6, 7}},
                      {ReservationFlag::WEEKEND, {2, 3, 9, 10}},
                      {ReservationFlag::WEEKLY, {8, 15, 22, 29}}};
  for (const Row& row : rows) {
    const auto reservation = recurring(row.flag, at(1, 1, 22), at(1, 2, 4));
    for (int i = 0; i < 4; ++i) {
      const int day = row.days[i];
      REQUIRE(next_of(reservation, i + 1) == ReservedWindow{at(1, day, 22), at(1, day + 1, 4)});
    }
  }
  const auto hourly = recurring(ReservationFlag::HOURLY, at(1, 1, 23, 50), at(1, 2, 0, 5));
  REQUIRE(next_of(hourly, 2) == ReservedWindow{at(1, 2, 1, 50), at(1, 2, 2, 5)});
  REQUIRE_FALSE(window_after({.window = hourly.window}, hourly.window));
}

TEST_CASE("the current window is the first that is not over", "[reservation]") {
  const auto daily = recurring(ReservationFlag::DAILY, at(1, 1, 8), at(1, 1, 10));
  REQUIRE(window_at(daily, at(1, 1, 0)) == daily.window);
  REQUIRE(window_at(daily, at(1, 1, 9)) == daily.window);
  REQUIRE(window_at(daily, at(1, 1, 10)) == next_of(daily));
  REQUIRE(window_at(daily, at(1, 20, 9)) == ReservedWindow{at(1, 20, 8), at(1, 20, 10)});
  Reservation once = daily;
  once.flags.clear();
  REQUIRE_FALSE(window_at(once, at(1, 1, 10)));
}

TEST_CASE("a reservation lets in whom all of its lists let in", "[reservation]") {
  JobSpec spec;
  spec.user = "anna";
  spec.account = "physics";
  spec.group = "people";
  Reservation reservation;
  const auto lets = [&] { return lets_in(reservation, spec, "main"); };
  REQUIRE(lets());
  reservation.users = {{"bert", "anna"}, false};
  REQUIRE(lets());
  reservation.accounts = {{"chemistry"}, false};
  REQUIRE_FALSE(lets());
  reservation.accounts.is_negated = true;
  REQUIRE(lets());
  reservation.users.is_negated = true;
  REQUIRE_FALSE(lets());
  reservation.users = {};
  reservation.groups = {{"staff"}, false};
  REQUIRE_FALSE(lets());
  reservation.group_members = {"anna"};
  REQUIRE(lets());
  reservation.groups.is_negated = true;
  REQUIRE_FALSE(lets());
  reservation.groups = {};
  reservation.allowed_partitions = {{"other"}, false};
  REQUIRE_FALSE(lets());
  reservation.allowed_partitions = {{"main"}, false};
  REQUIRE(lets());
}
