// replay.cpp: the outside of a core, as far as a trace needs one.
#include "daemon/replay/replay.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <queue>
#include <unordered_map>

#include "daemon/core/core.h"
#include "daemon/sched/plan.h"

namespace sluice {
namespace {

constexpr const char* node_name = "machine";
constexpr std::uint64_t node_connection = 1;
constexpr std::uint64_t user_connection = 2;

std::shared_ptr<const ClusterConfig> make_config(const ReplayRules& rules) {
  ClusterConfig config;
  config.max_job_count = UINT32_MAX;
  config.planning = rules.planning;
  NodeConfig node{.name = node_name, .said = {"CPUs", "RealMemory"}};
  node.shape.cpus = rules.cpus;
  node.shape.mem_mb = rules.cpus;  // a job that says nothing gets its cpus' part of the memory
  config.nodes.push_back(node);
  config.partitions.push_back({.name = "all", .nodes = {node_name}, .is_default = true});
  return std::make_shared<const ClusterConfig>(std::move(config));
}

TimeLimit limit_of(std::int64_t seconds) {
  return {.minutes = static_cast<std::uint32_t>(seconds / 60),
          .seconds = static_cast<std::uint32_t>(seconds % 60)};
}

struct End {
  std::int64_t at_s;
  std::size_t job;
  RunId run;

  bool operator>(const End& other) const {
    return std::tie(at_s, job) > std::tie(other.at_s, other.job);
  }
};

class Machine {
 public:
  Machine(const std::vector<TraceJob>& jobs, const ReplayRules& rules)
      : jobs_(jobs), starts_(jobs.size(), -1), core_(make_config(rules)) {
    set_clock(jobs.empty() ? 0 : jobs.front().submitted_s);
    core_.recover({}, JobId{1}, now_);
    RegisterNode body;
    body.name = node_name;
    body.identity.boot_id = "boot";
    body.identity.spool_id = "spool";
    body.shape = core_.state.config->nodes.front().shape;
    feed(NodeRegistered{node_connection, 1, body});
  }

  Result<std::vector<std::int64_t>> run() {
    std::size_t next = 0;
    while (const auto at_s = next_instant(next)) {
      set_clock(*at_s);
      while (!ends_.empty() && ends_.top().at_s <= *at_s) end_next_run();
      for (; next < jobs_.size() && jobs_[next].submitted_s <= *at_s; ++next) TRY(submit(next));
      plan();
      core_.state.forget_dirty();
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (starts_[i] < 0)
        return Error{ErrorCode::invalid_argument,
                     fmt::format("job {} was never started", jobs_[i].id)};
    return starts_;
  }

 private:
  void set_clock(std::int64_t seconds) {
    now_.wall = WallTime{std::chrono::seconds{seconds}};
    now_.steady = SteadyTime{std::chrono::seconds{seconds}};
  }
  std::int64_t seconds_now() const { return to_seconds(now_.wall); }

  std::optional<std::int64_t> next_instant(std::size_t next_job) const {
    std::optional<std::int64_t> at;
    const auto take = [&](std::int64_t seconds) { at = std::min(at.value_or(seconds), seconds); };
    if (next_job < jobs_.size()) take(jobs_[next_job].submitted_s);
    if (!ends_.empty()) take(ends_.top().at_s);
    if (core_.state.plan_again_at) take(to_seconds(*core_.state.plan_again_at));
    return at;
  }

  Result<void> submit(std::size_t index) {
    const TraceJob& job = jobs_[index];
    JobSubmitted event;
    event.from = {user_connection, 1};
    event.caller = {1000, 1000, false};
    JobSpec& spec = event.request.spec;
    spec.uid = 1000;
    spec.gid = 1000;
    spec.batch.work_dir = "/";
    spec.request.ntasks = 1;
    spec.request.cpus_per_task = job.cpus;
    spec.start.time_limit = limit_of(job.limit_s);
    const JobId id = core_.state.next_job;
    feed(event);
    if (refused_) return Error{refused_->code, fmt::format("job {}: {}", job.id, refused_->detail)};
    index_of_[id] = index;
    return {};
  }

  void plan() {
    State& state = core_.state;
    if (state.plan_again_at && *state.plan_again_at <= now_.wall) {
      state.plan_again_at.reset();
      state.plan_wanted = true;
    }
    while (std::exchange(state.plan_wanted, false))
      feed(PlanReady{make_plan(state.make_view(now_))});
  }

  void start(const LaunchOrder& order) {
    const std::size_t index = index_of_.at(order.id.job);
    starts_[index] = seconds_now();
    ends_.push({seconds_now() + jobs_[index].run_s, index, order.id});
    feed(RunAcceptedByNode{node_name, {order.id}});
    feed(RunStartedOnNode{node_name, {order.id, now_.wall}});
  }

  void end_next_run() {
    const End end = ends_.top();
    ends_.pop();
    ExitRecord exit;
    exit.id = end.run;
    exit.node = node_name;
    exit.script_started = true;
    exit.started_wall = WallTime{std::chrono::seconds{starts_[end.job]}};
    exit.ended_wall = now_.wall;
    exit.elapsed = exit.ended_wall - exit.started_wall;
    feed(RunExitedOnNode{node_name, {exit}});
    index_of_.erase(end.run.job);
  }

  void feed(const Event& event) {
    Effects out;
    core_.on(event, now_, out);
    for (const Effect& effect : out.list) perform(effect);
  }

  void perform(const Effect& effect) {
    if (const auto* launch = std::get_if<SendLaunch>(&effect)) return start(launch->order);
    if (const auto* wanted = std::get_if<ReserveIds>(&effect))
      return feed(IdsReserved{wanted->lowest, JobId{wanted->lowest.value + wanted->count}});
    const auto* reply = std::get_if<SendReply>(&effect);
    if (!reply || reply->to.connection != user_connection) return;
    if (reply->type != ErrorReply::type) return;
    if (const auto error = from_bytes<ErrorReply>(reply->payload); error.ok())
      refused_ = Error{error->code, error->detail};
  }

  const std::vector<TraceJob>& jobs_;
  std::vector<std::int64_t> starts_;
  Core core_;
  Now now_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::unordered_map<JobId, std::size_t> index_of_;  // of jobs that wait or run
  std::optional<Error> refused_;
};

}  // namespace

Result<std::vector<std::int64_t>> replay(const std::vector<TraceJob>& jobs,
                                         const ReplayRules& rules) {
  return Machine(jobs, rules).run();
}

}  // namespace sluice
