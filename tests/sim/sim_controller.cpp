// sim_controller.cpp: life and death, turns, commits and effects.
#include "tests/sim/sim_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/wire/frame.h"
#include "daemon/core/launch.h"
#include "daemon/rpc/past_use.h"
#include "daemon/sched/plan.h"

namespace sluice::sim {

SimController::SimController(Stage& stage)
    : stage_(stage),
      process_(stage.timeline, stage.random),
      vfs_(fmt::format("sim-{}", stage.seed), disk_) {
  clock_.steady_offset = stage.random.between(seconds(1), seconds(1'000'000));
}

// --- life --------------------------------------------------------------------------------------

Result<void> SimController::open_state() {
  const StoreOptions options{.path = "/state.db",
                             .vfs = vfs_.name(),
                             .synchronous_full = !stage_.breaks.synchronous_off,
                             .background_checkpoint = false,
                             .checkpoint_pages = 100};
  store_ = TRY(open_store(options));
  history_ = TRY(open_history(options));
  const LoadedState loaded = TRY(store_->load_all());
  id_floor_ = TRY(IdFloor::open(make_durable_value(disk_, "/id_floor"), loaded.highest_job));
  core_ = std::make_unique<Core>(stage_.config);
  core_->recover(loaded, id_floor_->floor(), now());
  return count_past_use(*history_, core_->state, now());
}

void SimController::start() {
  if (process_.lives()) return;
  process_.start();
  dying_ = false;
  effects_left_.reset();
  if (!open_state()) {
    lose_power();  // during the start: the only fault of the disk here
    process_.start();
    if (const auto opened = open_state(); !opened)
      throw Violation{"the state cannot be opened: " + to_text(opened.error())};
  }
  stage_.trace.line(fmt::format("controller starts with {} jobs, next id {}",
                                core_->state.jobs.size(), core_->state.next_job.value));
  stage_.ledger.check_nothing_lost(core_->state, *history_);
  feed(TimePassed{});
  arm_timer();
}

// What the process kept is gone; what it wrote stays.
void SimController::release() {
  process_.die();
  core_.reset();
  history_.reset();
  store_.reset();
  id_floor_.reset();
  gathered_ = {};
  sessions_.clear();
  blobs_.clear();
  turn_scheduled_ = committing_ = planning_ = false;
}

void SimController::kill() {
  if (!process_.lives()) return;
  stage_.trace.line("controller is killed");
  for (auto& [id, session] : sessions_) stage_.network.close(session.connection, 1);
  release();
}

void SimController::lose_power() {
  stage_.trace.line("controller's machine loses its power");
  for (auto& [id, session] : sessions_) stage_.network.vanish(session.connection, 1);
  release();
  disk_.power_loss(stage_.random.number());
  clock_.steady_offset = stage_.random.between(seconds(1), seconds(1'000'000));
}

// --- turns, as in daemon/server/reactor.cpp ----------------------------------------------------

void SimController::feed(Event event) {
  if (dying_) return;
  core_->on(event, now(), gathered_);
  stage_.ledger.check_state(core_->state);
  release_urgent();
  end_turn_soon();
}

void SimController::end_turn_soon() {
  if (turn_scheduled_) return;
  turn_scheduled_ = true;
  process_.after(stage_.random.between(Duration{0}, Duration{200}), [this] {
    turn_scheduled_ = false;
    end_turn();
  });
}

void SimController::end_turn() {
  plan_if_wanted();
  commit_if_free();
}

void SimController::plan_if_wanted() {
  State& state = core_->state;
  if (planning_ || !state.plan_wanted) return;
  state.plan_wanted = false;
  if (state.classes.empty()) return;
  planning_ = true;
  auto plan = std::make_shared<Plan>(make_plan(state.make_view(now())));
  process_.after(stage_.random.skewed(ms(1), stage_.random.one_in(50) ? seconds(3) : ms(50)), [this, plan] {
    planning_ = false;
    feed(PlanReady{std::move(*plan)});
  });
}

void SimController::commit_if_free() {
  if (committing_) return;
  if (!core_->state.has_dirty_rows()) {
    std::vector<Effect> effects = std::exchange(gathered_.list, {});
    return perform_all(effects);
  }
  committing_ = true;
  ++core_->state.snapshot_number;
  auto batch = std::make_shared<const StoreBatch>(core_->state.take_batch());
  auto effects = std::make_shared<std::vector<Effect>>(std::exchange(gathered_.list, {}));
  if (stage_.breaks.reply_before_commit) {
    perform_all(*effects);
    effects->clear();
  }
  commit(std::move(batch), std::move(effects));
}

// The batch reaches the disk somewhere between its begin and the news of it.
void SimController::commit(std::shared_ptr<const StoreBatch> batch,
                           std::shared_ptr<std::vector<Effect>> effects) {
  const Duration stall = std::max(Duration{0}, disk_stalled_until_ - stage_.timeline.now());
  const Duration before = stall + stage_.random.skewed(Duration{100}, ms(10));
  process_.after(before, [this, batch, effects] {
    const Result<void> committed = store_->commit(*batch);
    if (!committed) {
      stage_.trace.line("a commit failed: " + to_text(committed.error()));
      return lose_power();  // the only fault of the disk here
    }
    process_.after(stage_.random.skewed(Duration{10}, ms(5)), [this, effects] {
      committing_ = false;
      perform_all(*effects);
      if (!dying_) end_turn();
    });
  });
}

void SimController::release_urgent() {
  std::vector<Effect> urgent;
  std::erase_if(gathered_.list, [&](Effect& effect) {
    const auto* to_node = std::get_if<SendToNode>(&effect);
    if (!to_node || !to_node->urgent) return false;
    urgent.push_back(std::move(effect));
    return true;
  });
  perform_all(urgent);
}

// --- effects -----------------------------------------------------------------------------------

void SimController::perform_all(std::vector<Effect>& effects) {
  for (Effect& effect : effects) {
    if (dying_) return;
    perform(effect);
    if (!effects_left_ || --*effects_left_ > 0) continue;
    effects_left_.reset();
    dying_ = true;
    process_.after(Duration{0}, [this] { kill(); });
  }
}

void SimController::perform(Effect& effect) {
  if (auto* reply = std::get_if<SendReply>(&effect)) {
    send(reply->to.connection, reply->to.request, reply->type, std::move(reply->payload));
  } else if (auto* to_node = std::get_if<SendToNode>(&effect)) {
    const NodeEntry* node = core_->state.find_node(to_node->node);
    if (node) send(node->connection, 0, to_node->type, std::move(to_node->payload));
  } else if (auto* launch = std::get_if<SendLaunch>(&effect)) {
    send_launch(*launch);
  } else if (auto* closed = std::get_if<CloseConnection>(&effect)) {
    close(closed->connection);
  } else if (auto* wanted = std::get_if<ReserveIds>(&effect)) {
    reserve_ids(*wanted);
  }
}

void SimController::send(std::uint64_t connection, std::uint32_t request, MessageType type,
                         std::string payload) {
  const auto session = sessions_.find(connection);
  if (session == sessions_.end()) return;
  stage_.network.send(session->second.connection, 1,
                      [on_frame = session->second.on_frame, request, type,
                       bytes = std::move(payload)] { on_frame(request, type, bytes); });
}

void SimController::send_launch(SendLaunch& launch) {
  const NodeEntry* node = core_->state.find_node(launch.node);
  if (!node || !sessions_.contains(node->connection)) return;
  if (!is_still_wanted(core_->state, launch)) return;
  LaunchOrder& order = launch.order;
  for (auto [id, bytes] : {std::pair{&order.script_id, &order.script},
                           std::pair{&order.environment_id, &order.environment}}) {
    if (id->empty()) continue;
    const auto blob = content(*id);
    if (!blob) return;
    if (blob->size() <= blob_inline_bytes_max) *bytes = *blob;
  }
  stage_.trace.line(fmt::format("launch {}.{} on {}", order.id.job.value, order.id.run.value,
                                launch.node));
  send(node->connection, 0, MessageType::launch_run, to_bytes(LaunchRun{std::move(order)}));
}

void SimController::die_without_power() {
  dying_ = true;
  process_.after(Duration{0}, [this] { lose_power(); });
}

void SimController::reserve_ids(const ReserveIds& wanted) {
  const auto block = id_floor_->reserve_block(wanted.lowest, wanted.count);
  if (!block) return die_without_power();
  feed(IdsReserved{block->first, block->end});
}

void SimController::arm_timer() {
  const auto next = core_->next_timer(now());
  if (!next) return;
  process_.after(*next - now().steady, [this] {
    feed(TimePassed{});
    if (!dying_) arm_timer();
  });
}

// --- at rest -----------------------------------------------------------------------------------

bool SimController::is_settled() const {
  return process_.lives() && !dying_ && !committing_ && !planning_ && gathered_.list.empty() &&
         !core_->state.has_dirty_rows() && !core_->state.plan_wanted;
}

void SimController::check_at_rest() {
  const State& live = core_->state;
  const auto loaded = store_->load_all();
  if (!loaded) throw Violation{"the state cannot be read: " + to_text(loaded.error())};
  if (loaded->jobs.size() != live.jobs.size()) throw Violation{"reload has another number of jobs"};
  for (const JobRecordPtr& job : loaded->jobs) {
    const JobEntry* entry = live.find_job(job->id);
    if (!entry || entry->record != *job)
      throw Violation{fmt::format("job {} differs after a reload", job->id.value)};
  }
  if (loaded->keys.size() != live.submit_keys.size()) throw Violation{"reload has other keys"};
  for (const NodeRecordPtr& node : loaded->nodes)
    if (live.find_node(node->name)->record != *node)
      throw Violation{fmt::format("node {} differs after a reload", node->name)};
  if (known_book(loaded->accounts) != *live.accounts)
    throw Violation{"accounts differ after a reload"};
  if (loaded->reservations.size() != live.reservations->size())
    throw Violation{"reload has another number of reservations"};
  for (const Reservation& one : loaded->reservations)
    if (const auto at = live.reservations->find(one.name);
        at == live.reservations->end() || at->second != one)
      throw Violation{fmt::format("reservation {} differs after a reload", one.name)};
  stage_.ledger.check_ends(live, *history_);
}

}  // namespace sluice::sim
