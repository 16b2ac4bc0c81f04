// balance.cpp: see balance.h.
#include "daemon/sched/balance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "daemon/sched/pass.h"

namespace sluice {
namespace {

constexpr double shallow_budget_s = 300;  // of the whole machine, in one pass
constexpr double deep_budget_s = 1;

// Partitions that share nodes are one pool: who starts in one can be in the way in the other.
class Pools {
 public:
  explicit Pools(const View& view) : partitions_(*view.partitions), pool_of_(partitions_.size()) {
    std::iota(pool_of_.begin(), pool_of_.end(), std::size_t{0});
    std::vector<std::size_t> owners;  // by NodeId: its first partition, plus one
    for (std::size_t i = 0; i < partitions_.size(); ++i)
      for (const NodeId node : partitions_[i].nodes) {
        if (node.value >= owners.size()) owners.resize(node.value + 1, 0);
        if (owners[node.value] == 0) owners[node.value] = i + 1;
        else join(owners[node.value] - 1, i);
      }
  }

  // None: there is no such partition.
  std::optional<std::size_t> find(const std::string& partition) const {
    for (std::size_t i = 0; i < partitions_.size(); ++i)
      if (partitions_[i].name == partition) return root(i);
    return std::nullopt;
  }

 private:
  std::size_t root(std::size_t i) const {
    while (pool_of_[i] != i) i = pool_of_[i];
    return i;
  }
  void join(std::size_t a, std::size_t b) { pool_of_[root(b)] = root(a); }

  const std::vector<PartitionView>& partitions_;
  std::vector<std::size_t> pool_of_;
};

// What the firsts of a pool let go before them.
struct Limit {
  double score = 0;  // of the very first: whoever the order puts behind it stays behind
  WallTime over_by = endless;
};

class ShortJobs {
 public:
  ShortJobs(Pass& pass, double budget) : pass_(pass), pools_(pass.view()), budget_(budget) {
    find_limits();
  }

  void start(Tie tie) {
    Queue queue = pass_.queue(pass_.rules().order, tie);
    std::map<std::size_t, std::uint64_t> left;  // how many more of a class
    while (const auto turn = queue.next()) {
      if (pass_.is_full()) return;
      if (!may_go_first(*turn)) continue;
      const auto [at, is_new] = left.try_emplace(turn->class_index, 0);
      if (is_new && budget_ <= 0) return;
      if (is_new) at->second = take_from_budget(*turn);
      if (at->second == 0 || pass_.waits(*turn) || !pass_.start(*turn)) continue;
      --at->second;
      queue.again(turn->class_index);
    }
  }

 private:
  const JobShapes& shapes_of(const Turn& turn) const {
    return *pass_.view().classes[turn.class_index].shapes;
  }
  double score_of(const Turn& turn) const {
    return score(pass_.rules().order, pass_.view().classes[turn.class_index], pass_.job_of(turn),
                 pass_.view().now);
  }

  // The first of each partition has its say.
  void find_limits() {
    std::map<std::string, bool> seen;
    Queue queue = pass_.queue(pass_.rules().order);
    while (const auto turn = queue.next())
      for (const JobShape& shape : shapes_of(*turn)) {
        const auto pool = pools_.find(shape.partition);
        if (!pool || !seen.try_emplace(shape.partition, true).second) continue;
        const WallTime now = pass_.view().now;
        const PendingJob& job = pass_.job_of(*turn);
        const auto [at, is_new] = limits_.try_emplace(*pool);
        Limit& limit = at->second;
        if (is_new) limit.score = score_of(*turn);
        limit.over_by = std::min(limit.over_by, now + slack_after(now - job.submitted));
        if (const auto latest = pass_.latest_promised(job.id))
          limit.over_by = std::min(limit.over_by, *latest);
      }
  }

  // What it takes of licences the first might want.
  bool may_go_first(const Turn& turn) const {
    const double score = score_of(turn);
    const JobShapes& shapes = shapes_of(turn);
    return std::all_of(shapes.begin(), shapes.end(), [&](const JobShape& shape) {
      const auto pool = pools_.find(shape.partition);
      const auto length = length_of(shape.time_limit);
      if (!pool || !length || !shape.demand.licenses.empty()) return false;
      const Limit& limit = limits_.at(*pool);
      return score <= limit.score && pass_.view().now + *length <= limit.over_by;
    });
  }

  // All of the class that wait count, also those that do not fit now.
  std::uint64_t take_from_budget(const Turn& turn) {
    const double each = std::max(1.0, cpu_seconds_of(shapes_of(turn).front()));
    const std::uint64_t waiting = pass_.jobs_left(turn.class_index);
    const double affordable = std::floor(budget_ / each);
    budget_ -= each * static_cast<double>(waiting);
    return budget_ >= 0 ? waiting : static_cast<std::uint64_t>(affordable);
  }

  Pass& pass_;
  Pools pools_;
  double budget_;
  std::map<std::size_t, Limit> limits_;  // by pool
};

}  // namespace

Duration slack_after(Duration wait) {
  return std::chrono::minutes{5} + std::max(wait, Duration{0}) / 20;
}

QueueLoad load_of(const View& view) {
  QueueLoad load;
  view.nodes.for_each([&](std::uint32_t, const NodeView& node) {
    if (node.availability == Availability::available) load.cpus += node.shape.cpus;
    return true;
  });
  double squares = 0;
  for (const ClassView& of : view.classes) {
    const double each = cpu_seconds_of(of.shapes->front());
    if (!std::isfinite(each)) continue;
    double jobs = 0;
    for (const PendingJob& job : of.heads) jobs += job.copies;
    load.waiting += jobs * each;
    squares += jobs * each * length_s_of(of.shapes->front());
  }
  if (load.waiting > 0) load.length_s = squares / load.waiting;
  return load;
}

void start_short(Pass& pass, const QueueLoad& load) {
  // A short delay may carry the first past the start of a window, and so to its end.
  const auto& reservations = pass.view().reservations;
  if (reservations && !reservations->empty()) return;
  const bool is_deep = load.is_deep();
  ShortJobs jobs(pass, (is_deep ? deep_budget_s : shallow_budget_s) * load.cpus);
  jobs.start(is_deep ? Tie::smallest : Tie::shortest);
}

}  // namespace sluice
