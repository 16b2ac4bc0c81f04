// core.cpp: dispatch, and the steps that follow every event.
#include "daemon/core/core.h"

#include <algorithm>

#include "daemon/core/handlers.h"
#include "daemon/core/priority.h"
#include "daemon/core/reservations.h"
#include "daemon/core/steps.h"

namespace sluice {
namespace {

constexpr std::uint32_t id_block = 10'000;

struct Dispatch {
  State& state;
  const Now& now;
  Effects& out;

  void operator()(const JobSubmitted& e) const { on_job_submitted(state, e, now, out); }
  void operator()(const JobsCancelled& e) const { on_jobs_cancelled(state, e, now, out); }
  void operator()(const JobsUpdated& e) const { on_jobs_updated(state, e, now, out); }
  void operator()(const NodesUpdated& e) const { on_nodes_updated(state, e, now, out); }
  void operator()(const JobAwaited& e) const { on_job_awaited(state, e, out); }
  void operator()(const ClientGone& e) const {
    for (auto& [job, waiting] : state.waiters)
      std::erase_if(waiting, [&](const RequestRef& ref) { return ref.connection == e.connection; });
    std::erase_if(state.waiters, [](const auto& item) { return item.second.empty(); });
  }
  void operator()(const NodeRegistered& e) const { on_node_registered(state, e, now, out); }
  void operator()(const NodeAnswered& e) const { on_node_answered(state, e, now, out); }
  void operator()(const NodeDisconnected& e) const { on_node_disconnected(state, e, now); }
  void operator()(const RunAcceptedByNode& e) const { on_run_accepted(state, e, now, out); }
  void operator()(const RunRefusedByNode& e) const { on_run_refused(state, e, now, out); }
  void operator()(const RunStartedOnNode& e) const { on_run_started(state, e, now, out); }
  void operator()(const RunExitedOnNode& e) const { on_run_exited(state, e, now, out); }
  void operator()(const PlanReady& e) const { on_plan_ready(state, e, now, out); }
  void operator()(const IdsReserved& e) const {
    // The block need not begin where the former one ended: agents may have reported higher ids.
    if (state.next_job >= state.ids_end) state.next_job = std::max(state.next_job, e.first);
    state.ids_end = std::max(state.ids_end, e.end);
    state.ids_asked = false;
    state.plan_wanted = true;
  }
  void operator()(const ConfigChanged& e) const {
    state.set_config(std::make_shared<const ClusterConfig>(e.config));
    refresh_reservations(state, now);
    settle_all_pending(state, now);
    if (e.asked_by) out.reply(*e.asked_by, OkReply{});
  }
  void operator()(const ReservationChanged& e) const {
    on_reservation_changed(state, e, now, out);
  }
  void operator()(const AccountsChanged& e) const { on_accounts_changed(state, e, now, out); }
  void operator()(const AllocationAwaited& e) const { on_allocation_awaited(state, e, now, out); }
  void operator()(const JobReleased& e) const { on_job_released(state, e, now, out); }
  void operator()(const StepAsked& e) const { on_step_asked(state, e, now, out); }
  void operator()(const StepSignalled& e) const { on_step_signalled(state, e, now, out); }
  void operator()(const StepStartedOnNode& e) const { on_step_started(state, e, now, out); }
  void operator()(const StepRefusedByNode& e) const { on_step_refused(state, e, now, out); }
  void operator()(const StepExitedOnNode& e) const { on_step_exited(state, e, now, out); }
  void operator()(const StepsFoundOnNode& e) const { on_steps_found(state, e, now, out); }
  void operator()(const StepsMeasuredOnNode& e) const { on_steps_measured(state, e, now, out); }
  void operator()(const TimePassed&) const {
    release_starts(state, now);
    check_silent_nodes(state, now, out);
    check_launches(state, now, out);
    look_at_reservations(state, now, out);
    look_again(state, now, out);
    if (state.plan_again_at && *state.plan_again_at <= now.wall) {
      state.plan_again_at.reset();
      state.plan_wanted = true;
    }
    send_limit_mails(state, now, out);
    retire_due(state, now);
  }
};

}  // namespace

void Core::on(const Event& event, const Now& now, Effects& out) {
  std::visit(Dispatch{state, now, out}, event);
  keep_ranking(state, now);
  ask_for_ids(state, out);
}

std::optional<SteadyTime> Core::next_timer(const Now& now) const {
  // Silence, launches and fencing are measured in seconds: a look a second while nodes are known.
  std::optional<SteadyTime> next;
  if (!state.nodes.empty()) next = now.steady + std::chrono::seconds{1};
  if (!state.retire_at.empty()) {
    const SteadyTime due = std::max(state.retire_at.begin()->first, now.steady);
    next = next ? std::min(*next, due) : due;
  }
  if (!state.look_again_at.empty()) {
    // By the wall clock, which may be set: where nodes are known it is looked at every second.
    const Duration left = state.look_again_at.begin()->first - now.wall;
    const SteadyTime due = now.steady + std::max(left, Duration::zero());
    next = next ? std::min(*next, due) : due;
  }
  if (state.plan_again_at) {
    const SteadyTime due = now.steady + std::max(*state.plan_again_at - now.wall, Duration::zero());
    next = next ? std::min(*next, due) : due;
  }
  if (const auto at = next_reservation_change(state, now.wall)) {
    const SteadyTime due = now.steady + std::max(*at - now.wall, Duration::zero());
    next = next ? std::min(*next, due) : due;
  }
  if (const std::optional<WallTime> due = next_ranking(state)) {
    const SteadyTime at = now.steady + std::max(*due - now.wall, Duration::zero());
    next = next ? std::min(*next, at) : at;
  }
  if (!state.limit_mails.empty()) {
    const Duration left = state.limit_mails.begin()->at - now.wall;
    const SteadyTime due = now.steady + std::max(left, Duration::zero());
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

void audit(State& state, const Now& now, const char* kind, JobId job, const std::string& node,
           std::uint32_t uid, std::string text) {
  state.extra.audit.push_back({now.wall, kind, job, node, uid, std::move(text)});
}

void ask_for_ids(State& state, Effects& out) {
  const bool none_left = state.next_job >= state.ids_end;
  if (state.ids_asked || (!none_left && state.ids_end.value - state.next_job.value > id_block / 2))
    return;
  state.ids_asked = true;
  out.list.push_back(ReserveIds{std::max(state.next_job, state.ids_end), id_block});
}

JobId take_id(State& state) {
  ASSERT(state.next_job < state.ids_end);
  return JobId{state.next_job.value++};
}

Duration loss_margin(const ClusterConfig& config) {
  return std::chrono::seconds{config.timeouts.lease_s + config.timeouts.kill_wait_s + 5};
}

}  // namespace sluice
