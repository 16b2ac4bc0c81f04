// account_text.cpp: facts of accounting to text.
#include "cli/listing/account_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice {
namespace {

// Ends that were ordered; the script's own status says nothing of the job.
bool was_told_to_end(const JobEnd& end) {
  switch (end.outcome) {
    case Outcome::completed:
    case Outcome::failed:
    case Outcome::out_of_memory:
      return false;
    case Outcome::cancelled:
    case Outcome::timeout:
    case Outcome::node_fail:
    case Outcome::preempted:
    case Outcome::deadline:
    case Outcome::boot_fail:
      return true;
  }
  return false;
}

}  // namespace

const char* account_state(const JobInfo& job, bool is_batch_step) {
  if (job.state != JobState::ended || !job.end)
    return is_batch_step ? "RUNNING" : state_word(job.state, job.end, job.special_exit);
  if (is_batch_step && was_told_to_end(*job.end)) return "CANCELLED";
  if (!is_batch_step && job.end->cause.kind == CauseKind::requeued) return "REQUEUED";
  return state_word(job.state, job.end);
}

void append_account_state(const JobInfo& job, bool is_batch_step, std::string& out) {
  const std::string_view word = account_state(job, is_batch_step);
  out += word;
  const bool names_user = job.end && job.end->cause.uid && word == "CANCELLED" && !is_batch_step;
  if (names_user) fmt::format_to(std::back_inserter(out), " by {}", *job.end->cause.uid);
}

ExitStatus account_exit(const JobInfo& job, bool is_batch_step) {
  if (!job.end || (!is_batch_step && was_told_to_end(*job.end))) return {};
  return job.end->status;
}

bool has_batch_step(const JobInfo& job) {
  return job.state != JobState::pending && job.times.started.has_value();
}

TresAmounts tres_held_by(const JobInfo& job, bool is_batch_step) {
  TresAmounts amounts;
  if (job.allocation.empty()) return amounts;
  if (!is_batch_step) return tres_of(job);
  const NodeShare& share = job.allocation.shares.front();
  amounts.cpus = share.cpus;
  amounts.mem_mb = share.mem_mb;
  amounts.nodes = 1;
  add_gres(amounts.gres, share.gres, 1);
  return amounts;
}

std::optional<WallTime> account_start(const JobInfo& job) {
  if (job.state == JobState::pending) return std::nullopt;
  return job.times.started ? job.times.started : job.times.ended;
}

std::int64_t waited_s(const JobInfo& job, WallTime as_of) {
  if (job.times.eligible == WallTime{}) return 0;
  const WallTime until = account_start(job).value_or(as_of);
  return std::max<std::int64_t>(0, to_seconds(until) - to_seconds(job.times.eligible));
}

}  // namespace sluice
