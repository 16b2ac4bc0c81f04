// plan_property_test.cpp: what every plan keeps, over random clusters and queues. The checks know
// nothing of timelines: they add up what is held at each moment.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "daemon/sched/balance.h"
#include "daemon/sched/finder.h"
#include "daemon/sched/fit.h"
#include "daemon/sched/order.h"
#include "daemon/sched/plan.h"

using namespace sluice;

namespace {

using std::chrono::minutes;

constexpr int rounds = 10'000;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

std::uint64_t first_seed() {
  const char* given = std::getenv("SLUICE_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

// A job that waits: a class of its own with some copies.
struct Waiting {
  std::shared_ptr<const JobShapes> shapes;
  PendingJob job;
};

// A run: what a placement, or a promise, holds.
struct Run {
  JobId job;
  JobShape shape;
  WallTime start;
  WallTime end;
  std::vector<NodeShare> shares;
};

struct Cluster {
  View view;
  std::map<std::uint32_t, Waiting> queue;  // by class id
  std::vector<Run> runs;
  std::uint32_t next_job = 100;
};

NodeId node_id(const View& view, const std::string& name) {
  NodeId found{};
  view.nodes.for_each([&](std::uint32_t id, const NodeView& node) {
    if (node.name == name) found = NodeId{id};
    return true;
  });
  return found;
}

// Null: it is of none.
const ReservationView* reservation_of(const View& view, const JobShape& shape) {
  if (!view.reservations) return nullptr;
  for (const ReservationView& one : *view.reservations)
    if (one.name == shape.reservation) return &one;
  return nullptr;
}

// Runs of a reservation are ended with its window.
WallTime end_of(const View& view, WallTime start, const JobShape& shape) {
  const auto length = length_of(shape.time_limit);
  WallTime end = length ? start + *length : endless;
  const ReservationView* own = reservation_of(view, shape);
  if (!own || own->flexible) return end;
  for (const ReservedWindow& window : own->windows)
    if (window.start <= start && start < window.end) end = std::min(end, window.end);
  return end;
}

void hold(Cluster& cluster, const Run& run) {
  View& view = cluster.view;
  for (const NodeShare& share : run.shares) {
    const std::uint32_t id = node_id(view, share.node).value;
    NodeView& node = view.nodes.edit(id);
    node.cpus_used += share.cpus;
    node.mem_used_mb += share.mem_mb;
    add_gres(node.gres_used, share.gres);
    ++node.jobs;
    node.exclusive = node.exclusive || run.shape.demand.exclusive;
    if (run.shape.demand.exclusive_uid) node.exclusive_uid = run.shape.demand.exclusive_uid;
    NodeHolds holds = view.holds.find(id) ? *view.holds.find(id) : NodeHolds{};
    holds.push_back({run.job, run.end, share.cpus, share.mem_mb, share.gres,
                     run.shape.demand.exclusive, run.shape.demand.exclusive_uid,
                     run.shape.reservation});
    std::stable_sort(holds.begin(), holds.end(),
                     [](const NodeHold& a, const NodeHold& b) { return a.until < b.until; });
    view.holds.put(id, std::move(holds));
  }
  add_licenses(view.licenses_used, run.shape.demand.licenses);
  if (!run.shape.demand.licenses.empty())
    view.license_holds.push_back({run.end, run.shape.demand.licenses, run.shape.reservation});
  cluster.runs.push_back(run);
}

void release_ended(Cluster& cluster) {
  View& view = cluster.view;
  for (const Run& run : cluster.runs) {
    if (run.end > view.now) continue;
    for (const NodeShare& share : run.shares) {
      const std::uint32_t id = node_id(view, share.node).value;
      NodeView& node = view.nodes.edit(id);
      node.cpus_used -= share.cpus;
      node.mem_used_mb -= share.mem_mb;
      subtract_gres(node.gres_used, share.gres);
      if (--node.jobs == 0) {
        node.exclusive = false;
        node.exclusive_uid.reset();
      }
      NodeHolds& holds = view.holds.edit(id);
      holds.erase(std::find_if(holds.begin(), holds.end(), [&](const NodeHold& held) {
        return held.until == run.end && held.cpus == share.cpus && held.mem_mb == share.mem_mb &&
               held.job == run.job;
      }));
    }
    subtract_licenses(view.licenses_used, run.shape.demand.licenses);
  }
  std::erase_if(cluster.runs, [&](const Run& run) { return run.end <= view.now; });
  std::erase_if(view.license_holds,
                [&](const LicenseHold& held) { return held.until <= view.now; });
}

// --- random clusters -----------------------------------------------------------------------------

void add_nodes(Random& random, Cluster& cluster, bool all_up) {
  PartitionView all{.name = "all"};
  PartitionView some{.name = "some"};
  const std::uint32_t count = random.between(1, 5);
  for (std::uint32_t id = 1; id <= count; ++id) {
    NodeView node;
    node.name = "n" + std::to_string(id);
    node.shape.cpus = random.between(1, 8);
    node.shape.mem_mb = random.between(1, 8);
    if (random.one_in(2))
      node.shape.gres = {{"gpu", random.one_in(2) ? "a" : "b", random.between(1, 3)}};
    if (random.one_in(3)) node.features = {"fast"};
    node.availability = !all_up && random.one_in(12) ? Availability::down : Availability::available;
    cluster.view.nodes.put(id, node);
    all.nodes.push_back(NodeId{id});
    if (random.one_in(2)) some.nodes.push_back(NodeId{id});
  }
  cluster.view.partitions =
      std::make_shared<const std::vector<PartitionView>>(std::vector{all, some});
  cluster.view.licenses = {{"lic", 2}};
}

ReservationView random_reservation(Random& random, const View& view) {
  ReservationView one{
      .windows = {}, .nodes = {}, .cpus = {}, .licenses = {}, .over_run = Duration{}};
  const bool is_whole = random.one_in(2);
  view.nodes.for_each([&](std::uint32_t id, const NodeView& node) {
    if (random.one_in(2)) return true;
    one.nodes.push_back(NodeId{id});
    if (!is_whole) one.cpus.push_back(random.between(1, node.shape.cpus));
    return true;
  });
  WallTime from = view.now - minutes{random.below(5)};
  for (std::uint32_t i = random.between(1, 2); i > 0; --i) {
    const WallTime start = from + minutes{random.below(15)};
    one.windows.push_back({start, start + minutes{random.between(6, 20)}});
    from = one.windows.back().end;
  }
  if (random.one_in(3)) one.licenses = {{"lic", 1}};
  one.flexible = random.one_in(6);
  one.any_nodes = random.one_in(6);
  one.overlaps = random.one_in(6);
  one.maintenance = random.one_in(6);
  return one;
}

// No two keep the same node or licence: what overlaps is what administrators asked for.
void add_reservations(Random& random, Cluster& cluster) {
  std::vector<ReservationView> all{random_reservation(random, cluster.view)};
  if (random.one_in(2)) {
    ReservationView other = random_reservation(random, cluster.view);
    other.licenses.clear();
    other.cpus.clear();
    std::erase_if(other.nodes, [&](NodeId id) {
      return std::binary_search(all[0].nodes.begin(), all[0].nodes.end(), id);
    });
    all.push_back(other);
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = "res" + std::to_string(i);
  cluster.view.reservations = std::make_shared<const std::vector<ReservationView>>(std::move(all));
}

JobShape random_shape(Random& random, bool may_be_endless) {
  JobShape shape;
  shape.partition = random.one_in(3) ? "some" : "all";
  Demand& demand = shape.demand;
  demand.nodes_min = random.one_in(3) ? random.between(1, 3) : 1;
  demand.nodes_max = demand.nodes_min + (random.one_in(3) ? 2 : 0);
  demand.ntasks = demand.nodes_min + random.below(3);
  demand.cpus_per_task = random.between(1, 3);
  demand.mem_per_node_mb = random.between(0, 4);
  if (random.one_in(5)) demand.gres_per_node = {{"gpu", random.one_in(2) ? "a" : "", 1}};
  if (random.one_in(6)) demand.exclusive = true;
  else if (random.one_in(6)) demand.exclusive_uid = random.between(1000, 1001);
  if (random.one_in(6)) demand.licenses = {{"lic", random.between(1, 2)}};
  if (!may_be_endless || !random.one_in(8))
    shape.time_limit = TimeLimit{.minutes = random.between(1, 30)};
  if (shape.time_limit && shape.time_limit->minutes > 2 && random.one_in(6))
    shape.time_min = TimeLimit{.minutes = random.between(1, 2)};
  return shape;
}

bool is_possible(const View& view, const JobShape& shape) {
  for (const PartitionView& partition : *view.partitions)
    if (partition.name == shape.partition) return could_ever_fit(shape, partition, view.nodes).ok();
  return false;
}

void add_waiting(Random& random, Cluster& cluster, bool may_be_endless) {
  JobShape shape = random_shape(random, may_be_endless);
  if (cluster.view.reservations && random.one_in(3))
    shape.reservation = cluster.view.reservations->at(0).name;
  if (!is_possible(cluster.view, shape)) return;
  const std::uint32_t id = cluster.next_job++;
  auto shapes = std::make_shared<JobShapes>(1, shape);
  if (random.one_in(5)) {
    const JobShape other = random_shape(random, may_be_endless);
    if (other.partition != shape.partition && is_possible(cluster.view, other))
      shapes->push_back(other);
  }
  // Each later submit goes later, by every order but `priority`.
  cluster.queue[id] = {
      shapes,
      {JobId{id}, random.between(1, 3), random.between(1, 2), cluster.view.now + minutes{0}}};
}

void fill_classes(Cluster& cluster) {
  cluster.view.classes.clear();
  for (const auto& [id, waiting] : cluster.queue)
    cluster.view.classes.push_back(
        {.class_id = id, .shapes = waiting.shapes, .heads = {waiting.job}});
}

Cluster random_cluster(Random& random, bool may_be_endless) {
  Cluster cluster;
  cluster.view.now = WallTime{minutes{1000}};
  add_nodes(random, cluster, !may_be_endless);
  if (may_be_endless && random.one_in(2)) add_reservations(random, cluster);
  for (std::uint32_t i = random.between(1, 8); i > 0; --i)
    add_waiting(random, cluster, may_be_endless);
  fill_classes(cluster);
  return cluster;
}

const JobShape& shape_by(const Cluster& cluster, JobId job, const std::string& partition) {
  const JobShapes& shapes = *cluster.queue.at(job.value).shapes;
  for (const JobShape& shape : shapes)
    if (shape.partition == partition) return shape;
  FAIL("a start in a partition that was not asked for");
  return shapes.front();
}

std::vector<Run> runs_of(const Cluster& cluster, const Plan& plan) {
  std::vector<Run> runs;
  for (const Placement& placement : plan.placements) {
    JobShape shape = shape_by(cluster, placement.job, placement.partition);
    if (placement.time_limit) {
      REQUIRE(shape.time_min);
      REQUIRE(placement.time_limit->minutes >= shape.time_min->minutes);
      shape.time_limit = placement.time_limit;
    }
    runs.push_back({placement.job, shape, cluster.view.now,
                    end_of(cluster.view, cluster.view.now, shape), placement.shares});
  }
  return runs;
}

// --- properties ----------------------------------------------------------------------------------

struct Sum {
  std::uint64_t cpus = 0;
  std::uint64_t mem_mb = 0;
  std::vector<GresCount> gres;
  std::uint32_t jobs = 0;
  std::uint32_t whole = 0;
  std::set<std::uint32_t> users;  // 0: of jobs that share with all
};

void check_moment(const Cluster& cluster, const std::vector<Run>& runs, WallTime moment) {
  std::map<std::string, Sum> sums;
  std::vector<LicenseCount> licenses;
  for (const Run& run : runs) {
    if (moment < run.start || moment >= run.end) continue;
    add_licenses(licenses, run.shape.demand.licenses);
    for (const NodeShare& share : run.shares) {
      Sum& sum = sums[share.node];
      sum.cpus += share.cpus;
      sum.mem_mb += share.mem_mb;
      add_gres(sum.gres, share.gres);
      ++sum.jobs;
      sum.whole += run.shape.demand.exclusive ? 1 : 0;
      sum.users.insert(run.shape.demand.exclusive_uid.value_or(0));
    }
  }
  for (const LicenseCount& license : licenses)
    REQUIRE(license.count <= count_of(cluster.view.licenses, license.name));
  for (const auto& [name, sum] : sums) {
    const NodeView& node = *cluster.view.nodes.find(node_id(cluster.view, name).value);
    REQUIRE(sum.cpus <= node.shape.cpus);
    REQUIRE(sum.mem_mb <= node.shape.mem_mb);
    for (const GresCount& gres : sum.gres) REQUIRE(gres_fits(node.shape.gres, {}, gres));
    REQUIRE((sum.whole == 0 || sum.jobs == 1));
    REQUIRE(sum.users.size() <= 1);
  }
}

bool overlap(const Run& run, const ReservedWindow& window) {
  return run.start < window.end && window.start < run.end;
}

bool has_node(const ReservationView& reservation, NodeId id) {
  return std::binary_search(reservation.nodes.begin(), reservation.nodes.end(), id);
}

// A run of a reservation begins in a window and stays on its nodes.
void check_inside(const View& view, const ReservationView& own, const Run& run) {
  if (own.flexible) return;
  REQUIRE(std::any_of(own.windows.begin(), own.windows.end(), [&](const ReservedWindow& window) {
    return window.start <= run.start && run.start < window.end;
  }));
  for (const NodeShare& share : run.shares)
    REQUIRE((own.any_nodes || has_node(own, node_id(view, share.node))));
}

bool is_kept_out(const ReservationView* own, const ReservationView& other) {
  return own != &other && !(own && (own->maintenance || (own->overlaps && !other.maintenance)));
}

// What jobs outside of the reservation leave its own at a moment, and what these take.
void check_part(const Cluster& cluster, const std::vector<Run>& all, const ReservationView& one,
                const Run& fresh, WallTime moment) {
  std::uint32_t inside_licenses = 0;
  std::uint32_t outside_licenses = 0;
  std::map<NodeId, std::uint32_t> inside;
  std::map<NodeId, std::uint32_t> outside;
  for (const Run& run : all) {
    if (moment < run.start || moment >= run.end) continue;
    const bool is_inside = run.shape.reservation == one.name;
    (is_inside ? inside_licenses : outside_licenses) += count_of(run.shape.demand.licenses, "lic");
    for (const NodeShare& share : run.shares)
      (is_inside ? inside : outside)[node_id(cluster.view, share.node)] += share.cpus;
  }
  const bool is_own = fresh.shape.reservation == one.name;
  if (!is_own && !fresh.shape.demand.licenses.empty())
    REQUIRE(outside_licenses + std::max(count_of(one.licenses, "lic"), inside_licenses) <=
            count_of(cluster.view.licenses, "lic"));
  for (std::size_t i = 0; i < one.cpus.size(); ++i)
    for (const NodeShare& share : fresh.shares) {
      if (node_id(cluster.view, share.node) != one.nodes[i]) continue;
      const std::uint32_t cpus = cluster.view.nodes.find(one.nodes[i].value)->shape.cpus;
      if (!is_own)
        REQUIRE(outside[one.nodes[i]] + std::max(one.cpus[i], inside[one.nodes[i]]) <= cpus);
      else if (!one.flexible && !one.any_nodes) REQUIRE(inside[one.nodes[i]] <= one.cpus[i]);
    }
}

// `fresh` of `all` are what this plan decided.
void check_reservations(const Cluster& cluster, const std::vector<Run>& all, std::size_t fresh) {
  if (!cluster.view.reservations) return;
  for (std::size_t i = all.size() - fresh; i < all.size(); ++i) {
    const Run& run = all[i];
    const ReservationView* own = reservation_of(cluster.view, run.shape);
    if (own) check_inside(cluster.view, *own, run);
    for (const ReservationView& one : *cluster.view.reservations) {
      const bool is_own = &one == own;
      if (!is_own && !is_kept_out(own, one)) continue;
      for (const ReservedWindow& window : one.windows) {
        if (!overlap(run, window)) continue;
        for (const NodeShare& share : run.shares)
          if (!is_own && one.cpus.empty())
            REQUIRE_FALSE(has_node(one, node_id(cluster.view, share.node)));
        for (const Run& other : all)
          if (window.start <= other.start && other.start < window.end && run.start <= other.start &&
              other.start < run.end)
            check_part(cluster, all, one, run, other.start);
        check_part(cluster, all, one, run, std::max(run.start, window.start));
      }
    }
  }
}

// What runs, what starts and what is promised, all together, at every moment.
void check_no_overcommit(const Cluster& cluster, const Plan& plan) {
  std::vector<Run> runs = cluster.runs;
  for (Run& run : runs_of(cluster, plan)) runs.push_back(std::move(run));
  for (const Promise& promise : plan.promises) {
    REQUIRE(promise.start > cluster.view.now);
    const JobShape& shape = shape_by(cluster, promise.job, promise.partition);
    runs.push_back({promise.job, shape, promise.start, end_of(cluster.view, promise.start, shape),
                    promise.shares});
  }
  check_reservations(cluster, runs, runs.size() - cluster.runs.size());
  std::set<WallTime> moments;
  for (const Run& run : runs) moments.insert({run.start, run.end});
  for (const WallTime moment : moments)
    if (moment != endless) check_moment(cluster, runs, moment);
}

bool are_equal(const Plan& a, const Plan& b) {
  if (a.placements.size() != b.placements.size() || a.waits.size() != b.waits.size()) return false;
  for (std::size_t i = 0; i < a.placements.size(); ++i)
    if (a.placements[i].job != b.placements[i].job ||
        a.placements[i].shares != b.placements[i].shares)
      return false;
  for (std::size_t i = 0; i < a.waits.size(); ++i)
    if (a.waits[i].class_id != b.waits[i].class_id || a.waits[i].detail != b.waits[i].detail)
      return false;
  return a.promises == b.promises && a.cut == b.cut;
}

void start_all(Cluster& cluster, const Plan& plan) {
  for (const Run& run : runs_of(cluster, plan)) {
    hold(cluster, run);
    if (--cluster.queue.at(run.job.value).job.copies == 0) cluster.queue.erase(run.job.value);
  }
  fill_classes(cluster);
}

PlanRules random_rules(Random& random) {
  PlanRules rules;
  rules.order = static_cast<QueueOrder>(random.below(6));
  rules.backfill = static_cast<Backfill>(random.below(4));  // none to guarantee
  if (random.one_in(2)) rules.candidates = static_cast<QueueOrder>(random.below(6));
  if (random.one_in(4)) rules.planned_max = random.below(4);
  if (random.one_in(6)) rules.window_min = random.between(1, 20);
  return rules;
}

// Some runs, so that the cluster is half full.
void warm_up(Random& random, Cluster& cluster) {
  start_all(cluster, make_plan(cluster.view, random.between(0, 4)));
  cluster.view.now += minutes{random.below(5)};
  release_ended(cluster);
  // Some ran over their limit: they are still there.
  if (random.one_in(4)) cluster.view.now += minutes{random.below(3)};
  for (std::uint32_t i = random.below(6); i > 0; --i) add_waiting(random, cluster, true);
  fill_classes(cluster);
}

std::optional<WallTime> start_promised(const Plan& plan, JobId job) {
  std::optional<WallTime> last;
  for (const Promise& promise : plan.promises)
    if (promise.job == job) last = std::max(last.value_or(promise.start), promise.start);
  return last;
}

}  // namespace

TEST_CASE("no plan gives out what is not there, now or later, and equal views get equal plans",
          "[plan]") {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + rounds; ++seed) {
    INFO("SLUICE_SEED=" << seed);
    Random random(seed);
    Cluster cluster = random_cluster(random, true);
    warm_up(random, cluster);
    cluster.view.rules = random_rules(random);
    const Plan plan = make_plan(cluster.view);
    // What runs longer than it may is there now; for how long nobody knows.
    for (Run& run : cluster.runs) run.end = std::max(run.end, cluster.view.now + Duration{1});
    check_no_overcommit(cluster, plan);
    REQUIRE(are_equal(plan, make_plan(cluster.view)));
    cluster.view.promises = std::make_shared<const Promises>(plan.promises);
    check_no_overcommit(cluster, make_plan(cluster.view));
  }
}

TEST_CASE("jobs behind one with a planned start do not delay it", "[plan]") {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + rounds; ++seed) {
    INFO("SLUICE_SEED=" << seed);
    Random random(seed);
    Cluster cluster = random_cluster(random, true);
    warm_up(random, cluster);
    cluster.view.rules = random_rules(random);
    const Plan plan = make_plan(cluster.view);
    if (plan.promises.empty()) continue;
    const JobId job =
        plan.promises[random.below(static_cast<std::uint32_t>(plan.promises.size()))].job;
    // The same queue without all that goes behind it.
    const auto rank = [&](const ClassView& of) {
      return std::tuple(score(cluster.view.rules.order, of, of.heads[0], cluster.view.now),
                        of.heads[0].submitted, of.heads[0].id);
    };
    View alone = cluster.view;
    const auto own = std::find_if(alone.classes.begin(), alone.classes.end(),
                                  [&](const ClassView& of) { return of.heads[0].id == job; });
    const auto limit = rank(*own);
    std::erase_if(alone.classes, [&](const ClassView& of) { return rank(of) > limit; });
    const Plan without = make_plan(alone);
    const auto then = start_promised(without, job);
    REQUIRE(then);
    REQUIRE(*start_promised(plan, job) <= *then);
  }
}

TEST_CASE("a promised start never slips because of jobs behind it, and every job starts",
          "[plan]") {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + rounds; ++seed) {
    INFO("SLUICE_SEED=" << seed);
    Random random(seed);
    Cluster cluster = random_cluster(random, false);
    cluster.view.rules.order = QueueOrder::fcfs;
    std::uint32_t to_come = random.below(6);
    int passes = 0;
    while (!cluster.queue.empty()) {
      REQUIRE(++passes < 500);
      const Plan plan = make_plan(cluster.view);
      check_no_overcommit(cluster, plan);
      if (cluster.view.promises)
        for (const Promise& promise : plan.promises) {
          const auto& before = *cluster.view.promises;
          const auto old = std::count_if(before.begin(), before.end(),
                                         [&](const Promise& p) { return p.job == promise.job; });
          const auto left = std::count_if(plan.promises.begin(), plan.promises.end(),
                                          [&](const Promise& p) { return p.job == promise.job; });
          if (old >= left && old > 0)
            REQUIRE(*start_promised(plan, promise.job) <=
                    *start_promised({.promises = before}, promise.job));
        }
      start_all(cluster, plan);
      cluster.view.promises = std::make_shared<const Promises>(plan.promises);
      if (cluster.queue.empty()) break;
      // To the next end, sometimes one that is early; or to a planned start.
      WallTime next = endless;
      for (Run& run : cluster.runs) {
        if (random.one_in(4) && run.end > cluster.view.now + minutes{1}) {
          const WallTime early = cluster.view.now + minutes{1};
          for (const NodeShare& share : run.shares)
            for (NodeHold& held : cluster.view.holds.edit(node_id(cluster.view, share.node).value))
              if (held.job == run.job && held.until == run.end && held.cpus == share.cpus) {
                held.until = early;
                break;
              }
          for (LicenseHold& held : cluster.view.license_holds)
            if (held.until == run.end && held.licenses == run.shape.demand.licenses) {
              held.until = early;
              break;
            }
          run.end = early;
        }
        next = std::min(next, run.end);
      }
      for (const Promise& promise : plan.promises) next = std::min(next, promise.start);
      REQUIRE(next != endless);
      cluster.view.now = next;
      release_ended(cluster);
      if (to_come > 0 && random.one_in(2)) {
        --to_come;
        add_waiting(random, cluster, false);
        fill_classes(cluster);
      }
    }
  }
}

