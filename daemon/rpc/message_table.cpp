// message_table.cpp: the rows.
#include "daemon/rpc/message_table.h"

#include <fmt/format.h>

#include "common/wire/frame.h"
#include "daemon/rpc/handlers.h"

namespace sluice {
namespace {

template <class Message, void (*Handler)(Call&, Message&)>
Result<void> decode_and(Call& call, std::string_view payload) {
  Message message = TRY(from_bytes<Message>(payload));
  Handler(call, message);
  return {};
}

template <class Message, void (*Handler)(Call&, Message&)>
constexpr MessageRow row(const char* name, Role role, std::uint32_t payload_bytes_max) {
  static_assert(has_codec<Message>, "its name belongs into SLUICE_ENCODED_TYPES");
  return {Message::type, name, role, payload_bytes_max, decode_and<Message, Handler>};
}

constexpr std::uint32_t small = 4U << 10;
constexpr std::uint32_t medium = 1U << 20;
constexpr std::uint32_t large = frame_payload_bytes_max;

constexpr MessageRow rows[] = {
    row<SubmitJob, rpc::submit_job>("submit_job", Role::user, large),
    row<PlanJob, rpc::plan_job>("plan_job", Role::user, large),
    row<CancelJobs, rpc::cancel_jobs>("cancel_jobs", Role::user, medium),
    row<UpdateJobs, rpc::update_jobs>("update_jobs", Role::user, medium),
    row<UpdateNodes, rpc::update_nodes>("update_nodes", Role::admin, medium),
    row<WaitJob, rpc::wait_job>("wait_job", Role::user, small),
    row<QueryJobs, rpc::query_jobs>("query_jobs", Role::user, medium),
    row<QueryNodes, rpc::query_nodes>("query_nodes", Role::user, medium),
    row<QueryConfig, rpc::query_config>("query_config", Role::user, small),
    row<QueryWhy, rpc::query_why>("query_why", Role::user, small),
    row<QueryPriorities, rpc::query_priorities>("query_priorities", Role::user, medium),
    row<QueryShares, rpc::query_shares>("query_shares", Role::user, medium),
    row<QueryStatistics, rpc::query_statistics>("query_statistics", Role::user, small),
    row<WatchEvents, rpc::watch_events>("watch_events", Role::user, medium),
    row<GetScript, rpc::get_script>("get_script", Role::user, small),
    row<Ping, rpc::ping>("ping", Role::user, small),
    row<Reconfigure, rpc::reconfigure>("reconfigure", Role::admin, small),
    row<Shutdown, rpc::shut_down>("shutdown", Role::admin, small),
    row<Backup, rpc::back_up>("backup", Role::admin, small),
    row<ChangeReservation, rpc::change_reservation>("change_reservation", Role::admin, medium),
    row<QueryReservations, rpc::query_reservations>("query_reservations", Role::user, small),
    row<PurgeJobs, rpc::purge_jobs>("purge_jobs", Role::admin, small),
    row<ChangeAccounts, rpc::change_accounts>("change_accounts", Role::user, large),
    row<QueryAccounts, rpc::query_accounts>("query_accounts", Role::user, small),
    row<RegisterNode, rpc::register_node>("register_node", Role::node, large),
    row<Heartbeat, rpc::heartbeat>("heartbeat", Role::agent, small),
    row<RunAccepted, rpc::run_accepted>("run_accepted", Role::registered, small),
    row<RunRefused, rpc::run_refused>("run_refused", Role::registered, medium),
    row<RunStarted, rpc::run_started>("run_started", Role::registered, small),
    row<RunExited, rpc::run_exited>("run_exited", Role::registered, medium),
    row<GetBlob, rpc::get_blob>("get_blob", Role::registered, small),
};

Result<void> check_role(const MessageRow& row, const Session& session) {
  const bool is_node = !session.node.empty();
  switch (row.role) {
    case Role::user: return is_node ? Error{ErrorCode::access_denied, row.name} : Result<void>{};
    case Role::admin:
      if (is_node) return Error{ErrorCode::access_denied, row.name};
      return {};
    case Role::node: return is_node ? Result<void>{} : Error{ErrorCode::access_denied, row.name};
    case Role::agent:
    case Role::registered:
      if (session.login && row.role == Role::registered) break;
      if (is_node && session.registered) return {};
      return Error{ErrorCode::access_denied, fmt::format("{} before register_node", row.name)};
  }
  return Error{ErrorCode::access_denied, row.name};
}

}  // namespace

const MessageRow* find_message(std::uint16_t type) {
  for (const MessageRow& row : rows)
    if (static_cast<std::uint16_t>(row.type) == type) return &row;
  return nullptr;
}

Result<void> dispatch(Call& call, std::uint16_t type, std::string_view payload) {
  const MessageRow* row = find_message(type);
  if (!row) return Error{ErrorCode::protocol_error, fmt::format("unknown message type {}", type)};
  call.services.count_request(row->name);
  if (auto allowed = check_role(*row, call.session); !allowed) return allowed;
  if (payload.size() > row->payload_bytes_max)
    return Error{ErrorCode::protocol_error, fmt::format("{} of {} bytes exceeds {}", row->name,
                                                        payload.size(), row->payload_bytes_max)};
  if (row->role == Role::admin && !call.session.caller.is_admin) {
    call.refuse({ErrorCode::access_denied,
                 fmt::format("uid {} is not an administrator", call.session.caller.uid)});
    return {};
  }
  return row->handle(call, payload);
}

}  // namespace sluice
