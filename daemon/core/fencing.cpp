// fencing.cpp: when the runs of a silent node may be given up. A new run starts only for a stated
// cause, and never while the old one may be alive. The controller gives a lease up only when (a) it
// granted none for lease + KillWait + margin, and (b) for as long without a break it had answers from a
// strict majority of the voters: itself and the witness nodes. The agent prolongs a lease only while a
// strict majority of the same voters says it had no answer from the controller for lease/4. The two
// majorities share a voter, so both cannot hold at once.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/handlers.h"

namespace sluice {

std::vector<std::string> voter_nodes(const ClusterConfig& config) {
  constexpr std::size_t witnesses_max = 6;
  std::vector<std::string> names;
  for (const NodeConfig& node : config.nodes) {
    if (names.size() == witnesses_max) break;
    names.push_back(node.name);
  }
  return names;
}

namespace {

// A witness says that it is silent from lease/4 after it echoed a nonce. When it echoed is not known here,
// only that it was after the grant: until lease/4 after the grant it cannot have said so. An arrival
// proves nothing: the message may have waited for long, on the way or at a stopped controller.
bool has_majority(const State& state, const Now& now) {
  const std::vector<std::string> witnesses = voter_nodes(*state.config);
  // Divided as a Duration: whole seconds would make a quarter of a short lease nothing.
  const Duration fresh = Duration{std::chrono::seconds{state.config->timeouts.lease_s}} / 4;
  std::size_t answers = 1;  // the controller itself
  for (const std::string& name : witnesses) {
    const NodeEntry* node = state.find_node(name);
    if (node && node->last_round_trip && now.steady - *node->last_round_trip < fresh) ++answers;
  }
  return 2 * answers > witnesses.size() + 1;
}

bool is_silent(const State& state, const NodeEntry& node, const Now& now) {
  const Duration timeout = std::chrono::seconds{state.config->timeouts.node_timeout_s};
  return node.record.state == NodeState::up && now.steady - node.last_answer > timeout;
}

// Heartbeats that go on arriving without answering ours come over a line that is cut one way.
std::string silence_of(const NodeEntry& node, const Now& now) {
  const bool is_heard = now.steady - node.last_heard < (now.steady - node.last_answer) / 2;
  return fmt::format("{}: {}", not_responding,
                     is_heard ? "its agent is heard, but does not hear the controller" : "not heard of");
}

// A reason that stands there already, an administrator's or an earlier one, is kept.
void note_silence(NodeRecord& record, std::string reason, const Now& now) {
  if (!record.reason.empty()) return;
  record.reason = std::move(reason);
  record.reason_at = now.wall;
}

bool lease_is_over(const State& state, const NodeEntry& node, const Now& now) {
  const Duration wait = loss_margin(*state.config);
  return state.fence_majority && now.steady - state.fence_free_since >= wait &&
         now.steady - node.last_grant >= wait;
}

// An agent that was frozen still holds its connection. It has to register anew, so that what it still
// has of runs given up is ended; a heartbeat alone would say nothing of them.
void cut_off(State& state, const std::string& name, Effects& out) {
  NodeEntry& node = state.edit_node_entry(name);
  if (node.connection == 0) return;
  out.list.push_back(CloseConnection{node.connection});
  node.connection = 0;
}

void give_up_runs(State& state, const std::string& name, const Now& now, Effects& out) {
  const std::set<JobId> runs = state.runs_on_node[name];  // a copy: parts close in the loop
  const auto silent_for = std::chrono::duration_cast<std::chrono::seconds>(loss_margin(*state.config));
  const Cause lost{CauseKind::node_lost, std::nullopt,
                   fmt::format("node {} was silent for more than {} s", name, silent_for.count())};
  for (JobId job : runs) close_lost_part(state, job, name, lost, now, out);
}

}  // namespace

void watch_majority(State& state, const Now& now) {
  const bool majority = has_majority(state, now);
  if (majority && !state.fence_majority) state.fence_free_since = now.steady;
  state.fence_majority = majority;
}

void check_silent_nodes(State& state, const Now& now, Effects& out) {
  watch_majority(state, now);
  std::vector<std::string> silent;
  std::vector<std::string> fenced;
  state.nodes.for_each([&](std::uint32_t, const NodeEntry& node) {
    if (is_silent(state, node, now)) silent.push_back(node.record.name);
    if (node.record.state == NodeState::lost && lease_is_over(state, node, now))
      fenced.push_back(node.record.name);
    return true;
  });
  for (const std::string& name : silent) {
    NodeRecord& record = state.edit_node(name);
    advance(record.state, NodeEvent::silent);
    note_silence(record, silence_of(*state.find_node(name), now), now);
    audit(state, now, "node_silent", {}, name, 0, record.reason);
    state.refresh_node_view(state.node_id(name));
  }
  for (const std::string& name : fenced) {
    NodeRecord& record = state.edit_node(name);
    advance(record.state, NodeEvent::proved_dead);
    note_silence(record, std::string(not_responding), now);
    audit(state, now, "node_given_up", {}, name, 0, "");
    cut_off(state, name, out);
    state.refresh_node_view(state.node_id(name));
    give_up_runs(state, name, now, out);
  }
}

}  // namespace sluice