TEST_CASE("by the balanced rule the first that waits is delayed by its slack at most", "[plan]") {
  int delayed = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + rounds; ++seed) {
    INFO("SLUICE_SEED=" << seed);
    Random random(seed);
    Cluster cluster = random_cluster(random, true);
    warm_up(random, cluster);
    cluster.view.rules = random_rules(random);
    cluster.view.rules.order = QueueOrder::fcfs;
    cluster.view.rules.backfill = Backfill::balanced;
    cluster.view.rules.window_min.reset();
    if (cluster.view.classes.empty()) continue;
    const Plan plan = make_plan(cluster.view);
    for (Run& run : cluster.runs) run.end = std::max(run.end, cluster.view.now + Duration{1});
    check_no_overcommit(cluster, plan);
    REQUIRE(are_equal(plan, make_plan(cluster.view)));
    const auto rank = [&](const ClassView& of) {
      return rank_of(QueueOrder::fcfs, Tie::submit, of, of.heads[0], cluster.view.now);
    };
    const ClassView first = *std::min_element(
        cluster.view.classes.begin(), cluster.view.classes.end(),
        [&](const ClassView& a, const ClassView& b) { return rank(a) < rank(b); });
    const PendingJob& job = first.heads[0];
    const auto promise = std::find_if(
        plan.promises.begin(), plan.promises.end(),
        [&](const Promise& p) { return p.job == job.id && p.latest.has_value(); });
    if (promise == plan.promises.end()) continue;
    REQUIRE(*promise->latest == promise->start + slack_after(promise->start - job.submitted));
    View alone = cluster.view;
    alone.classes = {first};
    PendingJob once = job;
    once.copies = 1;
    alone.classes[0].heads = {once};
    const Plan without = make_plan(alone);
    const WallTime then = start_promised(without, job.id).value_or(cluster.view.now);
    if (job.copies > 1) continue;
    if (promise->start > then) ++delayed;
    REQUIRE(promise->start <=
            std::max(then, cluster.view.now + slack_after(cluster.view.now - job.submitted)));
    // What is over too late goes before it no more.
    Promises kept = plan.promises;
    for (Promise& p : kept)
      if (p.job == job.id) p.latest = cluster.view.now;
    cluster.view.promises = std::make_shared<const Promises>(kept);
    const Plan strict = make_plan(cluster.view);
    REQUIRE(start_promised(strict, job.id).value_or(cluster.view.now) <= then);
  }
  REQUIRE(delayed > 0);
}

