// reservation_test.cpp: what is kept for some: who may use it, who waits for it, and when it is
// over.
#include <catch2/catch.hpp>

#include "daemon/core/listing.h"
#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

JobWait wait_in(const World& world, JobId job) {
  const Snapshot snapshot = world.core.state.snapshot();
  return wait_of(*snapshot.jobs.find(job.value), snapshot);
}

// For walter, who submits all jobs of stories, or for somebody else.
ChangeReservation window_of(const World& world, Duration in, Duration length,
                            const std::string& user = "walter") {
  ChangeReservation request;
  request.name = "res";
  request.start = world.now.wall + in;
  request.duration_s = static_cast<std::uint32_t>(length / seconds{1});
  request.users = ReservedForChange{ListChange::set, {{user}, false}};
  return request;
}

ChangeReservation on_nodes(ChangeReservation request, std::vector<std::string> nodes) {
  request.amount.nodes = std::move(nodes);
  return request;
}

ChangeReservation maintenance(const World& world, Duration in, Duration length) {
  ChangeReservation request = window_of(world, in, length, "root");
  request.amount.all_nodes = true;
  request.flags_added = {ReservationFlag::MAINT};
  return request;
}

ChangeReservation removal(const std::string& name) {
  ChangeReservation request;
  request.action = ReservationAction::remove;
  request.name = name;
  return request;
}

JobRequest in_reservation(JobRequest request, std::vector<std::string> names = {"res"}) {
  request.placement.reservations = std::move(names);
  return request;
}

const Reservation& reservation_of(const World& world, const std::string& name = "res") {
  return world.core.state.reservations->at(name);
}

bool is_there(const World& world, const std::string& name = "res") {
  return world.core.state.reservations->contains(name);
}

}  // namespace

TEST_CASE("no job runs into a maintenance that it cannot be over before", "[reservation]") {
  World world = World::with_nodes(2);
  const WallTime now = world.now.wall;
  world.reserve(maintenance(world, minutes{3}, minutes{2}));
  const JobId long_one = world.submit({.time_limit_min = 10});
  const JobId short_one = world.submit({.time_limit_min = 1});
  const JobId endless_one = world.submit({.time_limit_min = 0});
  world.settle();
  REQUIRE(world.state_of(short_one) == JobState::running);
  for (JobId job : {long_one, endless_one}) {
    REQUIRE(world.state_of(job) == JobState::pending);
    const JobWait wait = wait_in(world, job);
    REQUIRE(wait.reason == Reason::ReqNodeNotAvail);
    REQUIRE(wait.reason_detail.find("reserved: res from " + utc_text(now + minutes{3})) !=
            std::string::npos);
    REQUIRE(wait.planned_start == now + minutes{5});
  }
  SECTION("it is deleted") { world.reserve(removal("res")); }
  SECTION("it is over") { world.pass(minutes{5} + seconds{1}); }
  world.settle();
  REQUIRE(world.state_of(long_one) == JobState::running);
  REQUIRE(world.state_of(endless_one) == JobState::running);
  REQUIRE_FALSE(is_there(world));
}

TEST_CASE("a job of a reservation waits for its start and runs on its nodes", "[reservation]") {
  World world = World::with_nodes(3);
  const WallTime now = world.now.wall;
  world.reserve(on_nodes(window_of(world, minutes{5}, minutes{60}), {"n3"}));
  const JobId inside = world.submit(in_reservation({.time_limit_min = 30}));
  world.settle();
  const JobWait wait = wait_in(world, inside);
  REQUIRE(wait.reason == Reason::Reservation);
  REQUIRE(wait.reason_detail == "reservation res starts at " + utc_text(now + minutes{5}));
  REQUIRE(wait.planned_start == now + minutes{5});
  world.pass(minutes{5});
  REQUIRE(world.state_of(inside) == JobState::running);
  REQUIRE(world.node_of(inside) == "n3");
  REQUIRE(world.record(inside).reservation == "res");
  world.restart_controller();
  REQUIRE(is_there(world));
  for (const char* node : {"n1", "n2", "n3"}) world.connect(node);
  world.settle();
  // The reserved node is half free, and nobody from outside goes there.
  const JobId outside = world.submit({.nodes = 3, .time_limit_min = 5});
  world.settle();
  REQUIRE(wait_in(world, outside).planned_start == now + minutes{65});
  REQUIRE(world.state_of(outside) == JobState::pending);
}

