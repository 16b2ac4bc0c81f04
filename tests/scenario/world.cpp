// world.cpp: the recorded outside of a core.
#include "tests/scenario/world.h"

#include <catch2/catch.hpp>

#include <sstream>

#include <fmt/format.h>

#include "daemon/core/account_rules.h"
#include "daemon/core/associate.h"
#include "daemon/core/priority.h"
#include "daemon/rpc/known_ends.h"
#include "daemon/rpc/past_use.h"
#include "daemon/sched/plan.h"

namespace sluice {
namespace {

ArrayRequest parse_array_text(const std::string& text) {
  ArrayRequest array;
  std::istringstream elements(text);
  for (std::string element; std::getline(elements, element, ',');) {
    unsigned first = 0;
    unsigned last = 0;
    if (std::sscanf(element.c_str(), "%u-%u%%%u", &first, &last, &array.max_running) >= 2)
      array.tasks.ranges.push_back({first, last, 1});
  }
  return array;
}

}  // namespace

ClusterConfig story_config(int count, const NodeDescription& node) {
  ClusterConfig config;
  config.disable_root_jobs = false;
  config.max_job_count = 100'000;
  config.max_array_size = 100'001;
  PartitionConfig partition{.name = "main", .is_default = true};
  for (int i = 1; i <= count; ++i) {
    NodeConfig configured{.name = fmt::format("n{}", i), .said = {"CPUs", "RealMemory"}};
    configured.shape.cpus = node.cpus;
    configured.shape.mem_mb = node.mem_mb;
    partition.nodes.push_back(configured.name);
    config.nodes.push_back(configured);
  }
  config.partitions.push_back(partition);
  config.timeouts.node_timeout_s = 30;
  config.timeouts.lease_s = 20;
  config.timeouts.kill_wait_s = 5;
  return config;
}

// --- rows --------------------------------------------------------------------------------------

void MemoryRows::commit(const StoreBatch& batch) {
  for (const JobRecordPtr& job : batch.jobs) jobs_[job->id] = *job;
  for (JobId id : batch.retired) retired_.insert(id);
  for (const StoredSpec& spec : batch.specs) specs_[spec.id] = spec.spec;
  for (const NodeRecordPtr& node : batch.nodes) nodes_[node->name] = *node;
  keys_.insert(keys_.end(), batch.keys.begin(), batch.keys.end());
  for (const Account& account : batch.accounts) accounts_.accounts[account.name] = account;
  for (const AccountUser& user : batch.users) accounts_.users[user.name] = user;
  for (const Association& row : batch.associations) accounts_.associations[row.id] = row;
  for (const Qos& qos : batch.qos) accounts_.qos[qos.id] = qos;
  for (const std::string& name : batch.reservations_removed) reservations_.erase(name);
  for (const Reservation& one : batch.reservations) reservations_[one.name] = one;
  runs_.insert(runs_.end(), batch.runs.begin(), batch.runs.end());
}

LoadedState MemoryRows::load() const {
  LoadedState loaded;
  for (const auto& [id, record] : jobs_) {
    loaded.highest_job = id;
    if (!retired_.contains(id)) loaded.jobs.push_back(std::make_shared<const JobRecord>(record));
  }
  for (const auto& [id, spec] : specs_) {
    loaded.highest_spec = id;
    loaded.specs.push_back({id, spec});
  }
  for (const SubmitKey& key : keys_)
    if (!retired_.contains(key.job)) loaded.keys.push_back(key);
  for (const auto& [name, node] : nodes_)
    loaded.nodes.push_back(std::make_shared<const NodeRecord>(node));
  loaded.accounts = accounts_;
  for (const auto& [name, reservation] : reservations_) loaded.reservations.push_back(reservation);
  return loaded;
}

namespace {

class MemoryHistory : public HistoryReader {
 public:
  MemoryHistory(const std::map<JobId, JobRecord>& jobs, const std::map<SpecId, JobSpecPtr>& specs,
                const std::vector<RunRecord>& runs)
      : jobs_(jobs), specs_(specs), runs_(runs) {}

