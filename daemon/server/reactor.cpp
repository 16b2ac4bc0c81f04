// reactor.cpp: turns, commits and effects.
#include "daemon/server/reactor.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdlib>

#include "common/base/clock.h"
#include "common/log/log.h"
#include "common/net/content_id.h"
#include "common/wire/frame.h"
#include "daemon/core/launch.h"
#include "daemon/core/outlook.h"
#include "daemon/rpc/foresee.h"
#include "daemon/rpc/past_use.h"
#include "daemon/sched/plan.h"

namespace sluice {
namespace {

// What a restored state did not know of; an administrator has to see it without asking.
void log_adopted(const StoreBatch& batch) {
  for (const AuditRow& row : batch.audit)
    if (row.kind == "run_adopted")
      log_warning("job {} runs on {} and was adopted{}{}", row.job.value, row.node,
                  row.text.empty() ? "" : ": ", row.text);
}

}  // namespace

namespace {
// So many times as long as a full pass took no other is made: the planner's time is for starts.
constexpr int full_plan_rest = 10;

double seconds_since(SteadyTime from) {
  return std::chrono::duration<double>(read_clocks().steady - from).count();
}
}  // namespace

struct Reactor::Timer {
  explicit Timer(IoContext& io) : timer(io), full_plan(io) {}
  boost::asio::steady_timer timer;
  boost::asio::steady_timer full_plan;
};

Reactor::Reactor(IoContext& io, ReactorParts parts)
    : io_(io),
      parts_(std::move(parts)),
      core_(parts_.config),
      sessions_(*this),
      watchers_(
          io, [this](const RequestRef& to, ReadTask task) { read(to, std::move(task)); },
          [this](const RequestRef& ref) { return sessions_.find(ref.connection) != nullptr; }),
      statistics_(read_clocks().wall),
      timer_(std::make_unique<Timer>(io)),
      purger_(io, *parts_.store, store_thread_,
              [this](const RequestRef& to, const Result<PurgeReply>& reply) {
                if (Session* session = sessions_.find(to.connection))
                  session->answer_or_refuse(to.request, reply);
              }),
      mailer_(parts_.admin_uid),
      metrics_(io, [this](std::function<void(std::string)> then) { scrape(std::move(then)); }) {
  sessions_.set_admin_hosts(parts_.config->admin_hosts);
}

Reactor::~Reactor() = default;

void Reactor::recover() {
  const LoadedState loaded = std::exchange(parts_.loaded, {});
  const Now now = read_clocks();
  core_.recover(loaded, parts_.id_floor->floor(), now);
  if (const auto counted = count_past_use(*parts_.loop_history, core_.state, now); !counted)
    log_error("past usage does not count: {}", to_text(counted.error()));
  committed_ = std::make_shared<const Snapshot>(core_.state.snapshot());
  log_info("{} jobs and {} nodes restored; next job id {}", loaded.jobs.size(),
           core_.state.node_ids.size(), core_.state.next_job.value);
  feed(TimePassed{});  // reserves the first block of ids
  arm_timer();
}

void Reactor::accept(ConnectionPtr connection) {
  sessions_.accept(std::move(connection), parts_.admin_uid);
}

// --- turns -------------------------------------------------------------------------------------

void Reactor::feed(Event event) {
  if (const auto* gone = std::get_if<ClientGone>(&event)) watchers_.forget(gone->connection);
  core_.on(event, read_clocks(), gathered_);
  release_urgent(gathered_.list);
  end_turn_soon();
}

// Everything that the loop finds ready now belongs to one turn.
void Reactor::end_turn_soon() {
  if (turn_scheduled_) return;
  turn_scheduled_ = true;
  boost::asio::post(io_, [this] {
    turn_scheduled_ = false;
    end_turn();
  });
}

void Reactor::end_turn() {
  if (parts_.id_floor->is_restored() && !core_.state.starts_held_until) settle_restore();
  plan_if_wanted();
  commit_if_free();
}

// Until this is on disk a crash only makes the next controller wait again.
void Reactor::settle_restore() {
  if (const auto done = parts_.id_floor->forget_restore(); !done)
    log_error("the restore cannot be noted as over: {}", to_text(done.error()));
  else log_info("the restore is over: jobs start again");
}

void Reactor::plan_if_wanted() {
  State& state = core_.state;
  if (planning_ || stopping_ || !state.plan_wanted) return;
  state.plan_wanted = false;
  if (state.classes.empty()) return;
  planning_ = true;
  const Now now = read_clocks();
  const bool is_full = now.steady >= full_plan_from_;
  auto view = std::make_shared<const View>(state.make_view(now));
  planner_thread_.post([this, view, is_full] {
    const SteadyTime from = read_clocks().steady;
    auto plan = std::make_shared<Plan>(is_full ? make_plan(*view) : make_quick_plan(*view));
    const SteadyTime to = read_clocks().steady;
    PassFigures pass{.is_full = is_full, .took = to - from};
    for (const ClassView& of_class : view->classes) pass.depth += of_class.heads.size();
    pass.backfilled = count_backfilled(*view, *plan);
    boost::asio::post(io_, [this, plan, is_full, from, to, pass] {
      planning_ = false;
      totals_.plan_s.add(std::chrono::duration<double>(to - from).count());
      statistics_.add(pass, read_clocks().wall);
      if (is_full) full_plan_from_ = to + full_plan_rest * (to - from);
      else plan_fully_later();
      feed(PlanReady{std::move(*plan)});
    });
  });
}

StatisticsReply Reactor::statistics() {
  StatisticsReply reply = statistics_.reply(core_.state, totals_, read_clocks().wall);
  reply.connections = sessions_.count();
  reply.rows_waiting = committing_ ? 1 : 0;
  return reply;
}

void Reactor::reset_statistics() {
  statistics_.reset(core_.state.totals, totals_, read_clocks().wall);
}

void Reactor::plan_fully_later() {
  if (std::exchange(full_plan_waits_, true)) return;
  timer_->full_plan.expires_after(full_plan_from_ - read_clocks().steady);
  timer_->full_plan.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    full_plan_waits_ = false;
    core_.state.plan_wanted = true;
    end_turn_soon();
  });
}