TEST_CASE("when a reservation ends its runs end, unless the site lets them go on",
          "[reservation]") {
  ClusterConfig config = story_config(1);
  SECTION("at once") {}
  SECTION("ResvOverRun") { config.timeouts.resv_over_run.minutes = 2; }
  SECTION("without an end") { config.timeouts.resv_over_run.unlimited = true; }
  World world = World::with_config(config);
  world.reserve(on_nodes(window_of(world, seconds{0}, minutes{10}), {"n1"}));
  const JobId job = world.submit(in_reservation({.cpus = 4, .time_limit_min = 0}));
  const JobId after = world.submit({.time_limit_min = 5});
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  const TimeLimit& over_run = config.timeouts.resv_over_run;
  world.pass(minutes{10 + over_run.minutes} - seconds{1});
  REQUIRE(world.state_of(job) == JobState::running);
  world.pass(seconds{2});
  if (over_run.unlimited) {
    REQUIRE(world.state_of(job) == JobState::running);
    world.exit(job);
  } else {
    REQUIRE(world.outcome_of(job) == Outcome::timeout);
    REQUIRE(world.record(job).end->cause.text.find("its reservation res ended at") == 0);
  }
  REQUIRE_FALSE(is_there(world));
  REQUIRE(world.state_of(after) == JobState::running);
}

TEST_CASE("a job whose reservation is gone is held, and runs without it once released",
          "[reservation]") {
  World world = World::with_nodes(2);
  ChangeReservation request = on_nodes(window_of(world, minutes{5}, minutes{60}), {"n1"});
  const bool keeps_going = GENERATE(false, true);
  if (keeps_going) request.flags_added = {ReservationFlag::NO_HOLD_JOBS_AFTER};
  world.reserve(request);
  const JobId job = world.submit(in_reservation({.time_limit_min = 5}));
  world.settle();
  world.reserve(removal("res"));
  world.settle();
  if (!keeps_going) {
    REQUIRE(wait_in(world, job).reason == Reason::ReservationDeleted);
    REQUIRE(world.record(job).hold == Hold::user);
    world.restart_controller();
    for (const char* node : {"n1", "n2"}) world.connect(node);
    REQUIRE(wait_in(world, job).reason == Reason::ReservationDeleted);
    world.update({.filter = {.jobs = {{job, {}}}}, .action = JobAction::release});
    world.settle();
  }
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).reservation.empty());
}

TEST_CASE("a reservation in which jobs run is not deleted", "[reservation]") {
  World world = World::with_nodes(1);
  world.reserve(on_nodes(window_of(world, seconds{0}, minutes{60}), {"n1"}));
  const JobId job = world.submit(in_reservation({.time_limit_min = 5}));
  world.settle();
  REQUIRE(world.reserve_refused(removal("res")).code == ErrorCode::reservation_in_use);
  world.exit(job);
  world.reserve(removal("res"));
  REQUIRE(world.reserve_refused(removal("res")).code == ErrorCode::reservation_invalid);
}

TEST_CASE("who may use a reservation is asked at the submit", "[reservation]") {
  World world = World::with_nodes(1);
  ChangeReservation request = on_nodes(window_of(world, minutes{5}, minutes{60}, "root"), {"n1"});
  world.reserve(request);
  const JobRequest job = in_reservation({.time_limit_min = 5});
  REQUIRE(world.submit_refused(job).code == ErrorCode::reservation_access);
  REQUIRE(world.submit_refused(in_reservation({}, {"other"})).code ==
          ErrorCode::reservation_invalid);
  request.action = ReservationAction::update;
  SECTION("a user is added") {
    request.users = ReservedForChange{ListChange::add, {{"walter"}, false}};
  }
  SECTION("all but one") { request.users = ReservedForChange{ListChange::set, {{"root"}, true}}; }
  SECTION("by group") {
    request.users = ReservedForChange{ListChange::set, {}};
    request.groups = ReservedForChange{ListChange::set, {{"people"}, false}};
    request.group_members = {"walter"};
  }
  world.reserve(request);
  const JobId accepted = world.submit(job);
  world.settle();
  REQUIRE(wait_in(world, accepted).planned_start == world.now.wall + minutes{5});
  // Whom it no longer lets in waits, and is told why.
  request.users = ReservedForChange{ListChange::set, {{"root"}, false}};
  request.groups = ReservedForChange{ListChange::set, {}};
  world.reserve(request);
  REQUIRE(world.record(accepted).reason == Reason::Reservation);
}

