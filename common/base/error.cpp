// error.cpp: the rows of THE error table.
#include "common/base/error.h"

#include <array>

namespace sluice {
namespace {

constexpr std::array rows = {
    ErrorRow{ErrorCode::internal, "internal", "Internal error"},
    ErrorRow{ErrorCode::invalid_argument, "invalid_argument", "Invalid argument"},
    ErrorRow{ErrorCode::invalid_time, "invalid_time", "Invalid time specification"},
    ErrorRow{ErrorCode::invalid_memory, "invalid_memory", "Invalid memory specification"},
    ErrorRow{ErrorCode::invalid_hostlist, "invalid_hostlist", "Invalid hostlist"},
    ErrorRow{ErrorCode::invalid_option, "invalid_option", "Invalid option"},
    ErrorRow{ErrorCode::script_unreadable, "script_unreadable", "Unable to open file"},
    ErrorRow{ErrorCode::script_empty, "script_empty", "Batch script is empty!"},
    ErrorRow{ErrorCode::script_no_interpreter, "script_no_interpreter",
             "This does not look like a batch script.  The first\n"
             "line must start with #! followed by the path to an interpreter.\n"
             "For instance: #!/bin/sh"},
    ErrorRow{ErrorCode::script_dos_line_ends, "script_dos_line_ends",
             "Batch script contains DOS line breaks (\\r\\n)\n"
             "instead of expected UNIX line breaks (\\n)."},
    ErrorRow{ErrorCode::script_stray_word, "script_stray_word",
             "Invalid directive found in batch script"},
    ErrorRow{ErrorCode::invalid_dependency, "invalid_dependency", "Job dependency problem"},
    ErrorRow{ErrorCode::invalid_array, "invalid_array", "Invalid job array specification"},
    ErrorRow{ErrorCode::invalid_signal, "invalid_signal", "Unknown job signal"},
    ErrorRow{ErrorCode::environment_too_large, "environment_too_large",
             "Environment larger than exec can carry"},
    ErrorRow{ErrorCode::not_supported, "not_supported",
             "Requested operation not supported on this system"},
    ErrorRow{ErrorCode::invalid_number, "invalid_number", "Invalid numeric value"},
    ErrorRow{ErrorCode::invalid_job_id, "invalid_job_id", "Invalid job id specified"},
    ErrorRow{ErrorCode::invalid_partition, "invalid_partition", "Invalid partition name specified"},
    ErrorRow{ErrorCode::invalid_node, "invalid_node", "Invalid node name specified"},
    ErrorRow{ErrorCode::invalid_feature, "invalid_feature", "Invalid feature specification"},
    ErrorRow{ErrorCode::invalid_gres, "invalid_gres",
             "Invalid generic resource (gres) specification"},
    ErrorRow{ErrorCode::never_fits, "never_fits", "Requested node configuration is not available"},
    ErrorRow{ErrorCode::node_count_invalid, "node_count_invalid",
             "Node count specification invalid"},
    ErrorRow{ErrorCode::time_limit_invalid, "time_limit_invalid",
             "Requested time limit is invalid (missing or exceeds some limit)"},
    ErrorRow{ErrorCode::access_denied, "access_denied", "Access/permission denied"},
    ErrorRow{ErrorCode::job_finished, "job_finished", "Job has already finished"},
    ErrorRow{ErrorCode::job_not_pending, "job_not_pending", "Job is no longer pending execution"},
    ErrorRow{ErrorCode::job_limit_reached, "job_limit_reached", "Resource temporarily unavailable"},
    ErrorRow{ErrorCode::root_refused, "root_refused", "Job submission by root or nobody is disabled"},
    ErrorRow{ErrorCode::requeue_disabled, "requeue_disabled",
             "Requested operation is presently disabled"},
    ErrorRow{ErrorCode::reason_required, "reason_required",
             "You must specify a reason when DOWNING or DRAINING a node. Request denied"},
    ErrorRow{ErrorCode::store_full, "store_full", "The controller's state file system is full"},
    ErrorRow{ErrorCode::duplicate_node, "duplicate_node", "A node of this name is already registered"},
    ErrorRow{ErrorCode::config_invalid, "config_invalid", "Invalid configuration"},
    ErrorRow{ErrorCode::script_too_large, "script_too_large", "Batch script is too large"},
    ErrorRow{ErrorCode::job_held, "job_held",
             "Job is in held state, pending scheduler release"},
    ErrorRow{ErrorCode::unknown_user, "unknown_user", "Unknown user"},
    ErrorRow{ErrorCode::job_pending, "job_pending", "Job is pending execution"},
    ErrorRow{ErrorCode::job_not_alterable, "job_not_alterable",
             "Job can not be altered now, try again later"},
    ErrorRow{ErrorCode::invalid_account, "invalid_account",
             "Invalid account or account/partition combination specified"},
    ErrorRow{ErrorCode::invalid_qos, "invalid_qos", "Invalid qos specification"},
    ErrorRow{ErrorCode::policy_violated, "policy_violated",
             "Job violates accounting/QOS policy (job submit limit, user's size and/or time "
             "limits)"},
    ErrorRow{ErrorCode::group_not_permitted, "group_not_permitted",
             "User's group not permitted to use this partition"},
    ErrorRow{ErrorCode::jobs_active, "jobs_active",
             "Job(s) active, cancel job(s) before remove"},
    ErrorRow{ErrorCode::default_account_in_use, "default_account_in_use",
             "You can not remove the default account of a user"},
    ErrorRow{ErrorCode::invalid_license, "invalid_license", "Invalid license specification"},
    ErrorRow{ErrorCode::time_min_invalid, "time_min_invalid",
             "Invalid time-min specification (exceeds job's time or other limits)"},
    ErrorRow{ErrorCode::reservation_invalid, "reservation_invalid",
             "Requested reservation is invalid"},
    ErrorRow{ErrorCode::reservation_access, "reservation_access",
             "Access denied to requested reservation"},
    ErrorRow{ErrorCode::reservation_duplicate, "reservation_duplicate",
             "Duplicate reservation name"},
    ErrorRow{ErrorCode::reservation_in_use, "reservation_in_use",
             "Requested reservation is in use"},
    ErrorRow{ErrorCode::reservation_overlap, "reservation_overlap",
             "Requested reservation overlaps with another reservation"},
    ErrorRow{ErrorCode::nodes_busy, "nodes_busy", "Requested nodes are busy"},
    ErrorRow{ErrorCode::step_too_large, "step_too_large",
             "More processors requested than permitted"},
    ErrorRow{ErrorCode::step_limit_reached, "step_limit_reached", "Step limit reached for this job"},
    ErrorRow{ErrorCode::invalid_step_id, "invalid_step_id", "Invalid job id specified"},
    ErrorRow{ErrorCode::no_controller, "no_controller",
             "Unable to contact slurm controller (connect failure)"},
    ErrorRow{ErrorCode::outcome_unknown, "outcome_unknown",
             "Outcome unknown: the request was sent but not answered"},
    ErrorRow{ErrorCode::authentication_failed, "authentication_failed", "Authentication failed"},
    ErrorRow{ErrorCode::key_unusable, "key_unusable", "Cluster key cannot be used"},
    ErrorRow{ErrorCode::protocol_error, "protocol_error", "Malformed message"},
    ErrorRow{ErrorCode::io_error, "io_error", "Input/output error"},
    ErrorRow{ErrorCode::store_error, "store_error", "State store error"},
    ErrorRow{ErrorCode::store_newer, "store_newer",
             "State file was written by a newer version of Sluice"},
    ErrorRow{ErrorCode::locked, "locked", "Another process holds the lock"},
    ErrorRow{ErrorCode::limit_exceeded, "limit_exceeded", "Limit exceeded"},
};

}  // namespace

const ErrorRow& error_row(ErrorCode code) {
  for (const ErrorRow& row : rows)
    if (row.code == code) return row;
  return rows.front();
}

std::string to_text(const Error& error) {
  std::string text = error_row(error.code).text;
  if (error.detail.empty()) return text;
  // A text of several lines is a paragraph of Slurm's: what we add stands on a line of its own.
  return text + (text.find('\n') == std::string::npos ? ": " : "\n") + error.detail;
}

}  // namespace sluice
