// step_columns.cpp: what each column shows of a batch step.
#include "cli/listing/step_columns.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/account_text.h"
#include "cli/listing/job_columns.h"

namespace sluice {
namespace {

using Context = ListingContext;

void render_one(const JobRow&, const Context&, std::string& out) { out += '1'; }
void render_na(const JobRow&, const Context&, std::string& out) { out += "N/A"; }
void render_unlimited(const JobRow&, const Context&, std::string& out) { out += "UNLIMITED"; }
void render_name(const JobRow&, const Context&, std::string& out) { out += "batch"; }
void render_step_id(const JobRow& row, const Context&, std::string& out) {
  append_shown_id(row, out);
  out += ".batch";
}
void render_state(const JobRow& row, const Context&, std::string& out) {
  out += account_state(*row.job, true);
}
void render_time_used(const JobRow& row, const Context& context, std::string& out) {
  append_short_duration(elapsed_s(*row.job, context.as_of), out);
}
void render_host(const JobRow& row, const Context&, std::string& out) {
  out += batch_host_of(*row.job);
}
void render_start(const JobRow& row, const Context& context, std::string& out) {
  if (const auto start = start_of(*row.job)) context.times.append(*start, out);
  else out += "N/A";
}
void render_uid(const JobRow& row, const Context&, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", row.job->names.uid);
}

constexpr Column<JobRow> columns[] = {
    {'A', "numtasks", "TASKS", "", render_one},
    {'b', "tres-per-job gres", "TRES_PER_JOB", "", render_na},
    {'i', "stepid", "STEPID", "asked", render_step_id},
    {'j', "stepname name", "NAME", "", render_name},
    {'l', "timelimit", "TIME_LIMIT", "", render_unlimited},
    {'M', "timeused", "TIME", "times", render_time_used},
    {'N', "nodelist", "NODELIST", "allocation", render_host},
    {'P', "partition", "PARTITION", "names", render_partition},
    {'S', "starttime", "START_TIME", "times wait", render_start},
    {'u', "username", "USER", "names", render_user},
    {'U', "userid", "UID", "names", render_uid},
    {0, "stepstate", "STATE", "end", render_state},
};

bool means(const StepSelector& selector, const JobInfo& job) {
  if (!selector.step.empty() && selector.step != "batch") return false;
  if (selector.job.tasks.empty())
    return selector.job.job == job.id || selector.job.job == array_or_job_id(job);
  return job.array && job.array->task && selector.job.job == job.array->array_id &&
         selector.job.tasks.contains(*job.array->task);
}

}  // namespace

std::span<const Column<JobRow>> step_columns() { return columns; }

bool shows_batch_step(const JobInfo& job, const std::vector<StepSelector>& selectors) {
  if (job.state == JobState::ended || !has_batch_step(job)) return false;
  return selectors.empty() || std::any_of(selectors.begin(), selectors.end(),
                                          [&](const StepSelector& one) { return means(one, job); });
}

}  // namespace sluice
