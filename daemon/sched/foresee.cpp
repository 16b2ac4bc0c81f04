// foresee.cpp: see foresee.h.
#include "daemon/sched/foresee.h"

#include <algorithm>
#include <unordered_map>

#include "daemon/sched/order.h"
#include "daemon/sched/plan.h"
#include "daemon/sched/timeline.h"

namespace sluice {
namespace {

// In reality one pass follows the other until nobody is left who could start.
constexpr std::uint32_t placements_max = 1U << 17;

std::size_t shape_of(const ClassView& of, const std::string& partition,
                     const std::string& reservation) {
  const auto at = std::find_if(of.shapes->begin(), of.shapes->end(), [&](const JobShape& shape) {
    return shape.partition == partition && shape.reservation == reservation;
  });
  return static_cast<std::size_t>(at - of.shapes->begin());
}

Foreseen placed(const View& view, const ClassView& of, const Placement& placement) {
  const std::size_t shape = shape_of(of, placement.partition, placement.reservation);
  return {view.now, shape, placement.shares,
          placement.time_limit ? placement.time_limit : (*of.shapes)[shape].time_limit};
}

// It starts when those that end for it are gone.
Foreseen preempting(const View& view, const ClassView& of, const Preemption& preemption) {
  Foreseen foreseen = placed(view, of, preemption.placement);
  Duration grace{};
  for (const JobId id : preemption.victims)
    if (const Victim* victim = view.victims.find(id.value)) grace = std::max(grace, victim->grace);
  foreseen.start += grace;
  return foreseen;
}

// What the plan gives the job.
std::optional<Foreseen> planned(const View& view, const ClassView& of, const Plan& plan) {
  const JobId job = of.heads.front().id;
  for (const Placement& placement : plan.placements)
    if (placement.job == job) return placed(view, of, placement);
  for (const Preemption& preemption : plan.preemptions)
    if (preemption.placement.job == job) return preempting(view, of, preemption);
  for (const Promise& promise : plan.promises)
    if (promise.job == job) {
      const std::size_t shape = shape_of(of, promise.partition, promise.reservation);
      if (shape == of.shapes->size()) return std::nullopt;  // of what it asked for before
      return Foreseen{promise.start, shape, promise.shares, (*of.shapes)[shape].time_limit};
    }
  return std::nullopt;
}

bool is_shut(const ClassView& of) {
  for (std::size_t i = 0; i < of.shapes->size(); ++i)
    if (of.is_open(i)) return false;
  return true;
}

}  // namespace

View without_job(const View& view, JobId job) {
  View others = view;
  for (auto of = others.classes.begin(); of != others.classes.end(); ++of) {
    const auto is_it = [job](const PendingJob& head) { return head.id == job; };
    if (std::none_of(of->heads.begin(), of->heads.end(), is_it)) continue;
    std::vector<PendingJob> heads(of->heads.begin(), of->heads.end());
    std::erase_if(heads, is_it);
    of->heads = SharedList<PendingJob>(std::move(heads));
    if (of->heads.empty()) others.classes.erase(of);
    break;
  }
  return others;
}

std::optional<Foreseen> foresee(const View& view, const ClassView& of, WallTime from) {
  if (is_shut(of)) return std::nullopt;
  View with = view;
  if (from <= view.now) with.classes.push_back(of);  // else it is not in line before
  const Plan plan = make_plan(with, placements_max);
  if (auto found = planned(view, of, plan)) return found;
  return Others(view, plan).earliest(of, from);
}

// --- beside others -------------------------------------------------------------------------------

struct Others::Booked {
  Booking booking;
  Rank rank;
};

namespace {

struct Place {
  const ClassView* of;
  const PendingJob* job;
};

// Where in the view the jobs of a plan stand.
std::unordered_map<JobId, Place> places_of(const View& view, const Plan& plan) {
  std::unordered_map<JobId, Place> places;
  for (const Placement& placement : plan.placements) places[placement.job] = {};
  for (const Preemption& row : plan.preemptions) places[row.placement.job] = {};
  for (const Promise& promise : plan.promises) places[promise.job] = {};
  for (const ClassView& of : view.classes)
    for (const PendingJob& job : of.heads)
      if (const auto at = places.find(job.id); at != places.end()) at->second = {&of, &job};
  return places;
}

std::unordered_map<std::string, NodeId> ids_of(const View& view) {
  std::unordered_map<std::string, NodeId> ids;
  view.nodes.for_each([&](std::uint32_t id, const NodeView& node) {
    ids[node.name] = NodeId{id};
    return true;
  });
  return ids;
}

}  // namespace

Others::~Others() = default;

Others::Others(const View& view, const Plan& plan) : view_(view) {
  const auto places = places_of(view, plan);
  const auto ids = ids_of(view);
  const auto book = [&](JobId job, const std::string& partition, const std::string& reservation,
                        WallTime start, const std::optional<TimeLimit>& limit,
                        const std::vector<NodeShare>& shares) {
    const Place place = places.at(job);
    if (!place.of) return;
    const std::size_t index = shape_of(*place.of, partition, reservation);
    if (index >= place.of->shapes->size()) return;
    const JobShape& shape = (*place.of->shapes)[index];
    Booking booking{span_of(start, length_of(limit ? limit : shape.time_limit)),
                    {},
                    shares,
                    &shape.demand,
                    reservation};
    for (const NodeShare& share : shares) booking.nodes.push_back(ids.at(share.node));
    booked_.push_back({std::move(booking),
                       rank_of(view.rules.order, Tie::submit, *place.of, *place.job, view.now)});
  };
  for (const Placement& row : plan.placements)
    book(row.job, row.partition, row.reservation, view.now, row.time_limit, row.shares);
  for (const Preemption& row : plan.preemptions)
    book(row.placement.job, row.placement.partition, row.placement.reservation, view.now,
         row.placement.time_limit, row.placement.shares);
  for (const Promise& row : plan.promises)
    book(row.job, row.partition, row.reservation, row.start, std::nullopt, row.shares);
}

std::optional<Foreseen> Others::earliest(const ClassView& of, WallTime from) const {
  Timeline timeline(view_);
  const PendingJob& job = of.heads.front();
  const Rank rank = rank_of(view_.rules.order, Tie::submit, of, job, view_.now);
  for (const Booked& other : booked_)
    if (other.rank < rank) timeline.book(other.booking);
  std::optional<Foreseen> best;
  for (std::size_t i = 0; i < of.shapes->size(); ++i) {
    if (!of.is_open(i)) continue;
    const JobShape& shape = (*of.shapes)[i];
    const auto partition =
        std::find_if(view_.partitions->begin(), view_.partitions->end(),
                     [&](const PartitionView& row) { return row.name == shape.partition; });
    if (partition == view_.partitions->end() || !partition->up) continue;
    auto slot = timeline.earliest(shape, *partition, std::max(from, view_.now),
                                  length_of(shape.time_limit));
    if (!slot || (best && best->start <= slot->start)) continue;
    best = Foreseen{slot->start, i, std::move(slot->fit.shares), shape.time_limit};
  }
  return best;
}

}  // namespace sluice