TEST_CASE("equal jobs on single nodes are found the starts that a search of all nodes finds",
          "[plan]") {
  int compared = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + rounds; ++seed) {
    INFO("SLUICE_SEED=" << seed);
    Random random(seed);
    Cluster cluster = random_cluster(random, true);
    warm_up(random, cluster);
    JobShape shape = random_shape(random, true);
    if (cluster.view.reservations && random.one_in(2))
      shape.reservation = cluster.view.reservations->at(0).name;
    shape.demand.nodes_min = shape.demand.nodes_max = 1;
    if (!Finder::is_for(shape)) continue;
    const PartitionView& partition = cluster.view.partitions->at(shape.partition == "some" ? 1 : 0);
    Timeline timeline(cluster.view);
    Finder finder(timeline, shape, partition);
    std::vector<Booking> bookings;
    for (int step = 0; step < 12; ++step) {
      const auto quick = finder.earliest();
      const auto thorough =
          timeline.earliest(shape, partition, cluster.view.now, length_of(shape.time_limit));
      REQUIRE(quick.has_value() == thorough.has_value());
      if (!quick) break;
      ++compared;
      REQUIRE(quick->start == thorough->start);
      REQUIRE(quick->fit.shares == thorough->fit.shares);
      if (!bookings.empty() && random.one_in(3)) {
        const std::size_t index = random.below(static_cast<std::uint32_t>(bookings.size()));
        timeline.cancel(bookings[index]);
        bookings.erase(bookings.begin() + static_cast<std::ptrdiff_t>(index));
        continue;
      }
      bookings.push_back({span_of(quick->start, length_of(shape.time_limit)), quick->fit.nodes,
                          quick->fit.shares, &shape.demand, shape.reservation});
      timeline.book(bookings.back());
    }
  }
  REQUIRE(compared > rounds);
}

TEST_CASE("a quick plan starts nothing that would go before another, and keeps all promises",
          "[plan]") {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + rounds; ++seed) {
    INFO("SLUICE_SEED=" << seed);
    Random random(seed);
    Cluster cluster = random_cluster(random, true);
    warm_up(random, cluster);
    cluster.view.rules.order = QueueOrder::fcfs;
    cluster.view.promises = std::make_shared<const Promises>(make_plan(cluster.view).promises);
    const Plan quick = make_quick_plan(cluster.view);
    REQUIRE(quick.promises == *cluster.view.promises);
    REQUIRE(quick.waits.empty());
    for (Run& run : cluster.runs) run.end = std::max(run.end, cluster.view.now + Duration{1});
    check_no_overcommit(cluster, {.placements = quick.placements});
    std::map<std::string, JobId> last;
    for (const Placement& placement : quick.placements) {
      REQUIRE(last[placement.partition] <= placement.job);
      last[placement.partition] = placement.job;
    }
  }
}
