// pass.cpp: see pass.h.
#include "daemon/sched/pass.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "daemon/sched/balance.h"

namespace sluice {

Pass::Pass(const View& view, const PlanRules& rules, std::uint32_t placements_max)
    : view_(view),
      rules_(rules),
      placements_max_(placements_max),
      timeline_(view),
      cursors_(make_cursors(view)) {
  plan_.view_version = view.version;
  take_pledges();
}

const PartitionView* Pass::find_partition(const std::string& name) const {
  for (const PartitionView& partition : *view_.partitions)
    if (partition.name == name) return &partition;
  return nullptr;
}

Span Pass::from_now(const JobShape& shape) const {
  return span_of(view_.now, length_of(shape.time_limit));
}

// The licences that are short, with numbers; empty: all are there.
std::string Pass::licenses_short(const JobShape& shape, const Span& span) const {
  std::string text;
  for (const LicenseCount& want : shape.demand.licenses) {
    const std::uint32_t total = count_of(view_.licenses, want.name);
    const std::uint32_t taken = timeline_.licenses_used(want.name, span, shape);
    const std::uint32_t free = total > taken ? total - taken : 0;
    if (want.count > free)
      text += fmt::format("{}licence {}: {} asked, {} of {} free", text.empty() ? "" : "; ",
                          want.name, want.count, free, total);
  }
  return text;
}

Refusal Pass::refuse(const JobShape& shape, const PartitionView& partition, const Fit& fit) const {
  Refusal refusal = fit.ok() ? Refusal{.shape = &shape, .detail = {}, .ruled_out = {}}
                             : refuse_for_nodes(shape, partition, fit);
  const std::string short_of = licenses_short(shape, from_now(shape));
  if (short_of.empty()) return refusal;
  refusal.reason = Reason::Licenses;
  refusal.detail = short_of + (refusal.detail.empty() ? "" : "; " + refusal.detail);
  return refusal;
}

// --- starts --------------------------------------------------------------------------------------

void Pass::go_on(const Turn& turn) {
  Cursor& cursor = cursors_[turn.class_index];
  if (advance(cursor, view_.classes[turn.class_index])) return;
  cursor.copies_left = 0;
  plan_.cut = plan_.cut || (view_.classes[turn.class_index].cut && !cursor.waits);
}

void Pass::place(const Turn& turn, const JobShape& shape, Booking booking,
                 std::optional<TimeLimit> limit) {
  timeline_.book(booking);
  plan_.placements.push_back(
      {turn.job, shape.partition, std::move(booking.shares), shape.demand.exclusive, limit,
       shape.reservation});
}

// The longest time that is free now; whole minutes, --time-min at least.
std::optional<Pass::Shorter> Pass::shorten(const JobShape& shape,
                                           const PartitionView& partition) const {
  if (!shape.time_min || shape.time_min->unlimited) return std::nullopt;
  constexpr std::uint32_t longest_min = 366 * 24 * 60;
  const auto try_minutes = [&](std::uint32_t minutes) {
    const Span span = span_of(view_.now, std::chrono::minutes{minutes});
    Fit fit = timeline_.fit_at(shape, partition, span);
    return licenses_short(shape, span).empty() ? std::move(fit) : Fit{};
  };
  std::uint32_t good = shape.time_min->minutes;
  Fit fit = try_minutes(good);
  if (!fit.ok()) return std::nullopt;
  const bool has_limit = shape.time_limit && !shape.time_limit->unlimited;
  std::uint32_t bad = std::max(good + 1, has_limit ? shape.time_limit->minutes : longest_min);
  while (bad - good > 1) {
    const std::uint32_t middle = good + (bad - good) / 2;
    Fit longer = try_minutes(middle);
    (longer.ok() ? good : bad) = middle;
    if (longer.ok()) fit = std::move(longer);
  }
  return Shorter{{.minutes = good}, std::move(fit)};
}

// None: it started.
std::optional<Refusal> Pass::try_shape(const JobShape& shape, const Turn& turn) {
  const PartitionView* partition = find_partition(shape.partition);
  if (!partition || !partition->up)
    return Refusal{
        &shape, Reason::PartitionDown, fmt::format("partition {} is not up", shape.partition), {}};
  if (const auto closed = closed_.find(shape.partition); closed != closed_.end())
    return Refusal{&shape,
                   Reason::Resources,
                   fmt::format("job {} goes first in partition {}, in strict order",
                               closed->second.value, shape.partition),
                   {}};
  const Span span = from_now(shape);
  Fit fit = timeline_.fit_at(shape, *partition, span);
  if (fit.ok() && licenses_short(shape, span).empty()) {
    place(turn, shape,
          {span, std::move(fit.nodes), std::move(fit.shares), &shape.demand, shape.reservation});
    return std::nullopt;
  }
  if (auto shorter = shorten(shape, *partition)) {
    const Span short_span = span_of(view_.now, length_of(shorter->limit));
    place(
        turn, shape,
        {short_span, std::move(shorter->fit.nodes), std::move(shorter->fit.shares), &shape.demand,
         shape.reservation},
        shorter->limit);
    return std::nullopt;
  }
  return refuse(shape, *partition, fit);
}

bool Pass::start(const Turn& turn) {
  std::vector<Refusal> refusals;
  for (const JobShape& shape : shapes_of(turn)) {
    if (!is_open(turn, shape)) continue;
    std::optional<Refusal> refusal = try_shape(shape, turn);
    if (!refusal) {
      go_on(turn);
      return true;
    }
    refusals.push_back(std::move(*refusal));
  }
  wait(turn, refusals);
  return false;
}

void Pass::wait(const Turn& turn, const std::vector<Refusal>& refusals) {
  cursors_[turn.class_index].waits = true;
  Waiting waiting{make_wait(view_.classes[turn.class_index], turn.job, refusals), {}};
  for (const Refusal& refusal : refusals)
    if (refusal.reason == Reason::Resources) waiting.partitions.push_back(refusal.shape->partition);
  waits_.insert_or_assign(turn.class_index, std::move(waiting));
}

void Pass::close_partitions(const Turn& turn) {
  for (const JobShape& shape : shapes_of(turn)) {
    if (!is_open(turn, shape)) continue;
    closed_.emplace(shape.partition, turn.job);
    const PartitionView* own = closes_pools_ ? find_partition(shape.partition) : nullptr;
    if (!own) continue;
    for (const PartitionView& other : *view_.partitions)
      if (other.pool == own->pool || !shape.demand.licenses.empty())
        closed_.emplace(other.name, turn.job);
  }
}

bool Pass::lacks_room(const Turn& turn) const {
  const auto waiting = waits_.find(turn.class_index);
  return waiting != waits_.end() && (waiting->second.wait.reason == Reason::Resources ||
                                     waiting->second.wait.reason == Reason::Licenses ||
                                     !waiting->second.wait.reservation.empty());
}

bool Pass::is_closed(const Turn& turn) const {
  const JobShapes& shapes = shapes_of(turn);
  return std::all_of(shapes.begin(), shapes.end(), [&](const JobShape& shape) {
    return !is_open(turn, shape) || closed_.contains(shape.partition);
  });
}

// --- bookings ------------------------------------------------------------------------------------

// None: its partition is not up, or as far as is known it will never fit.
std::optional<Slot> Pass::earliest(const JobShape& shape, WallTime from) {
  const PartitionView* partition = find_partition(shape.partition);
  if (!partition || !partition->up) return std::nullopt;
  if (!Finder::is_for(shape))
    return timeline_.earliest(shape, *partition, from, length_of(shape.time_limit));
  auto known = finders_.find(&shape);
  if (known == finders_.end())
    known = finders_.try_emplace(&shape, timeline_, shape, *partition).first;
  return known->second.earliest();
}

bool Pass::book_earliest(const Turn& turn) {
  const bool keeps = rules_.backfill == Backfill::guarantee;
  Cursor& cursor = cursors_[turn.class_index];
  const JobShape* best = nullptr;
  std::optional<Slot> slot;
  for (const JobShape& shape : shapes_of(turn)) {
    if (!is_open(turn, shape)) continue;
    // Where all bookings are made in turn, a later job of the class cannot start earlier.
    auto found = earliest(shape, keeps ? view_.now : cursor.last_start);
    if (!found || (slot && slot->start <= found->start)) continue;
    slot = std::move(found);
    best = &shape;
  }
  if (!slot) return false;
  const auto window = rules_.window_min;
  if (window && slot->start > view_.now + std::chrono::minutes{*window}) return false;
  cursor.last_start = slot->start;
  Booking booking{span_of(slot->start, length_of(best->time_limit)), std::move(slot->fit.nodes),
                  std::move(slot->fit.shares), &best->demand, best->reservation};
  if (slot->start == view_.now) {  // its class was refused while a promise was in the way
    place(turn, *best, std::move(booking));
  } else {
    timeline_.book(booking);
    booked_.push_back({turn, best, std::move(booking), job_of(turn).submitted});
  }
  go_on(turn);
  return true;
}

std::uint64_t Pass::jobs_left(std::size_t class_index) const {
  const Cursor& cursor = cursors_[class_index];
  const SharedList<PendingJob>& heads = view_.classes[class_index].heads;
  std::uint64_t count = cursor.copies_left;
  if (count > 0)
    for (std::size_t i = cursor.head + 1; i < heads.size(); ++i) count += heads[i].copies;
  return count;
}

// --- promises ------------------------------------------------------------------------------------

void Pass::take_pledges() {
  if (!view_.promises || rules_.backfill != Backfill::guarantee) return;
  const Promises& promises = *view_.promises;
  const auto by_job = [](const Promise& promise, JobId job) { return promise.job < job; };
  for (const ClassView& of : view_.classes)
    for (const PendingJob& job : of.heads)
      for (auto at = std::lower_bound(promises.begin(), promises.end(), job.id, by_job);
           at != promises.end() && at->job == job.id; ++at)
        for (const JobShape& shape : *of.shapes) {
          const PartitionView* partition = find_partition(shape.partition);
          const auto index = static_cast<std::size_t>(&shape - of.shapes->data());
          if (shape.partition != at->partition || shape.reservation != at->reservation ||
              !of.is_open(index) || !partition || !partition->up)
            continue;
          const WallTime start = std::max(at->start, view_.now);
          pledges_.push_back(
              {{score(rules_.order, of, job, view_.now), job.submitted, job.id, at->start},
               &*at,
               &shape,
               {span_of(start, length_of(shape.time_limit)), at->nodes, at->shares,
                &shape.demand, shape.reservation}});
        }
  std::sort(pledges_.begin(), pledges_.end(),
            [](const Pledge& a, const Pledge& b) { return a.rank < b.rank; });
  for (std::size_t i = pledges_.size(); i-- > 0;) pledged_[pledges_[i].promise->job].push_back(i);
  are_lifted_ = true;
  restore_promises();
}

void Pass::restore_promises() {
  if (!are_lifted_) return;
  are_lifted_ = false;
  for (Pledge& pledge : pledges_) {
    if (pledge.is_void || pledge.is_booked) continue;
    pledge.is_booked = timeline_.has_room(*pledge.shape, pledge.booking);
    pledge.is_void = !pledge.is_booked;
    if (pledge.is_booked) timeline_.book(pledge.booking);
    else has_moved_ = true;
  }
}

void Pass::lift_promises() {
  if (are_lifted_) return;
  are_lifted_ = true;
  for (Pledge& pledge : pledges_)
    if (std::exchange(pledge.is_booked, false)) timeline_.cancel(pledge.booking);
}

namespace {

const Promise* find_promise(const View& view, JobId job) {
  if (!view.promises) return nullptr;
  const auto at =
      std::lower_bound(view.promises->begin(), view.promises->end(), job,
                       [](const Promise& promise, JobId id) { return promise.job < id; });
  return at == view.promises->end() || at->job != job ? nullptr : &*at;
}

}  // namespace

std::optional<WallTime> Pass::latest_promised(JobId job) const {
  const Promise* promise = find_promise(view_, job);
  return promise ? promise->latest : std::nullopt;
}

// The next task of an array that starts is another job.
void Pass::set_latest() {
  for (Booked& booked : booked_) {
    const JobId job = booked.turn.job;
    const Promise* before = find_promise(view_, job);
    const bool is_next_task =
        std::any_of(plan_.placements.begin(), plan_.placements.end(),
                    [&](const Placement& placement) { return placement.job == job; });
    const WallTime start = booked.booking.span.start;
    booked.latest = before && before->latest && !is_next_task
                        ? *before->latest
                        : start + slack_after(start - booked.submitted);
  }
}

// Who had no turn in a pass that was cut is delayed by no later one for longer than was said.
void Pass::keep_latest() {
  if (!view_.promises) return;
  std::set<JobId> seen;
  for (const Promise& promise : plan_.promises) seen.insert(promise.job);
  for (const Placement& placement : plan_.placements) seen.insert(placement.job);
  for (const Promise& promise : *view_.promises)
    if (promise.latest && !seen.contains(promise.job)) plan_.promises.push_back(promise);
}

// The first of the job's that is not used up.
Pass::Pledge* Pass::find_pledge(JobId job) {
  const auto at = pledged_.find(job);
  if (at == pledged_.end() || at->second.empty()) return nullptr;
  Pledge* pledge = &pledges_[at->second.back()];
  at->second.pop_back();
  return pledge;
}

bool Pass::keep_promise(const Turn& turn) {
  Pledge* pledge = find_pledge(turn.job);
  if (!pledge) return false;
  restore_promises();
  if (pledge->is_void) return false;
  pledge->is_void = true;
  pledge->is_booked = false;
  Booked booked{turn, pledge->shape, std::move(pledge->booking), job_of(turn).submitted};
  if (booked.booking.span.start == view_.now) {
    timeline_.cancel(booked.booking);
    place(turn, *booked.shape, std::move(booked.booking));
  } else {
    has_moved_ = move_up(booked) || has_moved_;
    cursors_[turn.class_index].waits = !booked.started;
    if (!booked.started) booked_.push_back(std::move(booked));
  }
  go_on(turn);
  return true;
}

// True: it has an earlier start now.
bool Pass::move_up(Booked& booked) {
  timeline_.cancel(booked.booking);
  const std::optional<Duration> length = length_of(booked.shape->time_limit);
  auto slot = earliest(*booked.shape, view_.now);
  if (!slot || slot->start >= booked.booking.span.start) {
    timeline_.book(booked.booking);
    return false;
  }
  booked.booking.span = span_of(slot->start, length);
  booked.booking.nodes = std::move(slot->fit.nodes);
  booked.booking.shares = std::move(slot->fit.shares);
  if (slot->start > view_.now) {
    timeline_.book(booked.booking);
    return true;
  }
  place(booked.turn, *booked.shape, booked.booking);
  booked.started = true;
  // Why others of its class wait is told anew.
  cursors_[booked.turn.class_index].waits = false;
  waits_.erase(booked.turn.class_index);
  return true;
}

void Pass::move_up() {
  constexpr int rounds_max = 3;  // one that moved may have made room for one before it
  for (int round = 0; has_moved_ && round < rounds_max; ++round) {
    has_moved_ = false;
    for (Booked& booked : booked_)
      if (!booked.started && !is_full()) has_moved_ = move_up(booked) || has_moved_;
  }
}

// --- the result ----------------------------------------------------------------------------------

void Pass::explain_bookings() {
  for (const Booked& booked : booked_) {
    if (booked.started || waits_.contains(booked.turn.class_index)) continue;
    std::vector<Refusal> refusals;
    for (const JobShape& shape : shapes_of(booked.turn))
      if (const PartitionView* partition = find_partition(shape.partition);
          partition && is_open(booked.turn, shape))
        refusals.push_back(
            refuse(shape, *partition, timeline_.fit_at(shape, *partition, from_now(shape))));
    wait(booked.turn, refusals);
  }
}

// In the order of the queue: the first that lacks nodes of a partition is its first.
void Pass::take_waits() {
  struct Ranked {
    std::tuple<double, WallTime, JobId> rank;
    Waiting* waiting;
  };
  std::vector<Ranked> ranked;
  for (auto& [class_index, waiting] : waits_) {
    const ClassView& of = view_.classes[class_index];
    const auto head = std::find_if(of.heads.begin(), of.heads.end(), [&](const PendingJob& job) {
      return job.id == waiting.wait.head;
    });
    ranked.push_back(
        {{score(rules_.order, of, *head, view_.now), head->submitted, head->id}, &waiting});
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
  std::set<std::string> seen;
  for (const Ranked& row : ranked) {
    for (const std::string& partition : row.waiting->partitions)
      if (seen.insert(partition).second) row.waiting->wait.first_of_partition = true;
    plan_.waits.push_back(std::move(row.waiting->wait));
  }
}

void Pass::take_promises() {
  for (Booked& booked : booked_)
    if (!booked.started)
      plan_.promises.push_back({booked.turn.job, booked.shape->partition, booked.booking.span.start,
                                std::move(booked.booking.nodes), std::move(booked.booking.shares),
                                booked.shape->reservation, booked.latest});
  // What the pass did not come to keeps its promise for the next one.
  for (Pledge& pledge : pledges_)
    if (!pledge.is_void) plan_.promises.push_back(*pledge.promise);
  if (is_full()) keep_latest();
  std::sort(plan_.promises.begin(), plan_.promises.end(), [](const Promise& a, const Promise& b) {
    return std::tie(a.job, a.start) < std::tie(b.job, b.start);
  });
}

Plan Pass::finish() {
  plan_.cut = plan_.cut || is_full();
  if (!is_full()) explain_bookings();
  take_waits();
  take_promises();
  return std::move(plan_);
}

}  // namespace sluice