TEST_CASE("a part of a node's cores is kept, the others are free for all", "[reservation]") {
  World world = World::with_nodes(1, {.cpus = 8});
  ChangeReservation request = window_of(world, seconds{0}, minutes{60});
  request.amount.core_count = 4;
  world.reserve(request);
  REQUIRE(reservation_of(world).cores == std::vector<std::uint32_t>{4});
  const JobId inside = world.submit(in_reservation({.cpus = 3, .time_limit_min = 20}));
  const JobId outside = world.submit({.cpus = 4, .time_limit_min = 20});
  world.settle();
  REQUIRE(world.state_of(inside) == JobState::running);
  REQUIRE(world.state_of(outside) == JobState::running);
  const JobId second = world.submit(in_reservation({.cpus = 2, .time_limit_min = 20}));
  const JobId third = world.submit({.cpus = 1, .time_limit_min = 20});
  const JobId small = world.submit(in_reservation({.cpus = 1, .time_limit_min = 20}));
  world.settle();
  REQUIRE(world.state_of(second) == JobState::pending);
  REQUIRE(world.state_of(third) == JobState::pending);
  REQUIRE(world.state_of(small) == JobState::running);
}

TEST_CASE("licences are kept for the jobs of a reservation, on whatever nodes", "[reservation]") {
  ClusterConfig config = story_config(2);
  config.licenses = {{"lic", 3}};
  World world = World::with_config(config);
  ChangeReservation request = window_of(world, seconds{0}, minutes{60});
  request.amount.licenses = std::vector<LicenseCount>{{"lic", 2}};
  REQUIRE(world.reserve_refused(request).code == ErrorCode::invalid_node);
  request.flags_added = {ReservationFlag::ANY_NODES};
  world.reserve(request);
  JobRequest wants{.time_limit_min = 5};
  wants.asked = ResourceRequest{};
  wants.asked->licenses = "lic:2";
  const JobId outside = world.submit(wants);
  const JobId inside = world.submit(in_reservation(wants));
  world.settle();
  REQUIRE(world.state_of(inside) == JobState::running);
  REQUIRE(world.state_of(outside) == JobState::pending);
  REQUIRE(wait_in(world, outside).reason == Reason::Licenses);
  REQUIRE(wait_in(world, outside).planned_start == world.now.wall + minutes{60});
}

TEST_CASE("a recurring reservation goes on with its next window", "[reservation]") {
  World world = World::with_nodes(1);
  const WallTime start = world.now.wall + minutes{5};
  ChangeReservation request = on_nodes(window_of(world, minutes{5}, minutes{10}), {"n1"});
  request.flags_added = {ReservationFlag::HOURLY};
  world.reserve(request);
  const JobId inside = world.submit(in_reservation({.time_limit_min = 0}));
  const JobId outside = world.submit({.time_limit_min = 51});
  world.pass(minutes{15} + seconds{1});
  REQUIRE(world.outcome_of(inside) == Outcome::timeout);
  REQUIRE(reservation_of(world).window ==
          ReservedWindow{start + hours{1}, start + hours{1} + minutes{10}});
  // It never fits between two windows.
  REQUIRE(world.state_of(outside) == JobState::pending);
  REQUIRE_FALSE(wait_in(world, outside).planned_start);
  const JobId fits = world.submit({.time_limit_min = 49});
  const JobId next = world.submit(in_reservation({.time_limit_min = 60}));
  world.settle();
  REQUIRE(world.state_of(fits) == JobState::running);
  REQUIRE(wait_in(world, next).planned_start == start + hours{1});
}

TEST_CASE("what was missed while the controller was away is made up for", "[reservation]") {
  World world = World::with_nodes(1);
  ChangeReservation once = on_nodes(window_of(world, minutes{5}, minutes{10}), {"n1"});
  world.reserve(once);
  ChangeReservation daily = on_nodes(window_of(world, minutes{20}, minutes{10}), {"n1"});
  daily.name = "daily";
  daily.flags_added = {ReservationFlag::DAILY};
  world.reserve(daily);
  world.now.wall += hours{50};
  world.now.steady += hours{50};
  world.restart_controller();
  REQUIRE_FALSE(is_there(world));
  REQUIRE(reservation_of(world, "daily").window.end > world.now.wall);
  REQUIRE(reservation_of(world, "daily").window.start < world.now.wall + hours{24});
}