// With an outlook where somebody waits for one.
std::shared_ptr<const Snapshot> Reactor::take_snapshot() {
  Snapshot snapshot = core_.state.snapshot();
  if (!foreseeing_.empty()) snapshot.outlook = make_outlook(core_.state, read_clocks());
  return std::make_shared<const Snapshot>(std::move(snapshot));
}

// Who asked while a commit was under way is served by it too: it has all that was answered before.
void Reactor::start_foreseeing() {
  if (!committed_->outlook) {
    if (!foreseeing_.empty()) end_turn_soon();
    return;
  }
  for (auto& [to, task] : std::exchange(foreseeing_, {})) read(to, std::move(task));
}

void Reactor::foresee(const RequestRef& to, ReadTask task) {
  foreseeing_.emplace_back(to, std::move(task));
  end_turn_soon();
}

void Reactor::commit_if_free() {
  if (committing_) return;
  if (!core_.state.has_dirty_rows()) {
    std::vector<Effect> effects = std::move(gathered_.list);
    gathered_.list.clear();
    if (effects.empty() && committed_->number == core_.state.snapshot_number) {
      // Nothing was promised; what is not stored (vitals, waits) may be shown.
      committed_ = take_snapshot();
      start_foreseeing();
      return;
    }
    committed_ = take_snapshot();
    for (Effect& effect : effects) perform(effect);
    start_foreseeing();
    return;
  }
  committing_ = true;
  ++core_.state.snapshot_number;
  auto batch = std::make_shared<const StoreBatch>(core_.state.take_batch());
  log_adopted(*batch);
  auto snapshot = take_snapshot();
  auto effects = std::make_shared<std::vector<Effect>>(std::move(gathered_.list));
  gathered_.list.clear();
  store_thread_.post([this, batch, snapshot, effects] {
    const SteadyTime from = read_clocks().steady;
    auto committed = std::make_shared<const Result<void>>(parts_.store->commit(*batch));
    const double seconds = seconds_since(from);
    boost::asio::post(io_, [this, committed, snapshot, effects, seconds] {
      totals_.commit_s.add(seconds);
      on_committed(*committed, snapshot, std::move(*effects));
    });
  });
}

void Reactor::on_committed(const Result<void>& committed, std::shared_ptr<const Snapshot> snapshot,
                           std::vector<Effect> effects) {
  if (!committed) {
    // Memory is ahead of the disk: nothing that was not committed may be answered or started.
    log_critical("commit failed: {}; ending", to_text(committed.error()));
    close_log();
    std::_Exit(1);
  }
  committing_ = false;
  committed_ = std::move(snapshot);
  for (Effect& effect : effects) perform(effect);
  start_foreseeing();
  watchers_.on_committed();
  end_turn();
}

