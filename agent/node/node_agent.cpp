// node_agent.cpp: the event queue, effects that are not the executor's, and frames.
#include "agent/node/node_agent.h"

#include <algorithm>
#include <utility>

#include "agent/inventory/inventory.h"
#include "agent/node/controller_messages.h"
#include "common/base/clock.h"
#include "common/log/log.h"
#include "common/wire/codec.h"

namespace sluice::agent {
namespace {

std::string timer_name(const ArmTimer& timer) {
  std::string name = enum_name(timer.kind);
  if (timer.kind == TimerKind::kill_overdue)
    name += " " + std::to_string(timer.run.job.value) + "." + std::to_string(timer.run.run.value);
  return name;
}

Event timer_event(const ArmTimer& timer) {
  switch (timer.kind) {
    case TimerKind::heartbeat: return HeartbeatDue{read_vitals(read_clocks().wall)};
    case TimerKind::kill_overdue: return KillOverdue{timer.run};
    case TimerKind::witness_round: return WitnessRoundDue{};
  }
  return WitnessRoundDue{};
}

DialTarget controller_of(const NodeSettings& settings) {
  const ClusterConfig& config = settings.config;
  const std::string& host =
      config.controller_address.empty() ? config.controller_host : config.controller_address;
  return {host, config.controller_port, settings.self.node};
}

// What an agent takes from its configuration only when it starts.
void warn_of_fixed_settings(const PathConfig& before, const PathConfig& after) {
  struct Row {
    const char* key;
    std::string PathConfig::*member;
  };
  constexpr Row fixed[] = {{"SlurmdSpoolDir", &PathConfig::spool_dir},
                           {"SluiceAgentSocket", &PathConfig::agent_socket},
                           {"SluiceKeyFile", &PathConfig::key_file}};
  for (const Row& row : fixed)
    if (before.*row.member != after.*row.member)
      log_warning(std::string(row.key) + " changed: it counts when the agent is started again");
}

}  // namespace

NodeAgent::NodeAgent(IoContext& io, Spool& spool, LeasePage& lease, NodeSetup setup)
    : io_(io),
      reactor_(io),
      setup_(std::move(setup)),
      supervisor_(setup_.settings.self, read_clocks()),
      executor_(
          reactor_, spool, lease, setup_.executor,
          [this](Event event) { happen(std::move(event)); },
          [](const std::string& text) { log_warning(text); }),
      spool_(spool),
      uplink_(io, reactor_, controller_of(setup_.settings), setup_.key_file,
              {[this] { happen(Connected{read_vitals(read_clocks().wall)}); },
               [this](const FrameHeader& header, std::string payload) {
                 on_frame(header, std::move(payload));
               },
               [this] {
                 relays_.on_disconnected();
                 happen(Disconnected{});
               }}),
      relays_(
          [this](const Relay& relay) {
            if (!supervisor_.is_welcome()) return false;
            uplink_.send(0, relay);
            return true;
          },
          [this](std::uint32_t uid) { return may_vouch(uid); }),
      witnesses_(
          io, setup_.settings.self.node, setup_.witness_port, [this] { return witness_status(); },
          [this](Event event) { happen(std::move(event)); }) {}

Result<void> NodeAgent::start() {
  TRY(executor_.listen());
  if (auto accepted = spool_.remembered()) happen(AcceptanceFound{std::move(*accepted)});
  std::vector<RunFound> found = executor_.find_runs();
  for (RunFound& run : found) happen(std::move(run));
  if (!found.empty()) log_info("found " + std::to_string(found.size()) + " runs in the spool");
  if (const auto served = relays_.listen(io_, setup_.agent_socket); !served.ok())
    log_warning("commands on this host cannot go through this agent: " + to_text(served.error()));
  uplink_.start();
  return {};
}

void NodeAgent::reconfigure() {
  Result<NodeSettings> again = setup_.read_again();
  if (!again.ok())
    return log_error("reconfigure: " + to_text(again.error()) + "; the old configuration stays");
  const Result<std::string> keys = uplink_.reload_keys();
  if (!keys.ok()) log_error("reconfigure: " + to_text(keys.error()) + "; the old key stays");
  warn_of_fixed_settings(setup_.settings.config.paths, again->config.paths);
  setup_.settings = std::move(*again);
  uplink_.set_target(controller_of(setup_.settings));
  log_info("configuration read again" + (keys.ok() ? "; " + *keys : ""));
  happen(Reconfigured{setup_.settings.self, read_vitals(read_clocks().wall)});
}

bool NodeAgent::may_vouch(std::uint32_t uid) const {
  return setup_.login || uid == 0 || supervisor_.has_run_of(uid);
}

// --- events and effects ------------------------------------------------------------------------

void NodeAgent::happen(Event event) {
  events_.push_back(std::move(event));
  if (!draining_) drain();
}

void NodeAgent::drain() {
  draining_ = true;
  while (!events_.empty()) {
    const Event event = std::move(events_.front());
    events_.pop_front();
    Effects effects;
    supervisor_.on(event, read_clocks(), effects);
    const bool new_word = std::holds_alternative<NodeAccepted>(event) ||
                          std::holds_alternative<AcceptanceFound>(event);
    if (new_word && supervisor_.accepted()) witnesses_.accept(*supervisor_.accepted());
    for (Effect& effect : effects.take())
      std::visit([this](auto& content) { carry_out(content); }, effect);
  }
  draining_ = false;
}

void NodeAgent::carry_out(SendToController& effect) {
  std::visit([this](const auto& message) { uplink_.send(0, message); }, effect.message);
}

void NodeAgent::carry_out(CloseConnection&) {
  uplink_.drop("heartbeats stay unanswered");
}

void NodeAgent::carry_out(AskWitnesses& effect) { witnesses_.ask(effect); }

WitnessStatus NodeAgent::witness_status() const {
  const Duration silence = supervisor_.silent_for(read_clocks());
  const auto silence_ms = std::chrono::duration_cast<std::chrono::milliseconds>(silence).count();
  return {supervisor_.witness_list(), static_cast<std::uint64_t>(std::max<std::int64_t>(silence_ms, 0))};
}

void NodeAgent::carry_out(ArmTimer& effect) {
  reactor_.at(timer_name(effect), effect.at, [this, effect] { happen(timer_event(effect)); });
}

void NodeAgent::carry_out(Ignored& effect) { log_debug("ignored: " + effect.what); }

// --- frames ------------------------------------------------------------------------------------

void NodeAgent::on_frame(const FrameHeader& header, std::string payload) {
  const auto type = static_cast<MessageType>(header.type);
  if (type == MessageType::error_reply) return on_refusal(payload);
  if (type == MessageType::reconfigure_node) return reconfigure();
  if (type == MessageType::relay) {
    if (auto relay = from_bytes<Relay>(payload); relay.ok()) relays_.on_relay(std::move(*relay));
    return;
  }
  auto event = decode_event(header.type, payload);
  if (!event.ok()) return uplink_.drop(to_text(event.error()));
  if (*event) happen(std::move(**event));
  else log_debug("ignored: message " + std::to_string(header.type));
}

void NodeAgent::on_refusal(std::string_view payload) {
  const auto reply = from_bytes<ErrorReply>(payload);
  if (!reply.ok()) return uplink_.drop(to_text(reply.error()));
  log_error("the controller refused: " + to_text(Error{reply->code, reply->detail}));
  if (!supervisor_.is_registered()) uplink_.drop("the controller did not accept this node");
}

}  // namespace sluice::agent