TEST_CASE("nodes are chosen among those that are free over the window", "[reservation]") {
  World world = World::with_nodes(3);
  const JobId runs = world.submit({.cpus = 4, .time_limit_min = 60});
  world.settle();
  REQUIRE(world.node_of(runs) == "n1");
  ChangeReservation request = window_of(world, minutes{30}, minutes{10});
  request.amount.node_count = 2;
  SECTION("beside what runs") {
    request.name.clear();
    REQUIRE(world.reserve(request) == "walter_1");
    REQUIRE(reservation_of(world, "walter_1").nodes == std::vector<std::string>{"n2", "n3"});
    request.amount.node_count = 1;
    REQUIRE(world.reserve_refused(request).code != ErrorCode::internal);
    request.flags_added = {ReservationFlag::OVERLAP};
    REQUIRE(world.reserve(request) == "walter_2");
  }
  SECTION("not where a job may run until after its start") {
    request.amount.node_count = 3;
    const Error error = world.reserve_refused(request);
    REQUIRE(error.code == ErrorCode::nodes_busy);
    REQUIRE(error.detail.find("job 1 may run on n1 until") != std::string::npos);
    const Error named =
        world.reserve_refused(on_nodes(window_of(world, minutes{30}, minutes{10}), {"n1"}));
    REQUIRE(named.code == ErrorCode::nodes_busy);
    request.flags_added = {ReservationFlag::IGNORE_JOBS};
    world.reserve(request);
  }
  SECTION("not what another reservation has") {
    world.reserve(request);
    ChangeReservation other = on_nodes(window_of(world, minutes{35}, minutes{10}), {"n3"});
    other.name = "other";
    REQUIRE(world.reserve_refused(other).code == ErrorCode::reservation_overlap);
    other.start = world.now.wall + minutes{40};
    world.reserve(other);
  }
}

TEST_CASE("a reservation that makes no sense is refused with what is wrong", "[reservation]") {
  World world = World::with_nodes(2);
  const ChangeReservation good = on_nodes(window_of(world, minutes{5}, minutes{10}), {"n1"});
  const auto code_of = [&](auto change) {
    ChangeReservation request = good;
    change(request);
    return world.reserve_refused(request).code;
  };
  REQUIRE(world.reserve_refused(good, false).code == ErrorCode::access_denied);
  REQUIRE(code_of([](auto& r) { r.amount.nodes = {"n9"}; }) == ErrorCode::invalid_node);
  REQUIRE(code_of([](auto& r) { r.partition = "none"; }) == ErrorCode::invalid_partition);
  REQUIRE(code_of([](auto& r) { r.users.reset(); }) == ErrorCode::invalid_argument);
  REQUIRE(code_of([](auto& r) { r.start.reset(); }) == ErrorCode::invalid_time);
  REQUIRE(code_of([](auto& r) { r.duration_s = 0; }) == ErrorCode::invalid_time);
  REQUIRE(code_of([](auto& r) { *r.start -= hours{1}; }) == ErrorCode::invalid_time);
  REQUIRE(code_of([](auto& r) { r.name = "a b"; }) == ErrorCode::reservation_invalid);
  REQUIRE(code_of([](auto& r) {
            r.flags_added = {ReservationFlag::DAILY, ReservationFlag::WEEKLY};
          }) == ErrorCode::invalid_argument);
  REQUIRE(code_of([](auto& r) {
            r.flags_added = {ReservationFlag::HOURLY};
            r.duration_s = 3601;
          }) == ErrorCode::invalid_time);
  REQUIRE(code_of([](auto& r) {
            r.amount.nodes.clear();
            r.amount.node_count = 5;
          }) == ErrorCode::node_count_invalid);
  world.reserve(good);
  REQUIRE(world.reserve_refused(good).code == ErrorCode::reservation_duplicate);
}

TEST_CASE("windows that meet far ahead are seen when the second is made", "[reservation]") {
  World world = World::with_nodes(2);
  ChangeReservation hourly = on_nodes(window_of(world, minutes{10}, minutes{20}), {"n1"});
  hourly.flags_added = {ReservationFlag::HOURLY};
  world.reserve(hourly);
  ChangeReservation later = on_nodes(window_of(world, hours{24 * 30}, hours{2}), {"n1"});
  later.name = "later";
  REQUIRE(world.reserve_refused(later).code == ErrorCode::reservation_overlap);
  later.amount.nodes = {"n2"};
  world.reserve(later);
  hourly.name = "other";
  hourly.amount.nodes = {"n2"};
  REQUIRE(world.reserve_refused(hourly).code == ErrorCode::reservation_overlap);
}

