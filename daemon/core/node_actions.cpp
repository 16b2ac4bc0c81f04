// node_actions.cpp: drain, resume and down, by an administrator's word.
#include <fmt/format.h>

#include "daemon/core/handlers.h"

namespace sluice {
namespace {

// "down" is the administrator's word that nothing runs there any more.
void close_runs(State& state, const std::string& name, const Caller& caller, const Now& now,
                Effects& out) {
  const std::set<JobId> runs = state.runs_on_node[name];  // a copy: parts close in the loop
  const Cause down{CauseKind::node_set_down, caller.uid,
                   fmt::format("node {} was set down by uid {}: {}", name, caller.uid,
                               state.find_node(name)->record.reason)};
  for (JobId job : runs) {
    out.send(name, KillRun{{job, state.job(job).run}, down, 0});
    close_lost_part(state, job, name, down, now, out);
  }
}

void set_reason(NodeRecord& record, const std::string& reason, const Caller& caller, const Now& now) {
  record.reason = reason;
  record.reason_uid = caller.uid;
  record.reason_at = now.wall;
}

void clear_reason(NodeRecord& record) {
  record.reason.clear();
  record.reason_at.reset();
  record.faulted_jobs.clear();
}

void act(State& state, const std::string& name, const NodesUpdated& event, const Now& now,
         Effects& out) {
  NodeRecord& record = state.edit_node(name);
  switch (event.request.action) {
    case NodeAction::drain:
      record.drain = true;
      set_reason(record, event.request.reason, event.caller, now);
      break;
    case NodeAction::undrain:
      record.drain = false;
      clear_reason(record);
      break;
    case NodeAction::down:
      advance(record.state, NodeEvent::set_down);
      set_reason(record, event.request.reason, event.caller, now);
      close_runs(state, name, event.caller, now, out);
      break;
    case NodeAction::resume: {
      record.drain = false;
      clear_reason(record);
      advance(record.state, NodeEvent::resumed);
      if (state.find_node(name)->connection != 0) advance(record.state, NodeEvent::registered);
      break;
    }
  }
  audit(state, now, "node_updated", {}, name, event.caller.uid, enum_name(event.request.action));
  state.refresh_node_view(state.node_id(name));
}

}  // namespace

void on_nodes_updated(State& state, const NodesUpdated& event, const Now& now, Effects& out) {
  if (!event.caller.is_admin)
    return out.refuse(event.from, {ErrorCode::access_denied,
                                   fmt::format("uid {} is not an administrator", event.caller.uid)});
  const bool needs_reason = event.request.action == NodeAction::drain ||
                            event.request.action == NodeAction::down;
  if (needs_reason && event.request.reason.empty())
    return out.refuse(event.from, {ErrorCode::reason_required, ""});
  for (const std::string& name : event.request.nodes)
    if (!state.find_node(name))
      return out.refuse(event.from, {ErrorCode::invalid_node, name});
  for (const std::string& name : event.request.nodes) act(state, name, event, now, out);
  out.reply(event.from, OkReply{});
}

}  // namespace sluice
