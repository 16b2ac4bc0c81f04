// nodes.cpp: registration, heartbeats and the end of connections.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/handlers.h"

namespace sluice {
namespace {

// Two agents of one name: the one whose connection lives keeps it, unless the newcomer has its spool.
Result<void> check_identity(const State& state, const NodeEntry& node, const RegisterNode& body) {
  const NodeIdentity& known = node.record.identity;
  if (known.spool_id.empty() || known.spool_id == body.identity.spool_id) return {};
  if (node.connection != 0)
    return Error{
        ErrorCode::duplicate_node,
        fmt::format("node {} is held by the agent at {} (host {}), which runs since {}; stop "
                    "that agent or give this one another name",
                    body.name, known.address, known.host, utc_text(known.agent_started))};
  // A new spool on the same boot cannot vouch for what the old one had under way.
  auto runs = state.runs_on_node.find(body.name);
  const bool may_live = runs != state.runs_on_node.end() && !runs->second.empty();
  if (may_live && known.boot_id == body.identity.boot_id)
    return Error{ErrorCode::duplicate_node,
                 fmt::format("node {} has {} runs in another spool folder; bring that spool back, or "
                             "say that they are dead: scontrol update nodename={} state=down reason=...",
                             body.name, runs->second.size(), body.name)};
  return {};
}

// What silence wrote goes with it; an administrator's reason stays.
void come_back(NodeRecord& record) {
  advance(record.state, NodeEvent::registered);
  if (!record.reason.starts_with(not_responding)) return;
  record.reason.clear();
  record.reason_at.reset();
}

void take_shape(State& state, NodeRecord& record, const RegisterNode& body, const Now& now) {
  auto configured = std::find_if(state.config->nodes.begin(), state.config->nodes.end(),
                                 [&](const NodeConfig& node) { return node.name == body.name; });
  record.pretended = body.pretended;
  if (configured != state.config->nodes.end() && !configured->said.empty()) return;
  // Priorities go by the cluster's size. Many nodes come at once: not for each of them.
  if (record.shape != body.shape) state.rank_again_at = now.wall + std::chrono::seconds{1};
  record.shape = body.shape;
}

// Measured when we heard of it: the node's clock may differ from ours.
void take_vitals(NodeEntry& entry, const NodeVitals& vitals, const Now& now) {
  entry.vitals = vitals;
  if (vitals.measured != WallTime{}) entry.vitals.measured = now.wall;
}

// Where a node answers its fellows: as configured, else where it registered from, else its name.
Witness witness_of(const State& state, const NodeConfig& node) {
  Witness witness{node.name, node.address, node.port};
  const NodeEntry* known = state.find_node(node.name);
  if (witness.address.empty() && known) witness.address = known->record.identity.address;
  if (witness.address.empty()) witness.address = node.name;
  if (witness.port == 0) witness.port = state.config->agent_port;
  return witness;
}

NodeAccepted make_acceptance(const State& state) {
  NodeAccepted accepted;
  accepted.timeouts = state.config->timeouts;
  accepted.cluster = state.config->cluster_name;
  const std::vector<std::string> voters = voter_nodes(*state.config);
  accepted.leases = state.config->nodes.size() > 1;
  accepted.witness_list = voters.size();
  // The same list for all nodes, so that any two majorities share a voter.
  for (const NodeConfig& node : state.config->nodes)
    if (std::find(voters.begin(), voters.end(), node.name) != voters.end())
      accepted.witnesses.push_back(witness_of(state, node));
  return accepted;
}

Cause cause_of_vanishing(const std::string& node, bool rebooted) {
  if (rebooted)
    return {CauseKind::node_rebooted, std::nullopt, fmt::format("node {} was booted anew", node)};
  return {CauseKind::supervisor_lost, std::nullopt,
          fmt::format("node {} no longer knows the run", node)};
}

const RunReport* find_report(const RegisterNode& body, const RunId& id) {
  for (const RunReport& report : body.runs)
    if (report.id == id) return &report;
  return nullptr;
}

// What we believe runs there, held against what the agent says.
void reconcile_ours(State& state, const RegisterNode& body, bool rebooted, const Now& now,
                    Effects& out) {
  const std::set<JobId> ours = state.runs_on_node[body.name];  // a copy: parts close in the loop
  for (JobId job : ours) {
    const JobRecord& record = state.job(job);
    auto part = std::find_if(record.parts.begin(), record.parts.end(),
                             [&](const RunPart& p) { return p.node == body.name; });
    if (part == record.parts.end() || part->state == PartState::over) continue;
    const RunId id{job, record.run};
    const auto index = static_cast<std::size_t>(part - record.parts.begin());
    const PartState part_state = part->state;
    const bool resend = record.state == JobState::starting && part->ordered_at != WallTime{};
    if (const RunReport* report = find_report(body, id)) {
      if (report->state == PartState::over && report->exit) {
        on_run_exited(state, {body.name, RunExited{*report->exit}}, now, out);
        continue;
      }
      on_run_accepted(state, {body.name, RunAccepted{id}}, now, out);
      if (report->state == PartState::started)
        on_run_started(state, {body.name, RunStarted{id, report->started_wall}}, now, out);
      const std::optional<std::uint32_t> limit_s = time_limit_s(state.job(job));
      if (report->time_limit_s != limit_s) out.send(body.name, SetTimeLimit{id, limit_s});
    } else if (part_state != PartState::ordered || rebooted) {
      close_lost_part(state, job, body.name, cause_of_vanishing(body.name, rebooted), now, out);
      continue;
    } else if (resend) {
      state.edit_job(job).parts[index].ordered_at = {};
      send_orders(state, job, now, out);  // the order may have been lost on the way: it is idempotent
    }
    if (state.job(job).state == JobState::completing)
      end_run(state, job, state.job(job).ending.value_or(Cause{}), now, out);
  }
}

// What the agent has that we do not hold there.
void reconcile_theirs(State& state, const RegisterNode& body, Effects& out) {
  for (const RunReport& report : body.runs) {
    const JobEntry* entry = state.find_job(report.id.job);
    const bool is_present = entry && entry->record.run == report.id.run &&
                            state.runs_on_node[body.name].contains(report.id.job);
    if (is_present) continue;
    if (report.state == PartState::over)
      out.send(body.name, ExitCommitted{report.id});
    else
      out.send(body.name, KillRun{report.id,
                                  {CauseKind::node_lost, std::nullopt,
                                   "the controller has given this run up"},
                                  0});
  }
}

}  // namespace

void on_node_registered(State& state, const NodeRegistered& event, const Now& now, Effects& out) {
  const RegisterNode& body = event.request_body;
  const RequestRef ref{event.connection, event.request};
  const NodeEntry* known = state.find_node(body.name);
  if (!known) {
    out.refuse(ref, {ErrorCode::invalid_node,
                     fmt::format("{} is not in the configuration; add a NodeName line", body.name)});
    return out.list.push_back(CloseConnection{event.connection});
  }
  if (auto same = check_identity(state, *known, body); !same) {
    audit(state, now, "node_refused", {}, body.name, 0, same.error().detail);
    out.refuse(ref, same.error());
    return out.list.push_back(CloseConnection{event.connection});
  }
  const std::string boot_before = known->record.identity.boot_id;
  const bool rebooted = !boot_before.empty() && boot_before != body.identity.boot_id;
  if (known->connection != 0 && known->connection != event.connection)
    out.list.push_back(CloseConnection{known->connection});
  NodeRecord& record = state.edit_node(body.name);
  come_back(record);
  record.identity = body.identity;
  take_shape(state, record, body, now);
  NodeEntry& entry = state.edit_node_entry(body.name);
  entry.connection = event.connection;
  take_vitals(entry, body.vitals, now);
  entry.last_answer = now.steady;
  entry.last_grant = now.steady;  // the acceptance grants a lease
  entry.nonce = 0;
  audit(state, now, "node_registered", {}, body.name, 0, body.identity.address);
  state.refresh_node_view(state.node_id(body.name));
  out.reply(ref, make_acceptance(state));
  for (const RunReport& report : body.runs) adopt_run(state, body.name, report, now);
  reconcile_ours(state, body, rebooted, now, out);
  reconcile_theirs(state, body, out);
  release_starts(state, now);
}

void on_node_answered(State& state, const NodeAnswered& event, const Now& now, Effects& out) {
  const NodeEntry* known = state.find_node(event.node);
  if (!known || known->connection != event.connection) return;
  watch_majority(state, now);
  NodeEntry& entry = state.edit_node_entry(event.node);
  const bool is_answer = event.heartbeat.echo == entry.nonce;
  take_vitals(entry, event.heartbeat.vitals, now);
  entry.last_heard = now.steady;
  if (is_answer) entry.last_answer = now.steady;
  if (is_answer && entry.nonce != 0) {
    entry.last_round_trip = entry.last_grant;
    watch_majority(state, now);
  }
  // One that is heard but does not hear stays lost: an order would not reach it.
  if (is_answer && entry.record.state == NodeState::lost) {
    come_back(state.edit_node(event.node));
    state.refresh_node_view(state.node_id(event.node));
  }
  NodeEntry& granted = state.edit_node_entry(event.node);
  ++granted.nonce;
  granted.last_grant = now.steady;
  out.send(event.node, HeartbeatReply{granted.nonce}, true);
}

void on_node_disconnected(State& state, const NodeDisconnected& event, const Now&) {
  const NodeEntry* known = state.find_node(event.node);
  if (known && known->connection == event.connection) state.edit_node_entry(event.node).connection = 0;
}

}  // namespace sluice
