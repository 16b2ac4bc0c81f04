// message_type.h: the number of every message. Numbers are never reused; the structs are in messages.h
// and messages_agent.h.
#pragma once

#include <cstdint>

namespace sluice {

enum class MessageType : std::uint16_t {
  error_reply = 1,
  ok_reply = 2,
  // commands -> controller
  submit_job = 10,
  submit_reply = 11,
  cancel_jobs = 12,
  action_reply = 13,
  update_jobs = 14,
  update_nodes = 15,
  wait_job = 16,
  wait_reply = 17,
  query_jobs = 20,
  jobs_reply = 21,
  query_nodes = 22,
  nodes_reply = 23,
  query_partitions = 24,
  partitions_reply = 25,
  query_config = 26,
  config_reply = 27,
  query_why = 28,
  why_reply = 29,
  get_script = 30,
  script_reply = 31,
  ping = 32,
  ping_reply = 33,
  reconfigure = 34,
  shutdown = 35,
  backup = 36,
  watch_events = 37,
  events_reply = 38,
  purge_jobs = 39,
  purge_reply = 40,
  query_shares = 41,
  shares_reply = 42,
  query_priorities = 43,
  priorities_reply = 44,
  query_statistics = 45,
  statistics_reply = 46,
  // agent <-> controller
  register_node = 50,
  node_accepted = 51,
  heartbeat = 52,
  heartbeat_reply = 53,
  launch_run = 54,
  run_accepted = 55,
  run_refused = 56,
  run_started = 57,
  run_exited = 58,
  exit_committed = 59,
  kill_run = 60,
  signal_run = 61,
  get_blob = 62,
  blob_chunk = 63,
  relay = 64,
  set_time_limit = 65,
  reconfigure_node = 66,
  // commands -> controller: accounts and reservations
  change_accounts = 80,
  accounts_changed = 81,
  query_accounts = 82,
  accounts_reply = 83,
  change_reservation = 84,
  reservation_changed = 85,
  query_reservations = 86,
  reservations_reply = 87,
};

}  // namespace sluice