// --- effects -----------------------------------------------------------------------------------

// What promises nothing need not wait for the disk: a stalled disk must not let leases lapse.
void Reactor::release_urgent(std::vector<Effect>& effects) {
  std::erase_if(effects, [this](Effect& effect) {
    auto* send = std::get_if<SendToNode>(&effect);
    if (!send || !send->urgent) return false;
    perform(effect);
    return true;
  });
}

void Reactor::perform(Effect& effect) {
  if (auto* reply = std::get_if<SendReply>(&effect)) {
    Session* session = sessions_.find(reply->to.connection);
    if (!session) return;
    if (reply->type == MessageType::error_reply) count_refusal();
    if (reply->type == MessageType::node_accepted) fill_acceptance(*session, *reply);
    session->send(reply->to.request, reply->type, std::move(reply->payload));
  } else if (auto* send = std::get_if<SendToNode>(&effect)) {
    if (Session* session = sessions_.find_node(send->node))
      session->send(0, send->type, std::move(send->payload));
  } else if (auto* launch = std::get_if<SendLaunch>(&effect)) {
    send_launch(*launch);
  } else if (auto* close = std::get_if<CloseConnection>(&effect)) {
    sessions_.close(close->connection);
  } else if (auto* wanted = std::get_if<ReserveIds>(&effect)) {
    reserve_ids(*wanted);
  } else if (auto* mail = std::get_if<SendMail>(&effect)) {
    mailer_.send(core_.state.config->ends.mail_program, mail->subject, mail->to);
  } else if (auto* asked = std::get_if<Foresee>(&effect)) {
    foresee(asked->to, rpc::trial_task(asked->trial, asked->with_changes));
  }
}

void Reactor::send_launch(SendLaunch& launch) {
  Session* session = sessions_.find_node(launch.node);
  if (!session) return;  // it gets the order when it registers again
  if (!is_still_wanted(core_.state, launch)) return;
  LaunchOrder& order = launch.order;
  for (auto [id, bytes] : {std::pair{&order.script_id, &order.script},
                           std::pair{&order.environment_id, &order.environment}}) {
    if (id->empty()) continue;
    const auto blob = find_blob(*id);
    if (!blob) {
      log_error("job {}: content {} is not in the store: {}", order.id.job.value, *id,
                to_text(blob.error()));
      continue;
    }
    if ((*blob)->size() <= blob_inline_bytes_max) *bytes = **blob;
  }
  session->send(0, MessageType::launch_run, to_bytes(LaunchRun{std::move(order)}));
}

void Reactor::reserve_ids(const ReserveIds& wanted) {
  const auto block = parts_.id_floor->reserve_block(wanted.lowest, wanted.count);
  if (!block) {
    log_error("no job ids can be reserved: {}", to_text(block.error()));
    return;
  }
  feed(IdsReserved{block->first, block->end});
}

void Reactor::fill_acceptance(Session& session, SendReply& reply) {
  session.registered = true;
  auto accepted = from_bytes<NodeAccepted>(reply.payload);
  ASSERT(accepted.ok());
  if (auto secret = parts_.keys->current().witness_secret()) accepted->witness_key = *secret;
  reply.payload = to_bytes(*accepted);
}

Result<std::shared_ptr<const std::string>> Reactor::find_blob(const std::string& content_id) {
  if (auto cached = blobs_.find(content_id)) return cached;
  auto bytes = std::make_shared<const std::string>(TRY(parts_.loop_history->read_blob(content_id)));
  blobs_.put(content_id, bytes);
  return std::shared_ptr<const std::string>(bytes);
}

// --- timers and services -----------------------------------------------------------------------

void Reactor::arm_timer() {
  const Now now = read_clocks();
  const auto next = core_.next_timer(now);
  if (!next || stopping_) return;
  timer_->timer.expires_after(*next - now.steady);
  timer_->timer.async_wait([this](const boost::system::error_code& error) {
    if (error || stopping_) return;
    feed(TimePassed{});
    arm_timer();
  });
}

void Reactor::read(const RequestRef& to, ReadTask task) {
  auto snapshot = committed_;
  const WallTime as_of = read_clocks().wall;
  reader_thread_.post([this, to, task = std::move(task), snapshot, as_of] {
    ReadContext context{snapshot, *parts_.reader_history, as_of};
    task(context, [this, to](MessageType type, std::string payload) {
      boost::asio::post(io_, [this, to, type, bytes = std::move(payload)]() mutable {
        if (type == MessageType::error_reply) count_refusal();
        if (Session* session = sessions_.find(to.connection))
          session->send(to.request, type, std::move(bytes));
      });
    });
  });
}

