// timeline_test.cpp: the future of nodes: what is held when, and when a job fits.
#include <catch2/catch.hpp>

#include "daemon/sched/timeline.h"

using namespace sluice;

namespace {

using std::chrono::seconds;

WallTime at(std::int64_t s) { return WallTime{seconds{s}}; }

NodeView node_named(const std::string& name, std::uint32_t cpus) {
  NodeView node;
  node.name = name;
  node.shape.cpus = cpus;
  node.shape.mem_mb = 1000;
  node.availability = Availability::available;
  return node;
}

void hold(View& view, std::uint32_t id, std::uint32_t cpus, WallTime until) {
  NodeView& node = view.nodes.edit(id);
  node.cpus_used += cpus;
  ++node.jobs;
  if (!view.holds.find(id)) view.holds.put(id, {});
  view.holds.edit(id).push_back({.job = JobId{1}, .until = until, .cpus = cpus});
}

// Nodes n1, n2, ... of 4 cpus in one partition, at second 100.
View view_of(std::uint32_t nodes) {
  View view;
  view.now = at(100);
  PartitionView partition{.name = "main"};
  for (std::uint32_t i = 1; i <= nodes; ++i) {
    view.nodes.put(i, node_named("n" + std::to_string(i), 4));
    partition.nodes.push_back(NodeId{i});
  }
  view.partitions = std::make_shared<const std::vector<PartitionView>>(1, partition);
  return view;
}

JobShape shape_of(std::uint32_t cpus, std::uint32_t nodes = 1) {
  JobShape shape;
  shape.partition = "main";
  shape.demand.cpus_per_task = cpus;
  shape.demand.ntasks = nodes;
  shape.demand.nodes_min = nodes;
  shape.demand.nodes_max = nodes;
  return shape;
}

std::optional<std::int64_t> start_of(const Timeline& timeline, const View& view,
                                     const JobShape& shape, std::optional<Duration> length) {
  const auto slot = timeline.earliest(shape, view.partitions->front(), view.now, length);
  return slot ? std::optional(to_seconds(slot->start)) : std::nullopt;
}

Booking booking_of(const JobShape& shape, std::uint32_t node, std::int64_t from, std::int64_t to) {
  return {{at(from), at(to)},
          {NodeId{node}},
          {{.node = "n" + std::to_string(node), .cpus = shape.demand.cpus_per_task, .tasks = 1}},
          &shape.demand};
}

}  // namespace

TEST_CASE("what is held of a node falls as its runs end", "[timeline]") {
  View view = view_of(1);
  hold(view, 1, 1, at(150));
  hold(view, 1, 2, at(200));
  hold(view, 1, 1, endless);
  const Timeline timeline(view);
  const auto cpus_used = [&](std::int64_t from, std::int64_t to) {
    return timeline.worst(NodeId{1}, {at(from), at(to)}).cpus_used;
  };
  REQUIRE(cpus_used(100, 101) == 4);
  REQUIRE(cpus_used(149, 151) == 4);
  REQUIRE(cpus_used(150, 151) == 3);
  REQUIRE(cpus_used(200, 900) == 1);
}

TEST_CASE("a run that should be over is expected to end soon, not in the past", "[timeline]") {
  View view = view_of(1);
  hold(view, 1, 4, at(40));
  const Timeline timeline(view);
  const auto start = start_of(timeline, view, shape_of(1), seconds{10});
  REQUIRE(start.has_value());
  REQUIRE(*start > 100);
  REQUIRE(*start <= 200);
}

TEST_CASE("the worst of a span is that of its tightest moment, of each thing", "[timeline]") {
  const View view = view_of(1);
  Timeline timeline(view);
  const JobShape three = shape_of(3);
  const JobShape two = shape_of(2);
  Booking large = booking_of(three, 1, 200, 300);
  Booking roomy = booking_of(two, 1, 300, 400);
  roomy.shares[0].mem_mb = 600;
  timeline.book(large);
  timeline.book(roomy);
  const NodeView& both = timeline.worst(NodeId{1}, {at(250), at(350)});
  REQUIRE(both.cpus_used == 3);
  REQUIRE(both.mem_used_mb == 600);
  REQUIRE(both.jobs == 1);
  REQUIRE(timeline.worst(NodeId{1}, {at(100), at(200)}).cpus_used == 0);
  timeline.cancel(large);
  REQUIRE(timeline.worst(NodeId{1}, {at(250), at(300)}) == *view.nodes.find(1));
}