TEST_CASE("a reservation that began long ago can still be changed", "[reservation]") {
  World world = World::with_nodes(1);
  world.reserve(on_nodes(window_of(world, minutes{0}, hours{24 * 7}), {"n1"}));
  world.now.wall += hours{48};
  world.now.steady += hours{48};
  ChangeReservation more;
  more.action = ReservationAction::update;
  more.name = "res";
  more.users = ReservedForChange{ListChange::add, {{"ann"}, false}};
  world.reserve(more);
  REQUIRE(reservation_of(world).users.names == std::vector<std::string>{"walter", "ann"});
  more.users = ReservedForChange{ListChange::add, {{"bob"}, true}};  // whom it is not for
  REQUIRE(world.reserve_refused(more).code == ErrorCode::invalid_argument);
}

TEST_CASE("a name that is asked for twice counts once", "[reservation]") {
  World world = World::with_nodes(1);
  world.reserve(on_nodes(window_of(world, minutes{10}, hours{1}), {"n1"}));
  const JobId job = world.submit(in_reservation({}, std::vector<std::string>(1000, "res")));
  world.settle();
  const std::uint32_t class_id = world.core.state.find_job(job)->class_id;
  REQUIRE(world.core.state.classes.at(class_id).shapes->size() == 1);
}

TEST_CASE("FLEX jobs start before the window and use other nodes too", "[reservation]") {
  World world = World::with_nodes(2);
  ChangeReservation request = on_nodes(window_of(world, minutes{5}, minutes{10}), {"n1"});
  request.flags_added = {ReservationFlag::FLEX};
  world.reserve(request);
  const JobId wide = world.submit(in_reservation({.nodes = 2, .time_limit_min = 60}));
  const JobId outside = world.submit({.nodes = 2, .time_limit_min = 60});
  world.settle();
  REQUIRE(world.state_of(wide) == JobState::running);
  REQUIRE(world.state_of(outside) == JobState::pending);
  world.pass(minutes{16});
  REQUIRE(world.state_of(wide) == JobState::running);
}

TEST_CASE("of several reservations a job takes the first that has room", "[reservation]") {
  World world = World::with_nodes(3);
  world.reserve(on_nodes(window_of(world, minutes{30}, minutes{60}), {"n1"}));
  ChangeReservation open = on_nodes(window_of(world, seconds{0}, minutes{60}), {"n2"});
  open.name = "open";
  world.reserve(open);
  const JobId job =
      world.submit(in_reservation({.cpus = 4, .time_limit_min = 10}, {"res", "open"}));
  world.settle();
  REQUIRE(world.record(job).reservation == "open");
  REQUIRE(world.node_of(job) == "n2");
}

TEST_CASE("PURGE_COMP: nobody used it for so long", "[reservation]") {
  World world = World::with_nodes(1);
  ChangeReservation request = on_nodes(window_of(world, seconds{0}, hours{10}), {"n1"});
  request.flags_added = {ReservationFlag::PURGE_COMP};
  request.purge_comp_s = 120;
  world.reserve(request);
  const JobId job = world.submit(in_reservation({.time_limit_min = 60}));
  world.pass(minutes{10});
  REQUIRE(is_there(world));
  world.exit(job);
  world.pass(seconds{119});
  REQUIRE(is_there(world));
  world.pass(seconds{3});
  REQUIRE_FALSE(is_there(world));
}

TEST_CASE("a window that is moved takes what it is moved to, and gives back what it was",
          "[reservation]") {
  World world = World::with_nodes(1);
  const WallTime now = world.now.wall;
  world.reserve(on_nodes(window_of(world, minutes{5}, minutes{10}), {"n1"}));
  const JobId job = world.submit({.time_limit_min = 30});
  world.settle();
  REQUIRE(wait_in(world, job).planned_start == now + minutes{15});
  ChangeReservation later;
  later.action = ReservationAction::update;
  later.name = "res";
  later.start = now + minutes{30};
  world.reserve(later);
  REQUIRE(reservation_of(world).window == ReservedWindow{now + minutes{30}, now + minutes{40}});
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
}
