// sim_node.cpp: boots, lives of the agent, and its wire.
#include "tests/sim/sim_node.h"

#include <fmt/format.h>

#include "common/wire/message_codec.h"

namespace sluice::sim {

SimNode::SimNode(Stage& stage, SimController& controller, std::string name, Host host)
    : stage_(stage),
      controller_(controller),
      machine_(stage, std::move(name), host),
      agent_(stage.timeline, stage.random),
      guard_(stage.timeline, stage.random) {}

// --- the machine -------------------------------------------------------------------------------

void SimNode::boot() {
  if (is_on_) return;
  is_on_ = true;
  ++machine_.boot;
  machine_.clock.steady_offset = stage_.random.between(seconds(1), seconds(100'000)) - stage_.timeline.now();
  stage_.trace.line(fmt::format("{} boots", name()));
  guard_.start();
  start_agent();
}

void SimNode::stop_processes() {
  is_on_ = false;
  machine_.is_paused = false;
  agent_.die();
  agent_.resume();
  guard_.die();
  guard_.resume();
  shepherds_.clear();
  supervisor_.reset();
  connected_ = false;
}

void SimNode::shut_down() {
  if (!is_on_) return;
  stage_.trace.line(fmt::format("{} shuts down", name()));
  if (connection_) stage_.network.close(connection_, 0);
  connection_.reset();
  stop_processes();
}

void SimNode::lose_power() {
  if (!is_on_) return;
  stage_.trace.line(fmt::format("{} loses its power", name()));
  if (connection_) stage_.network.vanish(connection_, 0);
  connection_.reset();
  stop_processes();
  constexpr Duration written_back = seconds(30);
  const Duration now = stage_.timeline.now();
  std::erase_if(machine_.spool, [&](const auto& entry) {
    return now - entry.second.written < written_back && stage_.random.one_in(3);
  });
  for (auto& [id, run] : machine_.spool)
    if (run.exit && !run.exit_synced && stage_.random.one_in(2)) run.exit.reset();
  for (RemovedRun& removed : removed_)
    if (now - removed.removed < seconds(5) && stage_.random.one_in(3))
      machine_.spool.emplace(removed.run.order.id, removed.run);
  removed_.clear();
}

void SimNode::pause_machine() {
  if (!is_on_ || machine_.is_paused) return;
  machine_.is_paused = true;
  agent_.pause();
  guard_.pause();
  for (auto& [id, shepherd] : shepherds_) shepherd->pause_machine();
}

void SimNode::resume_machine() {
  if (!is_on_ || !machine_.is_paused) return;
  machine_.is_paused = false;
  for (auto& [id, shepherd] : shepherds_) shepherd->resume_machine();
  guard_.resume();
  agent_.resume();
}

SimShepherd* SimNode::some_shepherd() {
  std::vector<SimShepherd*> living;
  for (auto& [id, shepherd] : shepherds_)
    if (shepherd->lives()) living.push_back(shepherd.get());
  return living.empty() ? nullptr : living[stage_.random.below(living.size())];
}

Task SimNode::pause_some_shepherd() {
  for (auto& [id, shepherd] : shepherds_) {
    if (!shepherd->lives() || stage_.random.one_in(2)) continue;
    shepherd->pause();
    return [this, stopped = id] {
      if (auto at = shepherds_.find(stopped); at != shepherds_.end()) at->second->resume();
    };
  }
  return {};
}

// --- lives of the agent ------------------------------------------------------------------------

void SimNode::start_agent() {
  if (!is_on_ || machine_.is_paused || agent_.lives()) return;
  stage_.trace.line(fmt::format("agent of {} starts", name()));
  agent_.start();
  dying_ = false;
  effects_left_.reset();
  timers_.clear();
  supervisor_ = std::make_unique<agent::Supervisor>(self(), machine_.now());
  find_runs();
  if (remembered_) feed(agent::AcceptanceFound{*remembered_});
  agent_.after(stage_.random.skewed(ms(1), ms(500)), [this] { dial(); });
}

agent::Self SimNode::self() const {
  agent::Self self;
  self.node = name();
  self.identity.host = name();
  self.identity.boot_id = fmt::format("boot {}", machine_.boot);
  self.identity.spool_id = "spool of " + name();
  return self;
}

void SimNode::reconfigure_agent() {
  if (agent_.lives()) agent_.receive([this] { feed(agent::Reconfigured{self(), {}}); });
}

void SimNode::find_runs() {
  std::vector<agent::RunFound> found;
  for (auto& [id, run] : machine_.spool) found.push_back(look_at(id, run));
  for (const agent::RunFound& run : found) feed(run);
}

agent::RunFound SimNode::look_at(const RunId& id, SpoolRun& run) {
  agent::RunFound found;
  found.order = run.order;
  found.started_wall = run.started_wall;
  found.record = run.exit;
  const auto shepherd = shepherds_.find(id);
  if (run.exit) found.as = agent::FoundAs::finished;
  else if (run.boot != machine_.boot) found.as = agent::FoundAs::rebooted;
  else if (shepherd != shepherds_.end() && shepherd->second->lives() && run.taken)
    found.as = agent::FoundAs::alive;
  else
    found.as = run.taken ? agent::FoundAs::shepherd_lost : agent::FoundAs::never_started;
  run.taken = true;  // a shepherd that comes now must leave
  return found;
}

void SimNode::kill_agent() {
  if (!agent_.lives() || (machine_.is_paused && !dying_)) return;
  stage_.trace.line(fmt::format("agent of {} is killed", name()));
  agent_.die();
  supervisor_.reset();
  if (connection_) stage_.network.close(connection_, 0);
  connection_.reset();
  connected_ = false;
}

void SimNode::feed(const agent::Event& event) {
  if (dying_) return;
  agent::Effects effects;
  supervisor_->on(event, machine_.now(), effects);
  for (const agent::Effect& effect : effects.take()) {
    carry_out(effect);
    if (!effects_left_ || --*effects_left_ > 0) continue;
    effects_left_.reset();
    dying_ = true;  // in the middle of its orders
    agent_.after(Duration{0}, [this] { kill_agent(); });
    return;
  }
}

void SimNode::on_shepherd_gone(RunId id) {
  agent_.receive([this, id] {
    const auto run = machine_.spool.find(id);
    if (run == machine_.spool.end()) return;
    if (run->second.exit) sync_later(id);
    feed(agent::ShepherdGone{id, run->second.exit});
  });
}

// --- the wire ----------------------------------------------------------------------------------

void SimNode::dial() {
  if (connection_) return;
  const bool reachable = stage_.network.can_send(machine_.host, 0) &&
                         stage_.network.can_send(0, machine_.host) && controller_.lives();
  if (!reachable)
    return agent_.after(stage_.random.between(ms(100), seconds(2)), [this] { dial(); });
  connection_ = stage_.network.connect(machine_.host, 0);
  const ConnectionRef connection = connection_;
  connection->ends[0].on_closed = [this, connection] {
    agent_.receive([this, connection] { on_disconnected(connection); });
  };
  OnFrame frame_in = [this, connection](std::uint32_t, MessageType type, const std::string& payload) {
    agent_.receive([this, connection, type, payload] { on_frame(connection, type, payload); });
  };
  Task accepted = [this, connection] {
    agent_.receive([this, connection] { on_connected(connection); });
  };
  stage_.network.send(connection, 0, [this, connection, frame_in, accepted] {
    controller_.accept(connection, name(), 0, frame_in, accepted);
  });
  agent_.after(seconds(5), [this, connection] {
    if (connection_ != connection || connected_) return;
    stage_.network.close(connection, 0);
    on_disconnected(connection);
  });
}

void SimNode::on_connected(const ConnectionRef& connection) {
  if (connection_ != connection || dying_) return;
  connected_ = true;
  feed(agent::Connected{});
}

void SimNode::on_disconnected(const ConnectionRef& connection) {
  if (connection_ != connection || dying_) return;
  connection_.reset();
  if (std::exchange(connected_, false)) {
    stage_.trace.line(fmt::format("agent of {} is disconnected", name()));
    feed(agent::Disconnected{});
  }
  agent_.after(stage_.random.skewed(ms(50), seconds(2)), [this] { dial(); });
}

void SimNode::reset_connection() {
  if (connection_) stage_.network.reset(connection_);
}

namespace {

template <class Message>
bool take_as(MessageType type, const std::string& payload, std::optional<agent::Event>& event) {
  if (type != Message::type) return false;
  event = from_bytes<Message>(payload).value();
  return true;
}

}  // namespace

void SimNode::on_frame(const ConnectionRef& connection, MessageType type,
                       const std::string& payload) {
  if (connection_ != connection) return;
  std::optional<agent::Event> event;
  const bool known =
      take_as<NodeAccepted>(type, payload, event) ||
      take_as<HeartbeatReply>(type, payload, event) || take_as<LaunchRun>(type, payload, event) ||
      take_as<KillRun>(type, payload, event) || take_as<SignalRun>(type, payload, event) ||
      take_as<SetTimeLimit>(type, payload, event) || take_as<ExitCommitted>(type, payload, event) ||
      take_as<BlobChunk>(type, payload, event);
  if (known) return feed(*event);
  if (type == MessageType::error_reply)
    stage_.trace.line(fmt::format("{} is told: {}", name(), from_bytes<ErrorReply>(payload).value().detail));
}

// --- at rest -----------------------------------------------------------------------------------

bool SimNode::is_at_rest() const {
  return supervisor_ && supervisor_->is_registered() && !supervisor_->has_runs() &&
         machine_.spool.empty();
}

std::string SimNode::description() const {
  std::string text = fmt::format("{}: {}{}, {} runs in the spool", name(), is_on_ ? "on" : "off",
                                 supervisor_ && supervisor_->is_registered() ? ", registered" : "",
                                 machine_.spool.size());
  if (!supervisor_) return text;
  for (const RunReport& report : supervisor_->reports())
    text += fmt::format(", {}.{} {}", report.id.job.value, report.id.run.value,
                        enum_name(*supervisor_->phase_of(report.id)));
  return text;
}

}  // namespace sluice::sim