  Result<void> query(const JobFilter& filter, bool,
                     const std::function<bool(const HistoryRow&)>& take) override {
    for (const auto& [id, job] : jobs_)
      for (const JobSelector& selector : filter.jobs)
        if (id == selector.job || (job.array && job.array->array_id == selector.job))
          if (!take({std::make_shared<const JobRecord>(job), specs_.at(job.spec), {}})) return {};
    return {};
  }
  Result<std::optional<HistoryRow>> find_job(JobId) override { return std::optional<HistoryRow>{}; }
  Result<void> runs_since(
      WallTime time,
      const std::function<void(const JobRecord&, const RunRecord*)>& take) override {
    for (const auto& [id, job] : jobs_)
      if (job.times.ended && *job.times.ended >= time) take(job, nullptr);
    for (const RunRecord& run : runs_)
      if (run.times.ended && *run.times.ended >= time) take(jobs_.at(run.id.job), &run);
    return {};
  }
  Result<std::string> read_blob(const std::string&) override { return std::string{}; }
  Result<void> events_after(std::int64_t, const std::function<bool(const StoredEvent&)>&) override {
    return {};
  }
  Result<std::optional<StoredEvent>> find_event(std::int64_t) override { return newest_event(); }
  Result<std::optional<StoredEvent>> newest_event() override { return std::optional<StoredEvent>{}; }

