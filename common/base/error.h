// error.h: THE error table. Every refusal in Sluice is one row here plus a detail the user can act on
// (what, where, the value seen, the nearest valid one). Nothing here formats for a given command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// The number is what travels on the wire: never reuse or renumber one; add at the end of its block.
enum class ErrorCode : std::uint16_t {
  // The caller's input.
  invalid_argument = 1,
  invalid_time = 2,
  invalid_memory = 3,
  invalid_hostlist = 4,
  invalid_option = 5,
  script_unreadable = 6,
  script_empty = 7,
  script_no_interpreter = 8,
  script_dos_line_ends = 9,
  script_stray_word = 10,
  invalid_dependency = 11,
  invalid_array = 12,
  invalid_signal = 13,
  environment_too_large = 14,
  not_supported = 15,
  invalid_number = 16,
  // Refused by the controller.
  invalid_job_id = 40,
  invalid_partition = 41,
  invalid_node = 42,
  invalid_feature = 43,
  invalid_gres = 44,
  never_fits = 45,
  node_count_invalid = 46,
  time_limit_invalid = 47,
  access_denied = 48,
  job_finished = 49,
  job_not_pending = 50,
  job_limit_reached = 51,
  root_refused = 52,
  requeue_disabled = 53,
  reason_required = 54,
  store_full = 55,
  duplicate_node = 56,
  config_invalid = 57,
  script_too_large = 58,
  job_held = 59,
  unknown_user = 60,
  job_pending = 61,
  job_not_alterable = 62,
  invalid_account = 63,
  invalid_qos = 64,
  policy_violated = 65,
  group_not_permitted = 66,
  jobs_active = 67,
  default_account_in_use = 68,
  invalid_license = 70,
  time_min_invalid = 71,
  reservation_invalid = 74,
  reservation_access = 75,
  reservation_duplicate = 76,
  reservation_in_use = 77,
  reservation_overlap = 78,
  nodes_busy = 79,
  // The machine or the peer.
  no_controller = 80,
  outcome_unknown = 81,
  authentication_failed = 82,
  key_unusable = 83,
  protocol_error = 84,
  io_error = 85,
  store_error = 86,
  store_newer = 87,
  locked = 88,
  limit_exceeded = 89,
  internal = 90,
  // Refused by the controller, of steps.
  step_too_large = 100,
  step_limit_reached = 101,
  invalid_step_id = 102,
};

struct ErrorRow {
  ErrorCode code;
  const char* name;  // stable word, used in JSON and logs
  const char* text;  // Slurm's text where Slurm has one (compatibility contract)
};

// The row of a code; an unknown number (from a newer peer) gives the row of `internal`.
const ErrorRow& error_row(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string detail;  // one line, no trailing dot or newline; may be empty

  bool operator==(const Error&) const = default;
};

// "TEXT" or "TEXT: detail"; behind a text of several lines the detail is a line of its own.
std::string to_text(const Error& error);

}  // namespace sluice