TEST_CASE("a job goes into the first gap that is long enough", "[timeline]") {
  const View view = view_of(1);
  Timeline timeline(view);
  const JobShape whole = shape_of(4);
  timeline.book(booking_of(whole, 1, 120, 200));
  timeline.book(booking_of(whole, 1, 250, 300));
  REQUIRE(start_of(timeline, view, shape_of(1), seconds{20}) == 100);
  REQUIRE(start_of(timeline, view, shape_of(1), seconds{21}) == 200);
  REQUIRE(start_of(timeline, view, shape_of(1), seconds{51}) == 300);
  REQUIRE(start_of(timeline, view, shape_of(1), std::nullopt) == 300);
}

TEST_CASE("a job of several nodes starts when enough are free at once", "[timeline]") {
  View view = view_of(3);
  hold(view, 1, 4, at(200));
  hold(view, 2, 4, at(300));
  Timeline timeline(view);
  const JobShape whole = shape_of(4);
  REQUIRE(start_of(timeline, view, shape_of(4, 1), seconds{50}) == 100);
  REQUIRE(start_of(timeline, view, shape_of(4, 2), seconds{50}) == 200);
  REQUIRE(start_of(timeline, view, shape_of(4, 3), seconds{50}) == 300);
  // What was free first is taken when the others come.
  timeline.book(booking_of(whole, 3, 260, 400));
  REQUIRE(start_of(timeline, view, shape_of(4, 2), seconds{60}) == 200);
  REQUIRE(start_of(timeline, view, shape_of(4, 2), seconds{61}) == 300);
  REQUIRE(start_of(timeline, view, shape_of(4, 3), seconds{50}) == 400);
}

TEST_CASE("tasks that lie on any nodes wait until there is room for all", "[timeline]") {
  View view = view_of(2);
  hold(view, 1, 3, at(200));
  hold(view, 2, 3, at(300));
  const Timeline timeline(view);
  JobShape shape = shape_of(1);
  shape.demand.ntasks = 5;
  shape.demand.nodes_max = 2;
  REQUIRE(start_of(timeline, view, shape, seconds{50}) == 200);
  shape.demand.ntasks = 8;
  REQUIRE(start_of(timeline, view, shape, seconds{50}) == 300);
}

TEST_CASE("what never ends, and nodes that are away, are waited for by nobody", "[timeline]") {
  View view = view_of(2);
  hold(view, 1, 1, endless);
  view.nodes.edit(2).availability = Availability::down;
  const Timeline timeline(view);
  REQUIRE(start_of(timeline, view, shape_of(3), seconds{50}) == 100);
  REQUIRE_FALSE(start_of(timeline, view, shape_of(4), seconds{50}));
  REQUIRE_FALSE(start_of(timeline, view, shape_of(1, 2), seconds{50}));
}

TEST_CASE("users who share with nobody follow each other, never meet", "[timeline]") {
  const View view = view_of(1);
  Timeline timeline(view);
  JobShape mine = shape_of(1);
  mine.demand.exclusive_uid = 1000;
  JobShape theirs = mine;
  theirs.demand.exclusive_uid = 1001;
  timeline.book(booking_of(mine, 1, 200, 300));
  timeline.book(booking_of(theirs, 1, 300, 400));
  REQUIRE(start_of(timeline, view, mine, seconds{200}) == 100);
  REQUIRE(start_of(timeline, view, mine, seconds{201}) == 400);
  REQUIRE(start_of(timeline, view, theirs, seconds{101}) == 300);
}

TEST_CASE("licences are waited for like nodes", "[timeline]") {
  View view = view_of(1);
  view.licenses = {{"lic", 2}};
  view.licenses_used = {{"lic", 2}};
  view.license_holds = {{at(180), {{"lic", 1}}}, {endless, {{"lic", 1}}}};
  Timeline timeline(view);
  JobShape shape = shape_of(1);
  shape.demand.licenses = {{"lic", 1}};
  REQUIRE(start_of(timeline, view, shape, seconds{50}) == 180);
  timeline.book(booking_of(shape, 1, 200, 250));
  REQUIRE(start_of(timeline, view, shape, seconds{20}) == 180);
  REQUIRE(start_of(timeline, view, shape, seconds{21}) == 250);
  shape.demand.licenses = {{"lic", 2}};
  REQUIRE_FALSE(start_of(timeline, view, shape, seconds{20}));
}