// Of what is committed now; `then` is called on the loop.
void Reactor::scrape(std::function<void(std::string)> then) {
  auto totals = std::make_shared<const ServerTotals>(totals_);
  reader_thread_.post([this, totals, then = std::move(then), snapshot = committed_] {
    auto text = std::make_shared<std::string>(metrics_text(*snapshot, *totals));
    boost::asio::post(io_, [then, text] { then(std::move(*text)); });
  });
}

void Reactor::serve_metrics() { (void)move_metrics(core_.state.config->metrics_addr).ok(); }

// A place that is not new may be taken by another program since; that refuses no configuration.
Result<void> Reactor::move_metrics(const std::string& place) {
  const auto moved = metrics_.move_to(place);
  if (moved || place != core_.state.config->metrics_addr) return moved;
  log_error("/metrics is not served: {}", moved.error().detail);
  return {};
}

void Reactor::with_history(std::function<void(HistoryReader&)> look, std::function<void()> then) {
  reader_thread_.post([this, look = std::move(look), then = std::move(then)] {
    look(*parts_.reader_history);
    boost::asio::post(io_, then);
  });
}

void Reactor::with_user_names(std::uint32_t uid, std::uint32_t gid,
                              std::function<void(std::string, std::string)> then) {
  if (auto known = names_.find(uid, gid, read_clocks().steady))
    return then(known->user, known->group);
  names_thread_.post([this, uid, gid, then = std::move(then)] {
    auto names = std::make_shared<UserNames>(look_up_names(uid, gid));
    boost::asio::post(io_, [this, uid, gid, then, names] {
      names_.put(uid, gid, *names, read_clocks().steady);
      then(names->user, names->group);
    });
  });
}

bool Reactor::store_is_full() { return parts_.space && parts_.space->usable_bytes() == 0; }

Result<void> Reactor::reconfigure(std::optional<RequestRef> asked_by) {
  const ClusterConfig config = TRY(parts_.read_config());
  KeyRing keys = *parts_.keys;
  TRY(keys.reload(read_clocks()));
  TRY(move_metrics(config.metrics_addr));  // the last that may refuse
  *parts_.keys = std::move(keys);
  sessions_.set_admin_hosts(config.admin_hosts);
  feed(ConfigChanged{config, asked_by});
  sessions_.send_to_agents(MessageType::reconfigure_node, to_bytes(ReconfigureNode{}));
  log_info("configuration read again; {}", parts_.keys->description(read_clocks()));
  return {};
}

void Reactor::backup(const RequestRef& to, const std::string& path) {
  store_thread_.post([this, to, path] {
    auto done = std::make_shared<const Result<void>>(parts_.store->backup(path));
    boost::asio::post(io_, [this, to, done] {
      const Result<OkReply> reply = done->ok() ? Result<OkReply>{OkReply{}} : done->error();
      if (Session* session = sessions_.find(to.connection))
        session->answer_or_refuse(to.request, reply);
    });
  });
}

// What open jobs may still look at stays: the jobs they wait for, and arrays that are not over.
void Reactor::purge(const RequestRef& to, const PurgeJobs& wanted) {
  PurgeOrder order{.archive = wanted.path,
                   .cluster = core_.state.config->cluster_name,
                   .before = read_clocks().wall - std::chrono::seconds{wanted.older_s},
                   .keep = {}};
  for (const auto& [id, waiting] : core_.state.dependents) order.keep.push_back(id);
  for (const auto& [id, tasks] : core_.state.arrays) order.keep.push_back(id);
  purger_.ask(to, wanted, std::move(order));
}

void Reactor::shut_down() {
  log_info("asked to shut down");
  boost::asio::post(io_, [this] { finish(); });
}

std::string Reactor::content_id(std::string_view bytes) { return sluice::content_id(bytes); }

WallTime Reactor::now_wall() const { return read_clocks().wall; }

void Reactor::finish() {
  if (stopping_) return;
  stopping_ = true;
  timer_->timer.cancel();
  timer_->full_plan.cancel();
  planner_thread_.stop();
  names_thread_.stop();
  mailer_.stop();
  reader_thread_.stop();
  purger_.stop();
  store_thread_.stop();  // a commit under way is durable; its effects are found again at restart
  io_.stop();
}

}  // namespace sluice
