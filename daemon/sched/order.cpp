// order.cpp: the scores. wfp3 and unicep are those of Tang et al. 2009, f1 that of Carastan-Santos
// and de Camargo 2017, as the replays of "RLScheduler" (SC 2020) use them.
#include "daemon/sched/order.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace sluice {
namespace {

struct Scored {
  double priority;
  double submitted_s;
  double wait_s;
  double length_s;  // infinite without a time limit
  double cpus;
};

struct OrderRow {
  QueueOrder order;
  double (*score)(const Scored& job);
};
constexpr OrderRow orders[] = {
    {QueueOrder::priority, [](const Scored& job) { return -job.priority; }},
    {QueueOrder::fcfs, [](const Scored&) { return 0.0; }},
    {QueueOrder::sjf, [](const Scored& job) { return job.length_s; }},
    {QueueOrder::wfp3,
     [](const Scored& job) { return -std::pow(job.wait_s / job.length_s, 3) * job.cpus; }},
    {QueueOrder::unicep,
     [](const Scored& job) {
       const double divisor = job.cpus > 1 ? std::log2(job.cpus) : 1e-15;
       return -job.wait_s / (divisor * job.length_s);
     }},
    {QueueOrder::f1,
     [](const Scored& job) {
       return std::log10(job.length_s) * job.cpus +
              870 * std::log10(std::max(job.submitted_s, 1.0));
     }},
};
static_assert(std::size(orders) ==
              boost::mp11::mp_size<boost::describe::describe_enumerators<QueueOrder>>::value);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

double cpus_of(const JobShape& shape) {
  return static_cast<double>(shape.demand.ntasks) * shape.demand.cpus_per_task;
}

struct TieRow {
  Tie tie;
  double (*key)(const JobShape& shape);
};
constexpr TieRow ties[] = {
    {Tie::submit, [](const JobShape&) { return 0.0; }},
    {Tie::shortest, length_s_of},
    {Tie::smallest, cpu_seconds_of},
    {Tie::largest,
     [](const JobShape& shape) {
       const double size = cpu_seconds_of(shape);
       return std::isfinite(size) ? -size : 0;
     }},
};

}  // namespace

double score(QueueOrder order, const ClassView& of, const PendingJob& job, WallTime now) {
  const JobShape& shape = of.shapes->front();
  const Scored scored{
      .priority = static_cast<double>(job.priority),
      .submitted_s = seconds(job.submitted.time_since_epoch()),
      .wait_s = std::max(0.0, seconds(now - job.submitted)),
      .length_s = length_s_of(shape),
      .cpus = cpus_of(shape),
  };
  for (const OrderRow& row : orders)
    if (row.order == order) return row.score(scored);
  return 0;
}

double length_s_of(const JobShape& shape) {
  const std::optional<Duration> length = length_of(shape.time_limit);
  return length ? seconds(*length) : HUGE_VAL;
}

double cpu_seconds_of(const JobShape& shape) { return length_s_of(shape) * cpus_of(shape); }

Rank rank_of(QueueOrder order, Tie tie, const ClassView& of, const PendingJob& job, WallTime now) {
  Rank rank{score(order, of, job, now), 0, job.submitted, job.id};
  for (const TieRow& row : ties)
    if (row.tie == tie) rank.tie = row.key(of.shapes->front());
  return rank;
}

std::vector<Cursor> make_cursors(const View& view) {
  std::vector<Cursor> cursors;
  cursors.reserve(view.classes.size());
  for (const ClassView& of : view.classes)
    cursors.push_back({.copies_left = of.heads.front().copies, .last_start = view.now});
  return cursors;
}

bool advance(Cursor& cursor, const ClassView& of) {
  if (--cursor.copies_left > 0) return true;
  if (cursor.head + 1 >= of.heads.size()) return false;
  ++cursor.head;
  cursor.copies_left = of.heads[cursor.head].copies;
  return true;
}

bool Queue::GoesLater::operator()(const Entry& a, const Entry& b) const { return a.rank > b.rank; }

Queue::Queue(const View& view, const std::vector<Cursor>& cursors, QueueOrder order, Tie tie)
    : view_(view), cursors_(cursors), order_(order), tie_(tie) {
  for (std::size_t i = 0; i < cursors.size(); ++i) again(i);
}

std::optional<Turn> Queue::next() {
  if (entries_.empty()) return std::nullopt;
  const Turn turn{entries_.top().class_index, entries_.top().rank.job};
  entries_.pop();
  return turn;
}

void Queue::again(std::size_t class_index) {
  const Cursor& cursor = cursors_[class_index];
  if (cursor.copies_left == 0) return;
  const ClassView& of = view_.classes[class_index];
  entries_.push({rank_of(order_, tie_, of, of.heads[cursor.head], view_.now), class_index});
}

}  // namespace sluice