 private:
  const std::map<JobId, JobRecord>& jobs_;
  const std::map<SpecId, JobSpecPtr>& specs_;
  const std::vector<RunRecord>& runs_;
};

}  // namespace

std::unique_ptr<HistoryReader> MemoryRows::history() const {
  return std::make_unique<MemoryHistory>(jobs_, specs_, runs_);
}

// --- building ----------------------------------------------------------------------------------

World::World(std::shared_ptr<const ClusterConfig> config) : core(std::move(config)) {
  now.wall = wall_from_us(1'800'000'000'000'000);
  now.steady = steady_from_us(1'000'000'000);
}

World World::with_nodes(int count, const NodeDescription& node) {
  return with_config(story_config(count, node));
}

World World::with_config(const ClusterConfig& config) {
  World world(std::make_shared<const ClusterConfig>(config));
  world.core.recover({}, JobId{1}, world.now);
  world.feed(TimePassed{});
  for (const NodeConfig& node : config.nodes) {
    world.nodes_[node.name].description = {node.shape.cpus, node.shape.mem_mb};
    world.connect(node.name);
  }
  world.settle();
  return world;
}

JobSubmitted World::make_submit(const JobRequest& request) {
  JobSubmitted event;
  event.from = {7, next_key_};
  event.caller = {request.uid, request.uid, false};
  event.request.key = fmt::format("key{}", next_key_++);
  JobSpec& spec = event.request.spec;
  spec.name = request.name;
  spec.user = request.user;
  spec.mail = request.mail;
  spec.account = request.account;
  spec.qos = request.qos;
  spec.start.kill_on_invalid_dep = request.kill_on_invalid_dep;
  spec.uid = request.uid;
  spec.gid = request.uid;
  spec.request.nodes_min = request.nodes;
  spec.request.ntasks = std::max(request.ntasks, request.nodes);
  spec.request.cpus_per_task = request.cpus;
  spec.request.mem_per_cpu_mb = 100;
  if (request.asked) spec.request = *request.asked;
  spec.placement = request.placement;
  spec.start.requeue = request.requeue;
  spec.start.hold = request.hold;
  spec.start.dependency = request.dependency;
  spec.start.array = parse_array_text(request.array);
  spec.start.time_limit = TimeLimit{request.time_limit_min == 0, request.time_limit_min,
                                   request.limit_seconds};
  spec.start.time_min = request.time_min;
  if (request.begin_in) spec.start.begin = now.wall + *request.begin_in;
  if (request.deadline_in) spec.start.deadline = now.wall + *request.deadline_in;
  spec.batch.work_dir = "/tmp";
  spec.batch.script_id = "script";
  event.script = {"script", std::make_shared<const std::string>("#!/bin/sh\n")};
  event.environment = {"environment", std::make_shared<const std::string>()};
  event.history = known_ends(*rows_.history(), jobs_to_look_up(core.state, request.dependency));
  return event;
}

template <class Message>
Message World::last_reply() const {
  REQUIRE_FALSE(replies_.empty());
  REQUIRE(replies_.back().type == Message::type);
  return from_bytes<Message>(replies_.back().payload).value();
}

// --- users -------------------------------------------------------------------------------------

JobId World::submit(const JobRequest& request) {
  feed(make_submit(request));
  return last_reply<SubmitReply>().job;
}

Error World::submit_refused(const JobRequest& request) {
  feed(make_submit(request));
  const auto reply = last_reply<ErrorReply>();
  return {reply.code, reply.detail};
}

ActionReply World::cancel(const JobFilter& filter, std::uint32_t uid) {
  feed(JobsCancelled{{7, 1}, {uid, uid, uid == 0}, CancelJobs{.filter = filter}});
  return last_reply<ActionReply>();
}

ActionReply World::signal(const JobFilter& filter, std::uint32_t signal) {
  feed(JobsCancelled{{7, 1}, {1000, 1000, false}, CancelJobs{.filter = filter, .signal = signal}});
  return last_reply<ActionReply>();
}

ActionReply World::update(UpdateJobs request, std::uint32_t uid, bool is_admin) {
  JobsUpdated event{{7, 1}, {uid, uid, is_admin}, std::move(request)};
  event.history = known_ends(*rows_.history(),
                             jobs_to_look_up(core.state, event.request.spec.start.dependency));
  feed(event);
  return last_reply<ActionReply>();
}

void World::set_ends(const EndConfig& ends) {
  ClusterConfig config = *core.state.config;
  config.ends = ends;
  feed(ConfigChanged{config, RequestRef{7, 1}});
  (void)last_reply<OkReply>();  // after the change, so that who was answered sees it
}

void World::set_priority_rule(const PriorityConfig& priority) {
  ClusterConfig config = *core.state.config;
  config.priority = priority;
  configure(config);
}

void World::configure(const ClusterConfig& config) {
  feed(ConfigChanged{config, RequestRef{7, 1}});
  (void)last_reply<OkReply>();
}

void World::set_accounts(const AccountBook& book) {
  StoreBatch rows;
  for (const auto& [name, account] : book.accounts) rows.accounts.push_back(account);
  for (const auto& [name, user] : book.users) rows.users.push_back(user);
  for (const auto& [id, row] : book.associations) rows.associations.push_back(row);
  for (const auto& [id, qos] : book.qos) rows.qos.push_back(qos);
  rows_.commit(rows);
  core.state.accounts = std::make_shared<const AccountBook>(known_book(rows_.load().accounts));
  core.state.refresh_limits();
  feed(TimePassed{});
}

void World::charge_to(JobId job, AssociationId association, QosId qos) {
  State& state = core.state;
  const std::uint32_t class_id = state.find_job(job)->class_id;
  std::vector<PartitionChoice> choices;
  if (class_id != 0)
    for (const JobShape& shape : *state.classes.at(class_id).shapes)
      choices.push_back({shape.partition, shape.demand, shape.time_limit, association, qos});
  state.dequeue(job);
  state.recount_live(job, [&](JobRecord& record) {
    record.association = association;
    record.qos = qos;
  });
  if (!choices.empty()) state.enqueue(job, choices);
  feed(TimePassed{});
}

std::uint64_t World::priority_of(JobId job) const {
  return shown_priority(*core.state.ranking, record(job));
}

Result<ChangeAccountsReply> World::change_accounts(ChangeAccounts change, std::uint32_t uid,
                                                   const std::string& user) {
  if (change.based_on == 0) change.based_on = version_of(*core.state.accounts);
  feed(AccountsChanged{{7, 1}, {uid, uid, uid == 0}, user, std::move(change)});
  if (replies_.back().type == ErrorReply::type) {
    const auto refused = last_reply<ErrorReply>();
    return Error{refused.code, refused.detail};
  }
  return last_reply<ChangeAccountsReply>();
}

void World::update_node(const std::string& node, NodeAction action, const std::string& reason) {
  feed(NodesUpdated{{7, 1}, {0, 0, true}, {{node}, action, reason}});
  (void)last_reply<OkReply>();
}

std::string World::reserve(const ChangeReservation& request) {
  feed(ReservationChanged{{7, 1}, {0, 0, true}, request});
  return last_reply<ReservationChangedReply>().name;
}

Error World::reserve_refused(const ChangeReservation& request, bool is_admin) {
  feed(ReservationChanged{{7, 1}, {is_admin ? 0U : 1000U, 0, is_admin}, request});
  const auto reply = last_reply<ErrorReply>();
  return {reply.code, reply.detail};
}

// --- nodes -------------------------------------------------------------------------------------

void World::connect(const std::string& name) {
  FakeNode& node = nodes_.at(name);
  node.connected = true;
  node.connection = ++next_connection_ + 100;
  RegisterNode body;
  body.name = name;
  body.identity.boot_id = node.boot_id;
  body.identity.spool_id = "spool-" + name;
  body.identity.address = "127.0.0.1";
  body.identity.host = "host1";
  body.identity.agent_started = wall_from_us(1'800'000'000'000'000);
  body.shape.cpus = node.description.cpus;
  body.shape.mem_mb = node.description.mem_mb;
  const auto report = [&](const FakeRun& run, PartState state) {
    const LaunchOrder& order = run.order;
    body.runs.push_back({.id = order.id,
                         .state = state,
                         .started_wall = run.started,
                         .exit = {},
                         .role = order.role,
                         .uid = order.uid,
                         .job_name = order.job_name,
                         .partition = order.partition,
                         .share = order.share,
                         .work_dir = order.work_dir,
                         .time_limit_s = order.time_limit_s});
  };
  for (const auto& [id, run] : node.runs) report(run, PartState::started);
  for (const auto& [id, run] : node.ended) {
    report(run, PartState::over);
    body.runs.back().exit = node.exits.at(id);
  }
  feed(NodeRegistered{node.connection, 1, body});
}

Error World::connect_refused(const std::string& name) {
  RegisterNode body;
  body.name = name;
  body.identity.spool_id = "another spool";
  feed(NodeRegistered{7, 1, body});
  const auto reply = last_reply<ErrorReply>();
  return {reply.code, reply.detail};
}

void World::disconnect(const std::string& name) {
  FakeNode& node = nodes_.at(name);
  node.connected = false;
  feed(NodeDisconnected{name, node.connection});
}

void World::reboot(const std::string& name) {
  FakeNode& node = nodes_.at(name);
  if (node.connected) disconnect(name);
  node.runs.clear();
  node.muted = false;
  node.boot_id += "'";
  connect(name);
}

void World::mute(const std::string& name) { nodes_.at(name).muted = true; }

std::string World::node_of(JobId job) const {
  return core.state.job(job).allocation.shares.front().node;
}

std::optional<std::uint32_t> World::limit_on_node(JobId job) const {
  return nodes_.at(node_of(job)).runs.at({job, record(job).run}).order.time_limit_s;
}

int World::alive(JobId job) const {
  int copies = 0;
  for (const auto& [name, node] : nodes_)
    for (const auto& [id, run] : node.runs)
      copies += id.job == job && run.order.role == PartRole::batch_host ? 1 : 0;
  return copies;
}

void World::exit(JobId job, ExitStatus status, Cause cause, bool node_fault) {
  const JobRecord record = core.state.job(job);
  end_run(record.allocation.shares.front().node, {job, record.run}, status, cause, node_fault);
  settle();
}

void World::end_run(const std::string& name, const RunId& id, ExitStatus status, const Cause& cause,
                    bool node_fault) {
  FakeNode& node = nodes_.at(name);
  auto run = node.runs.find(id);
  if (run == node.runs.end()) return;
  ExitRecord exit;
  exit.id = id;
  exit.node = name;
  exit.script_started = !node_fault;
  exit.status = status;
  exit.cause = cause;
  exit.node_fault = node_fault;
  exit.started_wall = run->second.started;
  exit.ended_wall = now.wall;
  exit.elapsed = now.wall - run->second.started;
  node.ended[id] = run->second;
  node.runs.erase(run);
  node.exits[id] = exit;
  if (node.connected) feed(RunExitedOnNode{name, {exit}});
}

void World::launch(FakeNode& node, const std::string& name, const LaunchOrder& order) {
  if (node.runs.contains(order.id) || node.exits.contains(order.id)) return;
  node.runs[order.id] = {order, now.wall};
  feed(RunAcceptedByNode{name, {order.id}});
  feed(RunStartedOnNode{name, {order.id, now.wall}});
}

void World::deliver(FakeNode& node, const std::string& name, const SendToNode& message) {
  if (message.type == MessageType::kill_run) {
    const KillRun kill = from_bytes<KillRun>(message.payload).value();
    if (node.runs.contains(kill.id)) {
      end_run(name, kill.id, {0, 15}, kill.cause, false);
    } else if (!node.exits.contains(kill.id)) {
      ExitRecord exit;
      exit.id = kill.id;
      exit.cause = {CauseKind::supervisor_lost, std::nullopt, "never seen"};
      feed(RunExitedOnNode{name, {exit}});
    }
  } else if (message.type == MessageType::set_time_limit) {
    const SetTimeLimit changed = from_bytes<SetTimeLimit>(message.payload).value();
    if (auto run = node.runs.find(changed.id); run != node.runs.end())
      run->second.order.time_limit_s = changed.time_limit_s;
  } else if (message.type == MessageType::exit_committed) {
    const RunId id = from_bytes<ExitCommitted>(message.payload).value().id;
    node.exits.erase(id);
    node.ended.erase(id);
  }
}

// --- the loop ----------------------------------------------------------------------------------

void World::feed(const Event& event) {
  Effects out;
  core.on(event, now, out);
  rows_.commit(core.state.take_batch());
  if (!core.state.starts_held_until) is_restored_ = false;
  check();
  for (const Effect& effect : out.list) pending_.push_back(effect);
  while (!pending_.empty()) {
    const Effect next = pending_.front();
    pending_.erase(pending_.begin());
    perform(next);
  }
}

void World::perform(const Effect& effect) {
  if (const auto* reply = std::get_if<SendReply>(&effect)) {
    if (reply->to.connection == 7) replies_.push_back(*reply);
    return;
  }
  if (const auto* wanted = std::get_if<ReserveIds>(&effect))
    return feed(IdsReserved{wanted->lowest, JobId{wanted->lowest.value + wanted->count}});
  if (const auto* mail = std::get_if<SendMail>(&effect)) return mails_.push_back(*mail);
  if (const auto* start = std::get_if<SendLaunch>(&effect)) {
    FakeNode& node = nodes_.at(start->node);
    if (node.connected && !node.muted) launch(node, start->node, start->order);
    return;
  }
  if (const auto* send = std::get_if<SendToNode>(&effect)) {
    FakeNode& node = nodes_.at(send->node);
    if (node.connected && !node.muted) deliver(node, send->node, *send);
  }
}

void World::settle() {
  for (int turn = 0; turn < 1000 && core.state.plan_wanted; ++turn) {
    core.state.plan_wanted = false;
    feed(PlanReady{make_plan(core.state.make_view(now))});
  }
}

void World::pass(Duration time) {
  for (Duration done{}; done < time; done += std::chrono::seconds{1}) {
    now.wall += std::chrono::seconds{1};
    now.steady += std::chrono::seconds{1};
    for (auto& [name, node] : nodes_) {
      if (!node.connected) continue;
      const std::uint64_t nonce = core.state.find_node(name)->nonce;
      feed(NodeAnswered{name, node.connection, {.echo = nonce}});
    }
    feed(TimePassed{});
    settle();
  }
}

void World::restart_controller() {
  const JobId floor = core.state.ids_end;
  Core fresh(core.state.config);
  LoadedState loaded = rows_.load();
  loaded.unrecorded = unrecorded_;
  loaded.is_restored = is_restored_;
  fresh.recover(loaded, floor, now);
  REQUIRE(count_past_use(*rows_.history(), fresh.state, now));
  core = std::move(fresh);
  for (auto& [name, node] : nodes_) node.connection = 0;
  check();
  feed(TimePassed{});
}

void World::restore(const MemoryRows& earlier) {
  for (auto& [name, node] : nodes_) node.connected = false;
  rows_ = earlier;
  unrecorded_.push_back({JobId{rows_.load().highest_job.value + 1}, core.state.ids_end});
  is_restored_ = true;
  restart_controller();
}

void World::check() const {
  check_invariants(core.state);
  const LoadedState loaded = rows_.load();
  REQUIRE(loaded.jobs.size() == core.state.jobs.size());
  for (const JobRecordPtr& job : loaded.jobs) REQUIRE(*job == core.state.job(job->id));
  REQUIRE(known_book(loaded.accounts) == *core.state.accounts);
  REQUIRE(loaded.reservations.size() == core.state.reservations->size());
  for (const Reservation& one : loaded.reservations)
    REQUIRE(one == core.state.reservations->at(one.name));
}

}  // namespace sluice
